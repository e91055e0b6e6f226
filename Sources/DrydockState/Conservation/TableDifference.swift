import DrydockFindings
import DatabaseEngine

/// How the rows of a table differ from what they were. Every row was counted; a few are kept to be shown.
package struct TableDifference: Sendable {
    package struct Row: Sendable {
        /// Its place in the table before the step, in the order of ``TableComparison/beforeOrder``; for an
        /// added row, its place afterwards. Negative where it is not known.
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
    }

    package struct Change: Sendable {
        package var row: Row
        package var before: SQLValue
        package var after: SQLValue
    }

    /// The changed values of a column. The samples are the most telling ones: values that the new ones do not give
    /// back come first, then what was NULL, then what only changed its storage class.
    package struct Changes: Sendable {
        package var count: Int { counts.reduce(0, +) }
        package var samples: [Change] { kept.flatMap(\.self).prefix(Evidence.rowLimit).map(\.self) }
        /// How many of them replaced a value other than NULL.
        var overwrittenCount: Int { count - self[.filled].count }
        /// By kind, in the order of ``ValueChange``; of each as many as can be shown.
        private var counts = ValueChange.allCases.map { _ in 0 }
        private var kept: [[Change]] = ValueChange.allCases.map { _ in [] }

        /// Of each kind the least change, which is the same in whatever order rows are read.
        private var examples: [Change?] = ValueChange.allCases.map { _ in nil }

        package subscript(kind: ValueChange) -> (count: Int, example: Change?) {
            (counts[kind.rawValue], examples[kind.rawValue])
        }

        mutating func note(_ change: Change, _ encoding: TextEncoding) {
            let kind = ValueChange(from: change.before, to: change.after, encoding).rawValue
            counts[kind] += 1
            if let example = examples[kind] {
                let isLess =
                    change.before == example.before
                    ? change.after.sorts(before: example.after) : change.before.sorts(before: example.before)
                if isLess { examples[kind] = change }
            } else {
                examples[kind] = change
            }
            if kept[kind].count < Evidence.rowLimit { kept[kind].append(change) }
        }
    }

    /// How both states store text.
    var encoding = TextEncoding.utf8
    /// Rows of the table before the step that were read.
    package var rowsCompared = 0
    /// All rows of the table before the step, where not all were read.
    package var rowsBefore: Int?
    /// Names of the columns in ``Row/key``.
    package var keyColumns: [String] = []
    /// By position in the match's column pairs, what the rows are ordered and known by; nil for the rowid.
    var keyPositions: [Int]?
    package var lost = Rows()
    /// Lost rows that a declaration covers.
    package var declaredLost = 0
    /// Which of the declared conditions they met, by position.
    var usedConditions: Set<Int> = []
    /// Columns that were left out of the comparison, by position: rewritten, and needed to know a row by.
    package var uncompared: Set<Int> = []
    package var added = Rows()
    /// By position in the match's column pairs.
    package var changed: [Int: Changes] = [:]

    /// Whether the rows' ordinals are known; where they are not, the key finds a row.
    var hasOrdinals = true

    /// How to find a row again in the table before the step.
    package enum Locator: Sendable {
        case rowid(Int64)
        /// Its values in these column pairs.
        case key([SQLValue], positions: [Int])
        /// Its place, from zero, in the order of these column pairs.
        case ordinal(Int, keyPositions: [Int])
    }

    package func locator(of row: Row) -> Locator? {
        if let keyPositions, !hasOrdinals || row.ordinal < 0 { return .key(row.key, positions: keyPositions) }
        if let keyPositions { return .ordinal(row.ordinal, keyPositions: keyPositions) }
        guard case .integer(let rowid)? = row.key.first else { return nil }
        return .rowid(rowid)
    }

    /// - Parameter column: its position in the match's column pairs.
    mutating func note(_ change: Change, column: Int) {
        changed[column, default: .init()].note(change, encoding)
    }

    /// - Parameter condition: the number of the declared condition that lets the row go, from 1; 0 for none.
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
