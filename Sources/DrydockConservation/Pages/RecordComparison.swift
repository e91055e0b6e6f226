import DrydockState
import DatabaseEngine
import Dispatch
import DrydockFindings
import SQLiteFile
import SQLiteSchema
import Synchronization

/// Compares the rows of a table before and after a step, record by record.
struct RecordComparison {
    let match: TableMatch
    let columns: RecordColumns
    let before: RecordTable
    let after: RecordTable
    let dirty: DirtyPages?
    let rewritable: Set<Int>
    var encoding = TextEncoding.utf8

    /// - Returns: nil where the records alone do not show which row became which.
    func run() throws -> TableDifference? {
        guard before.layout.isWithoutRowid == after.layout.isWithoutRowid else { return nil }
        if before.layout.isWithoutRowid {
            guard let order = keyOrder else { return nil }
            return try merge(order, isKey: true)
        }
        if let difference = try mergeRows(isKey: isRowidKey) { return difference }
        return isRowidKey ? nil : try sequence()
    }

    // MARK: - Which row is which

    /// Positions of the column pairs of the primary key; nil where one is gone or may be rewritten.
    private var keyPositions: [Int]? {
        let key = match.before.primaryKey.map { column in
            match.columns.firstIndex { $0.before.name == column.name }
        }
        let known = key.compactMap { $0 }.filter { !rewritable.contains($0) }
        return known.isEmpty || known.count < key.count ? nil : known
    }

    /// Whether the rowid is the primary key, before and after.
    private var isRowidKey: Bool {
        guard let key = keyPositions, key.count == 1 else { return false }
        return columns.pairs[key[0]].before.source == .rowid && columns.pairs[key[0]].after.source == .rowid
    }

    /// The order of both WITHOUT ROWID tables, where it is the same and uses no collation of the app.
    private var keyOrder: KeyOrder? {
        let (old, new) = (before.layout, after.layout)
        guard let positions = keyPositions, old.key.count == new.key.count else { return nil }
        var order: [KeyColumn] = []
        for (a, b) in zip(old.key, new.key) {
            guard a.isDescending == b.isDescending, a.collation == b.collation,
                let collation = a.collation.flatMap(Collation.init(name:)),
                positions.contains(where: {
                    columns.pairs[$0].nameBefore.foldedASCII == a.column.foldedASCII
                        && columns.pairs[$0].nameAfter.foldedASCII == b.column.foldedASCII
                })
            else { return nil }
            order.append(KeyColumn(collation, isDescending: a.isDescending))
        }
        return KeyOrder(order, in: before.file)
    }

    // MARK: - Comparing

    private struct Ambiguous: Error {}
    /// A value that a record ends before, for which only the thread with the connection can ask.
    private struct Unknown: Error {
        var isBefore: Bool
        var column: String
        var rowid: Int64
    }

    /// From how many changed pages on threads are worth it.
    private static let leastPages = 1000
    /// How many ranges a large table has at least, so that no thread is left with the last one for long.
    private static let leastRanges = 64

    /// Compares rows with the same rowid: in ranges, on all cores, where the table was rebuilt or much of it has changed.
    private func mergeRows(isKey: Bool) throws -> TableDifference? {
        let isLarge = before.root != after.root || (dirty?.pages.count ?? .max) >= Self.leastPages
        guard isLarge, let pair = try TreePair(before.file, root: before.root, after.file, root: after.root),
            case let ranges = try pair.rowRanges(atLeast: Self.leastRanges), ranges.count > 1
        else { return try merge(nil, isKey: isKey) }
        typealias Outcome = Result<TableDifference?, any Error>
        let outcomes = Mutex([Outcome](repeating: .success(nil), count: ranges.count))
        let isOver = Atomic(false)
        let (old, new) = (before.source, after.source)
        let (match, columns, dirty, rewritable, encoding) = (match, columns, dirty, rewritable, encoding)
        DispatchQueue.concurrentPerform(iterations: ranges.count) { number in
            if isOver.load(ordering: .relaxed) { return }
            let part = RecordComparison(
                match: match, columns: columns,
                before: RecordTable(old) { throw Unknown(isBefore: true, column: $0, rowid: $1) },
                after: RecordTable(new) { throw Unknown(isBefore: false, column: $0, rowid: $1) },
                dirty: dirty, rewritable: rewritable,
                encoding: encoding)
            let outcome = Outcome { try part.merge(nil, isKey: isKey, rows: ranges[number]) }
            if (try? outcome.get()) == nil { isOver.store(true, ordering: .relaxed) }
            outcomes.withLock { $0[number] = outcome }
        }
        do {
            let parts = try outcomes.withLock { $0 }.map { try $0.get() }
            guard var whole = parts[0] else { return nil }
            for part in parts.dropFirst() {
                guard let part else { return nil }
                whole.add(part)
            }
            return whole
        } catch let value as Unknown {
            do {
                try (value.isBefore ? before : after).learnDefault(value.column, rowid: value.rowid)
            } catch is PageConservation.NoDefault {
                return nil
            }
            return try mergeRows(isKey: isKey)
        }
    }

