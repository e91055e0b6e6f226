import SQLiteFile

/// The number of rows, and the sum of their hashes, in any order. Different sets of rows have different sums, but for a
/// chance that can be left out of account: the hashes have 128 bits.
///
/// They depend on random numbers that each run draws, so that no file can be prepared to deceive them.
struct RowSum: Sendable, Equatable {
    private(set) var count = 0
    private var sum: (UInt64, UInt64) = (0, 0)

    static func == (left: RowSum, right: RowSum) -> Bool {
        left.count == right.count && left.sum == right.sum
    }

    mutating func add(_ hash: consuming RowHash) {
        let (a, b) = hash.finish()
        count += 1
        sum = (sum.0 &+ a, sum.1 &+ b)
    }

    mutating func add(_ other: RowSum) {
        count += other.count
        sum = (sum.0 &+ other.sum.0, sum.1 &+ other.sum.1)
    }
}

/// The hash of a few values, in their order. A whole real counts as the integer, as which it may be stored.
struct RowHash: ~Copyable {
    /// The numbers that one run draws.
    struct Key: Sendable {
        fileprivate let words: (UInt64, UInt64, UInt64, UInt64)

        init() {
            // Odd, so that no multiplication loses bits.
            let word = { UInt64.random(in: 0 ... .max) | 1 }
            words = (word(), word(), word(), word())
        }
    }

    private let key: Key
    private var state: (UInt64, UInt64)

    @inline(__always) init(_ key: Key) {
        self.key = key
        state = (key.words.2, key.words.3)
    }

    @inline(__always) private mutating func add(_ word: UInt64) {
        state = (Self.mix(state.0 ^ word, key.words.0), Self.mix(state.1 ^ word, key.words.1))
    }

    @inline(__always) private static func mix(_ a: UInt64, _ b: UInt64) -> UInt64 {
        let product = a.multipliedFullWidth(by: b)
        return product.high ^ product.low &+ a
    }

    @inline(__always) mutating func add(integer: Int64) {
        add(1)
        add(UInt64(bitPattern: integer))
    }

    @inline(__always) mutating func addNull() { add(0) }

    @inline(__always) mutating func add(_ field: Field) {
        switch field.storageClass {
        case .null: addNull()
        case .integer: add(integer: field.integer)
        case .real:
            let real = field.real
            if let whole = Int64(exactly: real) { return add(integer: whole) }
            add(2)
            add(real.bitPattern)
        case .text: add(field.bytes, tag: 3)
        case .blob: add(field.bytes, tag: 4)
        }
    }

    @inline(__always) private mutating func add(_ bytes: UnsafeRawBufferPointer, tag: UInt64) {
        add(UInt64(bytes.count) << 3 | tag)
        var offset = 0
        while offset + 8 <= bytes.count {
            add(bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
            offset += 8
        }
        guard offset < bytes.count else { return }
        var rest: UInt64 = 0
        for byte in bytes[offset...] { rest = rest << 8 | UInt64(byte) }
        add(rest)
    }

    @inline(__always) fileprivate consuming func finish() -> (UInt64, UInt64) {
        (Self.mix(state.0, key.words.3), Self.mix(state.1, key.words.2))
    }
}
