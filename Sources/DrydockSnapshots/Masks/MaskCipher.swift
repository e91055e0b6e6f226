import Crypto
import Synchronization

/// Permutations that nobody can undo without the key: what differs stays different, and the same becomes the same.
///
/// Few possibilities are shuffled to one circle, so that nothing stays where it is, unless there are two (Sattolo, "An algorithm to generate a
/// random cyclic permutation", 1986). Many go through a Feistel network of eight rounds with HMAC-SHA256, as in format
/// preserving encryption (https://doi.org/10.6028/NIST.SP.800-38G), where one in as many stays.
final class MaskCipher: Sendable {
    /// Keyed, before any data.
    private let start: HMAC<SHA256>
    let isStopped: @Sendable () -> Bool
    private let tables = Mutex<[String: [UInt32]]>([:])

    /// - Parameter isStopped: Polled in long values. Once it is true, results are of no use.
    init(_ key: MaskKey, isStopped: @escaping @Sendable () -> Bool = { false }) {
        (start, self.isStopped) = (HMAC(key: key.secret), isStopped)
    }

    /// Up to so many possibilities are shuffled.
    private static let shuffled: UInt64 = 20_000
    private static let keptTables = 200
    private static let rounds = 8
    /// So many digits are permuted together.
    private static let block = 2048
    /// The number of hashes after which it checks whether to stop.
    private static let poll: UInt64 = 4096

    /// Returns a number below a bound.
    func permuted(_ number: UInt64, below bound: UInt64, _ use: String) -> UInt64 {
        guard bound > 1, number < bound else { return number }
        if bound <= Self.shuffled { return UInt64(table(Int(bound), use)[Int(number)]) }
        let bits = 64 - (bound - 1).leadingZeroBitCount
        // Parts of at most 16 bits.
        let count = bits > 32 ? 4 : 2
        let sizes = (0..<count).map { UInt64((bits + $0) / count) }
        let radices = sizes.map { UInt32(1) << UInt32($0) }
        var result = number
        repeat {
            var parts: [UInt32] = []
            for size in sizes {
                parts.append(UInt32(result & (1 << size - 1)))
                result >>= size
            }
            let mixed = feistel(parts, radices, "\(use) \(bits)")
            result = zip(mixed, sizes).reversed().reduce(0) { $0 << $1.1 | UInt64($1.0) }
        } while result >= bound
        return result
    }

    /// Returns other digits, each below its radix of at least 2.
    func permuted(_ digits: [UInt32], _ radices: [UInt32], _ use: String) -> [UInt32] {
        var (result, rest, mark): ([UInt32], Range, String) = ([], digits.indices, "")
        while rest.count > Self.block, !isStopped() {
            let block = rest.prefix(Self.block)
            let head = Array(digits[block])
            result += permutedBlock(head, Array(radices[block]), use + mark)
            // Each block depends on all before it.
            mark = " " + Self.text(mac(Self.bytes(of: head), "block\(mark)"))
            rest = block.upperBound..<rest.upperBound
        }
        guard rest.count <= Self.block else { return result + rest.map { _ in 0 } }
        return result + permutedBlock(Array(digits[rest]), Array(radices[rest]), use + mark)
    }

    private func permutedBlock(_ digits: [UInt32], _ radices: [UInt32], _ use: String) -> [UInt32] {
        var size: UInt64 = 1
        for radix in radices where size <= Self.shuffled { size *= UInt64(radix) }
        guard size <= Self.shuffled else { return feistel(digits, radices, use) }
        guard size > 1 else { return digits }
        var number = zip(digits, radices).reduce(0) { $0 * Int($1.1) + Int($1.0) }
        number = Int(table(Int(size), "\(use) \(radices)")[number])
        var result = digits
        for place in digits.indices.reversed() {
            result[place] = UInt32(number % Int(radices[place]))
            number /= Int(radices[place])
        }
        return result
    }

