import DrydockState
import SQLiteSchema
import DrydockFindings
import DatabaseEngine

/// How the rows of a table differ before and after a step. Every row is counted; a few are kept as samples.
package struct TableDifference: Sendable {
    package struct Row: Sendable {
        /// The row's position in the table before the step, in the order of ``TableComparison/beforeOrder``; for an
        /// added row, its position after the step. Negative where it is not known.
        var ordinal: Int
        package var key: [SQLValue]
    }

    package struct Rows: Sendable {
        package var count = 0
        package var samples: [Row] = []

        mutating func note(_ row: @autoclosure () -> Row) {
            count += 1
            if samples.count < Evidence.rowLimit { samples.append(row()) }
        }

        /// Adds rows that come after these.
        mutating func add(_ later: Rows) {
            count += later.count
            samples += later.samples.prefix(Evidence.rowLimit - samples.count)
        }
    }

    package struct Change: Sendable {
        package var row: Row
        package var before: SQLValue
        package var after: SQLValue
    }

    /// The changed values of a column. The samples show the worst changes first: values that cannot be recovered from
    /// the new ones, then former NULLs, then changes of the storage class only.
    package struct Changes: Sendable {
        package var count: Int { counts.reduce(0, +) }
        package var samples: [Change] { kept.flatMap(\.self).prefix(Evidence.rowLimit).map(\.self) }
        /// The number of changes that replaced a value other than NULL.
        var overwrittenCount: Int { count - self[.filled].count }
        /// Counts by kind, in the order of ``ValueChange``; for each kind, as many samples as can be shown.
        private var counts = ValueChange.allCases.map { _ in 0 }
        private var kept: [[Change]] = ValueChange.allCases.map { _ in [] }

        /// The smallest change of each kind, which does not depend on the order in which rows are read.
        private var examples: [Change?] = ValueChange.allCases.map { _ in nil }

        package subscript(kind: ValueChange) -> (count: Int, example: Change?) {
            (counts[kind.rawValue], examples[kind.rawValue])
        }

        mutating func note(_ change: Change, _ encoding: TextEncoding) {
            let kind = ValueChange(from: change.before, to: change.after, encoding).rawValue
            counts[kind] += 1
            noteExample(change, kind)
            if kept[kind].count < Evidence.rowLimit { kept[kind].append(change) }
        }

        private mutating func noteExample(_ change: Change, _ kind: Int) {
            if let example = examples[kind] {
                let isLess =
                    change.before == example.before
                    ? change.after.sorts(before: example.after) : change.before.sorts(before: example.before)
                if isLess { examples[kind] = change }
            } else {
                examples[kind] = change
            }
        }

        /// Adds changes of rows that come after these.
        mutating func add(_ later: Changes) {
            for kind in counts.indices {
                counts[kind] += later.counts[kind]
                if let example = later.examples[kind] { noteExample(example, kind) }
                kept[kind] += later.kept[kind].prefix(Evidence.rowLimit - kept[kind].count)
            }
        }
    }

    /// The text encoding of both states.
    var encoding = TextEncoding.utf8
    /// The number of rows read of the table before the step.
    package var rowsCompared = 0
    /// The number of all rows of the table before the step, where not all were read.
    package var rowsBefore: Int?
    /// The names of the columns in ``Row/key``.
    package var keyColumns: [String] = []
    /// Positions of the column pairs that order and identify the rows; nil for the rowid.
    var keyPositions: [Int]?
    package var lost = Rows()
    /// The number of lost rows that a declaration covers.
    package var declaredLost = 0
    /// Positions of the declared conditions that those rows matched.
    var usedConditions: Set<Int> = []
    /// Positions of the columns left out of the comparison: rewritten, and needed to identify a row.
    package var uncompared: Set<Int> = []
    package var added = Rows()
    /// Changes by position of the column pair.
    package var changed: [Int: Changes] = [:]

    /// Whether the rows' ordinals are known; otherwise a row is found by its key.
    var hasOrdinals = true

    /// How to find a row again in the table before the step.
    package enum Locator: Sendable {
        case rowid(Int64)
        /// By its values in these column pairs.
        case key([SQLValue], positions: [Int])
        /// By its position, from zero, in the order of these column pairs.
        case ordinal(Int, keyPositions: [Int])
    }

    package func locator(of row: Row) -> Locator? {
        if let keyPositions, !hasOrdinals || row.ordinal < 0 { return .key(row.key, positions: keyPositions) }
        if let keyPositions { return .ordinal(row.ordinal, keyPositions: keyPositions) }
        guard case .integer(let rowid)? = row.key.first else { return nil }
        return .rowid(rowid)
    }

    /// - Parameter column: the position of the column pair.
    mutating func note(_ change: Change, column: Int) {
        changed[column, default: .init()].note(change, encoding)
    }

    /// Adds the difference of rows that come after these, compared in the same way.
    mutating func add(_ later: TableDifference) {
        rowsCompared += later.rowsCompared
        lost.add(later.lost)
        added.add(later.added)
        for (column, changes) in later.changed { changed[column, default: .init()].add(changes) }
    }

    /// - Parameter condition: the number of the declared condition that allows the row to go, from 1; 0 for none.
    mutating func note(lost ordinal: Int, key: [SQLValue], condition: Int) {
        guard condition == 0 else {
            declaredLost += 1
            usedConditions.insert(condition - 1)
            return
        }
        lost.note(.init(ordinal: ordinal, key: key))
    }

    var isEmpty: Bool { lost.count == 0 && declaredLost == 0 && added.count == 0 && changed.isEmpty }
}
