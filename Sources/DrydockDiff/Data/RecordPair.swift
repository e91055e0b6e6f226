import DrydockConservation
import DrydockState
import DatabaseEngine
import SQLiteFile
import SQLiteSchema

/// One table of both files, read record by record.
final class RecordPair {
    let pairing: TablePairing
    let columns: RecordColumns
    let before: RecordTable
    let after: RecordTable
    /// Whether equal records are equal rows.
    private let areReadAlike: Bool

    /// How many rows ahead the next equal row is searched for where rows were added or removed.
    private static let window = 48

    /// The entries that ``walk(_:_:)`` visited, once it has run to its end.
    private var visited: [(TreeEntry?, TreeEntry?)]?

    /// The most entries to keep; about 10 MB.
    private static let keptEntries = 65_536

    init(_ pairing: TablePairing, _ columns: RecordColumns, _ before: RecordTable, _ after: RecordTable) {
        (self.pairing, self.columns, self.before, self.after) = (pairing, columns, before, after)
        areReadAlike = columns.areReadAlike
    }

    var key: [Int] { pairing.key }

    /// Whether the rowid is the declared key on both sides.
    var isRowidKey: Bool {
        guard key.count == 1, let pair = key.first.map({ columns.pairs[$0] }) else { return false }
        return pair.before.source == .rowid && pair.after.source == .rowid
    }

    /// The order of two WITHOUT ROWID tables; nil if they have different orders or an app's collation decides it.
    var keyOrder: KeyOrder? {
        let (old, new) = (before.layout, after.layout)
        guard !key.isEmpty, old.key.count == new.key.count else { return nil }
        var order: [KeyColumn] = []
        for (a, b) in zip(old.key, new.key) {
            guard a.isDescending == b.isDescending, a.collation == b.collation,
                a.column.foldedASCII == b.column.foldedASCII,
                !a.isDescending || before.file.header.schemaFormat == after.file.header.schemaFormat,
                let collation = a.collation.flatMap(Collation.init(name:))
            else { return nil }
            order.append(KeyColumn(collation, isDescending: a.isDescending))
        }
        return KeyOrder(order, in: before.file)
    }

    func value(_ index: Int, _ side: KeyPath<RecordPair, RecordTable>) throws -> SQLValue {
        let pair = columns.pairs[index]
        return side == \.before
            ? try before.value(pair.before, named: pair.nameBefore)
            : try after.value(pair.after, named: pair.nameAfter)
    }

    func values(_ side: KeyPath<RecordPair, RecordTable>) throws -> [SQLValue] {
        try columns.pairs.indices.map { try value($0, side) }
    }

    // MARK: - Walks

    /// Visits entries in the trees' order, paired by key, without those that are certainly equal.
    ///
    /// Keeps up to ``keptEntries`` entries of the first walk, so that the next walk need not find them again.
    func walk(_ order: KeyOrder?, _ body: (TreeEntry?, TreeEntry?) throws -> Void) throws {
        if let visited {
            for (old, new) in visited { try body(old, new) }
            return
        }
        guard
            let pair = try TreePair(
                before.file, root: before.root, after.file, root: after.root, order: order)
        else { throw RowsUndecided() }
        var visited: [(TreeEntry?, TreeEntry?)]? = []
        _ = try pair.merge(countsSkippedRows: false, everyRow: !areReadAlike) { difference in
            let (old, new) = difference.entries
            if visited?.count == Self.keptEntries { visited = nil }
            visited?.append((old, new))
            try body(old, new)
        }
        self.visited = visited
    }

    /// Aligns rows by rowid.
    /// - Parameters:
    ///   - settled: Called if the current rows have the same key, and perhaps other values.
    ///   - leftover: Called for a side's current row that still needs a partner.
    func alignByRowid(settled: () throws -> Void, leftover: (Bool, Bool) throws -> Void) throws {
        try walk(nil) { old, new in
            if let old { try before.read(old) }
            if let new { try after.read(new) }
            if old != nil, new != nil {
                if try columns.isSame(before, after) { return }
                if try isSettled() { return try settled() }
            }
            try leftover(old != nil, new != nil)
        }
    }

    /// Whether both current rows have the same key without a NULL, so that they are one row.
    private func isSettled() throws -> Bool {
        guard !key.isEmpty else { return false }
        for index in key {
            guard try columns.isSame(index, before, after), try value(index, \.before) != .null else {
                return false
            }
        }
        return true
    }

    /// Aligns rows in the order in which they come, whatever their rowids: VACUUM, or a copy into a new table, keeps
    /// this order.
    func alignBySequence(settled: () throws -> Void, leftover: (Bool, Bool) throws -> Void) throws {
        var old = try EntryWindow(before), new = try EntryWindow(after)
        while true {
            guard let a = try old.peek(0) else {
                guard let b = try new.peek(0) else { return }
                try after.read(b)
                try leftover(false, true)
                new.drop(1)
                continue
            }
            guard let b = try new.peek(0) else {
                try before.read(a)
                try leftover(true, false)
                old.drop(1)
                continue
            }
            if try isSame(a, b) {
                old.drop(1)
                new.drop(1)
                continue
            }
            if try isSettled() {
                try settled()
                old.drop(1)
                new.drop(1)
                continue
            }
            let (skippedOld, skippedNew) = try nextMeeting(&old, &new) ?? (1, 1)
            for index in 0..<skippedOld {
                guard let entry = try old.peek(index) else { break }
                try before.read(entry)
                try leftover(true, false)
            }
            for index in 0..<skippedNew {
                guard let entry = try new.peek(index) else { break }
                try after.read(entry)
                try leftover(false, true)
            }
            old.drop(skippedOld)
            new.drop(skippedNew)
        }
    }

    /// Returns whether two entries are the same row; makes them the current rows unless their bytes are equal.
    private func isSame(_ a: TreeEntry, _ b: TreeEntry) throws -> Bool {
        if areReadAlike, try before.file.isEqual(a.payload, to: b.payload, in: after.file) { return true }
        try before.read(a)
        try after.read(b)
        return try columns.isSame(before, after)
    }

    /// Returns how many rows to skip on each side, as few as possible, until both sides reach an equal row.
    private func nextMeeting(_ old: inout EntryWindow, _ new: inout EntryWindow) throws -> (Int, Int)? {
        for distance in 1...Self.window {
            for left in 0...distance {
                guard let a = try old.peek(left), let b = try new.peek(distance - left) else { continue }
                guard a.payload.size == b.payload.size else { continue }
                if try before.file.isEqual(a.payload, to: b.payload, in: after.file) {
                    return (left, distance - left)
                }
            }
        }
        return nil
    }
}

/// The entries of a tree, some of them read ahead.
private struct EntryWindow {
    private var cursor: TreeCursor
    private var ahead: [TreeEntry] = []
    private var start = 0

    init(_ table: RecordTable) throws { cursor = try TreeCursor(table.file, root: table.root) }

    /// Returns the entry `distance` places ahead; nil after the last.
    mutating func peek(_ distance: Int) throws -> TreeEntry? {
        while ahead.count - start <= distance {
            guard let entry = try cursor.next() else { return nil }
            ahead.append(entry)
        }
        return ahead[start + distance]
    }

    mutating func drop(_ count: Int) {
        start += min(count, ahead.count - start)
        guard start == ahead.count || start > 256 else { return }
        ahead.removeFirst(start)
        start = 0
    }
}
