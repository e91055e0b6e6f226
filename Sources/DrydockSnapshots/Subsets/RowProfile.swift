import DatabaseEngine
import SQLiteSchema

/// What identifies a row.
enum RowKey: Sendable, Hashable {
    case rowid(Int64)
    case values([SQLValue])

    var values: [SQLValue] {
        switch self {
        case .rowid(let number): [.integer(number)]
        case .values(let values): values
        }
    }

    /// A number that depends on the key and a seed only.
    func hash(_ seed: UInt64) -> UInt64 {
        var hash = RowHash(seed)
        for value in values {
            switch value {
            case .null: hash.add(0)
            case .integer(let number): hash.add(UInt64(bitPattern: number))
            case .real(let number): hash.add(number.bitPattern)
            case .text(let bytes), .blob(let bytes): for byte in bytes { hash.add(UInt64(byte)) }
            }
        }
        return hash.value
    }
}

/// A hash that is the same in every run, unlike Swift's.
struct RowHash {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed }

    mutating func add(_ number: UInt64) {
        state = (state ^ number) &* 0x9e37_79b9_7f4a_7c15
        state ^= state >> 29
    }

    /// The finalizer of SplitMix64 (https://prng.di.unimi.it/splitmix64.c).
    var value: UInt64 {
        var z = state &+ 0x9e37_79b9_7f4a_7c15
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }
}

/// Finds the rows of a table that a migration may stumble over: for each column a value of each form, the longest and the
/// shortest, the least and the greatest, and values that are alike.
struct RowProfile {
    private var columns: [ColumnProfile]
    private let encoding: TextEncoding

    /// The bytes that all tables of hashes may take together.
    private static let memory = 24 << 20

    init(columnCount: Int, encoding: TextEncoding) {
        self.encoding = encoding
        let size = Self.memory / max(1, columnCount) / MemoryLayout<ColumnProfile.Slot?>.stride
        var slots = 1 << 10
        while slots * 2 <= min(size, 1 << 17) { slots *= 2 }
        columns = Array(repeating: ColumnProfile(slots: slots), count: columnCount)
    }

    /// Looks at a row.
    /// - Parameter first: The place of the first column in the query.
    mutating func see(_ row: any PreparedStatement, first: Int, _ key: RowKey) {
        for index in columns.indices {
            columns[index].see(row, first + index, key, encoding)
        }
    }

    /// The rows to keep.
    var keys: Set<RowKey> { columns.reduce(into: []) { $0.formUnion($1.keys) } }
}

/// What ``RowProfile`` remembers of a column.
private struct ColumnProfile {
    /// The first row in which a value was seen.
    struct Slot {
        /// Of the value without regard to case and trailing spaces, and of the value itself.
        var folded, exact: UInt64
        var key: RowKey
    }

    private var seen: UInt32 = 0
    private var first: [RowKey] = []
    private var longest, shortest: (Int, RowKey)?
    private var least, most: (Int64, RowKey)?
    private var lowest, highest: (Double, RowKey)?
    private var slots: [Slot?]
    private var (hasTwin, hasLookAlike) = (false, false)

    /// - Parameter slots: A power of two.
    init(slots: Int) { self.slots = Array(repeating: nil, count: slots) }

    var keys: [RowKey] {
        first + [longest?.1, shortest?.1, least?.1, most?.1, lowest?.1, highest?.1].compactMap(\.self)
    }

    mutating func see(_ row: any PreparedStatement, _ column: Int, _ key: RowKey, _ encoding: TextEncoding) {
        switch row.storage(column) {
        case .null: note(.null, key)
        case .integer:
            let value = row.integer(column)
            note(ValueForm(value), key)
            if least.map({ value < $0.0 }) ?? true { least = (value, key) }
            if most.map({ value > $0.0 }) ?? true { most = (value, key) }
            compare(UInt64(bitPattern: value), UInt64(bitPattern: value), key)
        case .real:
            let value = row.real(column)
            note(ValueForm(value), key)
            if lowest.map({ value < $0.0 }) ?? true { lowest = (value, key) }
            if highest.map({ value > $0.0 }) ?? true { highest = (value, key) }
            compare(value.bitPattern, value.bitPattern, key)
        case .text:
            row.withBytes(column) { bytes in
                let checks = seen & ValueForm.invalid.bit == 0
                note(ValueForm(bytes, encoding, checks: checks), key)
                measure(bytes.count, key)
                let (folded, exact) = Self.hashes(bytes)
                compare(folded, exact, key)
            }
        case .blob:
            row.withBytes(column) { bytes in
                note(bytes.isEmpty ? .emptyBlob : .blob, key)
                measure(bytes.count, key)
                let exact = Self.hashes(bytes).exact
                compare(exact, exact, key)
            }
        }
    }

    private mutating func note(_ form: ValueForm, _ key: RowKey) {
        guard seen & form.bit == 0 else { return }
        seen |= form.bit
        first.append(key)
    }

    private mutating func measure(_ count: Int, _ key: RowKey) {
        if longest.map({ count > $0.0 }) ?? true { longest = (count, key) }
        if shortest.map({ count < $0.0 }) ?? true { shortest = (count, key) }
    }

    /// Keeps the first two rows with the same value, and those whose values differ in case or trailing spaces only.
    private mutating func compare(_ folded: UInt64, _ exact: UInt64, _ key: RowKey) {
        guard !hasTwin || !hasLookAlike else { return }
        var hash = RowHash(0)
        hash.add(folded)
        let place = Int(truncatingIfNeeded: hash.value) & (slots.count - 1)
        guard let other = slots[place] else {
            slots[place] = Slot(folded: folded, exact: exact, key: key)
            return
        }
        guard other.folded == folded, other.key != key else { return }
        if other.exact == exact, !hasTwin {
            hasTwin = true
            first += [other.key, key]
        } else if other.exact != exact, !hasLookAlike {
            hasLookAlike = true
            first += [other.key, key]
        }
    }

    /// Hashes the beginning and the length: a false match only costs one more row.
    private static func hashes(_ bytes: UnsafeRawBufferPointer) -> (folded: UInt64, exact: UInt64) {
        var (folded, exact) = (RowHash(1), RowHash(2))
        var end = bytes.count
        while end > 0, bytes[end - 1] == 32 { end -= 1 }
        for byte in bytes.prefix(min(end, 48)) {
            exact.add(UInt64(byte))
            folded.add(UInt64((65...90).contains(byte) ? byte + 32 : byte))
        }
        exact.add(UInt64(bytes.count))
        folded.add(UInt64(end))
        return (folded.value, exact.value)
    }
}
