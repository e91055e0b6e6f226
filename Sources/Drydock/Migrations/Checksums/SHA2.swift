/// SHA-256 (https://doi.org/10.6028/NIST.FIPS.180-4, section 6.2), which Prisma and Drizzle keep.
enum SHA256 {
    static func digest(of bytes: [UInt8]) -> [UInt8] {
        var state = SHA2.roots(of: [2, 3, 5, 7, 11, 13, 17, 19]).map { UInt32($0 >> 32) }
        let constants = SHA2.cubeRoots(count: 64).map { UInt32($0 >> 32) }
        for block in SHA2.blocks(of: bytes, wordBytes: 4) {
            var w = block.map { UInt32($0) }
            for i in 16..<64 {
                let a = w[i - 15].rotated(7) ^ w[i - 15].rotated(18) ^ (w[i - 15] >> 3)
                let b = w[i - 2].rotated(17) ^ w[i - 2].rotated(19) ^ (w[i - 2] >> 10)
                w.append(w[i - 16] &+ a &+ w[i - 7] &+ b)
            }
            SHA2.compress(
                &state, w, constants,
                { $0.rotated(2) ^ $0.rotated(13) ^ $0.rotated(22) },
                { $0.rotated(6) ^ $0.rotated(11) ^ $0.rotated(25) })
        }
        return state.flatMap(\.bigEndianBytes)
    }
}

/// SHA-384 (section 6.5), which sqlx keeps.
enum SHA384 {
    static func digest(of bytes: [UInt8]) -> [UInt8] {
        var state = SHA2.roots(of: [23, 29, 31, 37, 41, 43, 47, 53])
        let constants = SHA2.cubeRoots(count: 80)
        for block in SHA2.blocks(of: bytes, wordBytes: 8) {
            var w = block
            for i in 16..<80 {
                let a = w[i - 15].rotated(1) ^ w[i - 15].rotated(8) ^ (w[i - 15] >> 7)
                let b = w[i - 2].rotated(19) ^ w[i - 2].rotated(61) ^ (w[i - 2] >> 6)
                w.append(w[i - 16] &+ a &+ w[i - 7] &+ b)
            }
            SHA2.compress(
                &state, w, constants,
                { $0.rotated(28) ^ $0.rotated(34) ^ $0.rotated(39) },
                { $0.rotated(14) ^ $0.rotated(18) ^ $0.rotated(41) })
        }
        return state.prefix(6).flatMap(\.bigEndianBytes)
    }
}

/// What the functions of the family share.
private enum SHA2 {
    /// The message with its padding, as blocks of 16 words (section 5.1).
    static func blocks(of bytes: [UInt8], wordBytes: Int) -> [[UInt64]] {
        let size = 16 * wordBytes
        var padded = bytes + [0x80]
        padded += [UInt8](repeating: 0, count: (2 * size - 8 - padded.count % size) % size)
        padded += UInt64(bytes.count * 8).bigEndianBytes
        return stride(from: 0, to: padded.count, by: size).map { start in
            (0..<16).map { word in
                padded[(start + word * wordBytes)..<(start + (word + 1) * wordBytes)]
                    .reduce(0) { $0 << 8 | UInt64($1) }
            }
        }
    }

    static func compress<Word: FixedWidthInteger & UnsignedInteger>(
        _ state: inout [Word], _ w: [Word], _ constants: [Word], _ bigA: (Word) -> Word,
        _ bigE: (Word) -> Word
    ) {
        var v = state
        for i in 0..<w.count {
            let choice = (v[4] & v[5]) ^ (~v[4] & v[6])
            let majority = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2])
            let first = v[7] &+ bigE(v[4]) &+ choice &+ constants[i] &+ w[i]
            let second = bigA(v[0]) &+ majority
            v = [first &+ second, v[0], v[1], v[2], v[3] &+ first, v[4], v[5], v[6]]
        }
        for i in state.indices { state[i] = state[i] &+ v[i] }
    }

    /// The first 64 bits of the fractional parts of square roots (section 5.3).
    static func roots(of primes: [UInt64]) -> [UInt64] { primes.map { fraction(of: $0, power: 2) } }

    /// The first 64 bits of the fractional parts of the cube roots of the first primes (section 4.2).
    static func cubeRoots(count: Int) -> [UInt64] {
        var primes: [UInt64] = []
        var candidate: UInt64 = 2
        while primes.count < count {
            if !primes.contains(where: { candidate % $0 == 0 }) { primes.append(candidate) }
            candidate += 1
        }
        return primes.map { fraction(of: $0, power: 3) }
    }

    /// The largest x for which x to the power is at most the prime, in units of 2^-64: bit by bit, in exact
    /// arithmetic. The roots are less than 8, so 67 bits hold them.
    private static func fraction(of prime: UInt64, power: Int) -> UInt64 {
        var root: UInt128 = 0
        for bit in stride(from: 66, through: 0, by: -1) {
            let candidate = root | (UInt128(1) << UInt128(bit))
            if isAtMost(candidate, power, prime) { root = candidate }
        }
        return UInt64(truncatingIfNeeded: root)
    }

    /// Whether `x^power <= prime * 2^(64 * power)`, in limbs of 32 bits.
    private static func isAtMost(_ x: UInt128, _ power: Int, _ prime: UInt64) -> Bool {
        let limbs = (0..<3).map { UInt64(truncatingIfNeeded: x >> UInt128(32 * $0)) & 0xffff_ffff }
        var product = limbs
        for _ in 1..<power { product = multiplied(product, limbs) }
        var bound = [UInt64](repeating: 0, count: 2 * power) + [prime]
        let width = max(bound.count, product.count)
        product += [UInt64](repeating: 0, count: width - product.count)
        bound += [UInt64](repeating: 0, count: width - bound.count)
        for i in stride(from: width - 1, through: 0, by: -1) where product[i] != bound[i] {
            return product[i] < bound[i]
        }
        return true
    }

    private static func multiplied(_ a: [UInt64], _ b: [UInt64]) -> [UInt64] {
        var result = [UInt64](repeating: 0, count: a.count + b.count)
        for i in a.indices {
            var carry: UInt64 = 0
            for j in b.indices {
                let sum = a[i] * b[j] + result[i + j] + carry
                result[i + j] = sum & 0xffff_ffff
                carry = sum >> 32
            }
            result[i + b.count] += carry
        }
        return result
    }
}

extension FixedWidthInteger where Self: UnsignedInteger {
    fileprivate func rotated(_ count: Int) -> Self { self >> count | self << (Self.bitWidth - count) }

    fileprivate var bigEndianBytes: [UInt8] {
        stride(from: Self.bitWidth - 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: self >> $0) }
    }
}

extension Collection<UInt8> {
    /// Two lower-case digits a byte.
    var hex: String {
        let digits = Array("0123456789abcdef")
        return String(flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
    }
}