    /// Compares rows with the same rowid or key.
    /// - Parameter isKey: whether that is the table's own key, so that a row without a counterpart is lost. Otherwise
    /// the difference may only be in rowids.
    private func merge(
        _ order: KeyOrder?, isKey: Bool, rows: ClosedRange<Int64>? = nil
    ) throws -> TableDifference? {
        let key = isKey || keyPositions != nil ? keyPositions ?? [] : []
        var difference = TableDifference()
        difference.encoding = encoding
        difference.hasOrdinals = false
        difference.keyColumns = key.isEmpty ? ["rowid"] : key.map { match.columns[$0].before.name }
        difference.keyPositions = key.isEmpty ? nil : key
        guard
            var trees = try TreePair(
                before.file, root: before.root, after.file, root: after.root, order: order)
        else { return nil }
        trees.dirty = dirty
        do {
            let counts = try trees.merge(
                countsSkippedRows: false, everyRow: !columns.areReadAlike, rows: rows
            ) { found in
                switch found {
                case .onlyLeft(let old):
                    guard isKey else { throw Ambiguous() }
                    try before.read(old)
                    let row = try rowKey(key, before, \.before, \.nameBefore)
                    difference.lost.note(.init(ordinal: 0, key: row))
                case .onlyRight(let new):
                    guard isKey else { throw Ambiguous() }
                    try after.read(new)
                    let row = try rowKey(key, after, \.after, \.nameAfter)
                    difference.added.note(.init(ordinal: 0, key: row))
                case .changed(let old, let new):
                    try before.read(old)
                    try after.read(new)
                    try noteChanges(key, isKey: isKey, into: &difference)
                }
            }
            difference.rowsCompared = counts.left
        } catch is Ambiguous {
            return nil
        } catch is PageConservation.NoDefault {
            return nil
        }
        return difference
    }

    /// Records the changed values of two current rows that are the same row.
    private func noteChanges(_ key: [Int], isKey: Bool, into difference: inout TableDifference) throws {
        for index in columns.pairs.indices where try !columns.isSame(index, before, after) {
            // A row without a key that has other values may be a different row; so may one with a changed key.
            let isOther = key.isEmpty || key.contains(index)
            guard isKey && !key.contains(index) || !isOther else { throw Ambiguous() }
            let pair = columns.pairs[index]
            let change = TableDifference.Change(
                row: .init(ordinal: 0, key: try rowKey(key, before, \.before, \.nameBefore)),
                before: try before.value(pair.before, named: pair.nameBefore),
                after: try after.value(pair.after, named: pair.nameAfter))
            difference.note(change, column: index)
        }
    }

    private func rowKey(
        _ key: [Int], _ table: RecordTable, _ column: KeyPath<RecordColumns.Pair, RecordLayout.Column>,
        _ name: KeyPath<RecordColumns.Pair, String>
    ) throws -> [SQLValue] {
        if key.isEmpty { return [.integer(table.rowid)] }
        return try key.map {
            try table.value(columns.pairs[$0][keyPath: column], named: columns.pairs[$0][keyPath: name])
        }
    }

    /// Compares rows in order regardless of rowids, as a copy into a new table leaves them.
    /// - Returns: nil where the rows are not the same in the same order.
    private func sequence() throws -> TableDifference? {
        var (old, new) = (
            try TreeCursor(before.file, root: before.root), try TreeCursor(after.file, root: after.root)
        )
        var difference = TableDifference()
        difference.keyColumns = ["rowid"]
        do {
            while let entry = try old.next() {
                guard let other = try new.next() else { return nil }
                try before.read(entry)
                try after.read(other)
                guard try columns.isSame(before, after) else { return nil }
                difference.rowsCompared += 1
            }
        } catch is PageConservation.NoDefault {
            return nil
        }
        return try new.next() == nil ? difference : nil
    }
}

extension Collation {
    package init?(name: String) {
        switch name.foldedASCII {
        case "binary": self = .binary
        case "nocase": self = .nocase
        case "rtrim": self = .rtrim
        default: return nil
        }
    }
}