    /// Returns other bytes, as many.
    func permuted(_ bytes: [UInt8]) -> [UInt8] {
        guard bytes.count > 2 else {
            return permuted(bytes.map(UInt32.init), bytes.map { _ in 256 }, "bytes").map { UInt8($0) }
        }
        var (a, b) = (Array(bytes[..<(bytes.count / 2)]), Array(bytes[(bytes.count / 2)...]))
        for round in 0..<Self.rounds where !isStopped() {
            if round.isMultiple(of: 2) {
                Self.combine(&a, stream(b, "bytes \(bytes.count) \(round)", a.count))
            } else {
                Self.combine(&b, stream(a, "bytes \(bytes.count) \(round)", b.count))
            }
        }
        return a + b
    }

    /// Returns a number that only the key decides.
    func constant(_ use: String, below bound: UInt64) -> UInt64 {
        let bytes = mac([], use)
        return bytes[..<8].reduce(0) { $0 << 8 | UInt64($1) } % bound
    }

    // MARK: - The network

    private func feistel(_ digits: [UInt32], _ radices: [UInt32], _ use: String) -> [UInt32] {
        guard digits.count > 1 else {
            // One digit with many values: two halves of it.
            guard let digit = digits.first, let radix = radices.first else { return digits }
            return [UInt32(permuted(UInt64(digit), below: UInt64(radix), use))]
        }
        var result = digits
        let middle = digits.count / 2
        for round in 0..<Self.rounds {
            let (own, other) =
                round.isMultiple(of: 2)
                ? (0..<middle, middle..<digits.count) : (middle..<digits.count, 0..<middle)
            let noise = stream(
                Self.bytes(of: Array(result[other])), "\(use) \(digits.count) \(round)", own.count * 4)
            for (place, index) in own.enumerated() {
                let word = noise[(place * 4)..<(place * 4 + 4)].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
                result[index] = UInt32(
                    (UInt64(result[index]) + UInt64(word % radices[index])) % UInt64(radices[index]))
            }
        }
        return result
    }

    private func stream(_ bytes: [UInt8], _ use: String, _ count: Int) -> [UInt8] {
        let first = mac(bytes, use)
        guard count > first.count else { return Array(first.prefix(count)) }
        // The hash of a secret and a counter.
        var (result, input, number): ([UInt8], [UInt8], UInt64) = ([], first, 0)
        result.reserveCapacity(count + first.count)
        while result.count < count, !number.isMultiple(of: Self.poll) || !isStopped() {
            number += 1
            withUnsafeBytes(of: number.bigEndian) { input.replaceSubrange(first.count..., with: $0) }
            result += SHA256.hash(data: input)
        }
        result += Array(repeating: 0, count: max(0, count - result.count))
        return Array(result.prefix(count))
    }

    private func mac(_ bytes: [UInt8], _ use: String) -> [UInt8] {
        var mac = start
        mac.update(data: Array(use.utf8) + [0] + bytes)
        return Array(mac.finalize())
    }

    /// Returns where each number below a bound goes: to another, in one circle of all.
    private func table(_ count: Int, _ use: String) -> [UInt32] {
        let name = "\(use) of \(count)"
        if let known = tables.withLock({ $0[name] }) { return known }
        var table = (0..<UInt32(count)).map(\.self)
        let noise = stream([], name, count * 4)
        for place in stride(from: count - 1, to: 0, by: -1) {
            let word = noise[(place * 4)..<(place * 4 + 4)].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            // There is one circle of two, which every key would give.
            table.swapAt(place, Int(word % UInt32(count == 2 ? 2 : place)))
        }
        tables.withLock { known in
            if known.count >= Self.keptTables { known.removeAll() }
            known[name] = table
        }
        return table
    }

    private static func combine(_ bytes: inout [UInt8], _ noise: [UInt8]) {
        for index in bytes.indices { bytes[index] ^= noise[index] }
    }

    private static func bytes(of digits: [UInt32]) -> [UInt8] {
        digits.flatMap { [UInt8($0 >> 24), UInt8($0 >> 16 & 255), UInt8($0 >> 8 & 255), UInt8($0 & 255)] }
    }

    private static func text(_ bytes: [UInt8]) -> String {
        bytes.map { String($0, radix: 16) }.joined(separator: ".")
    }
}
