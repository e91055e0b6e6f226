import DrydockState
import DatabaseEngine

/// Merges two statements in the same order, and reports the rows that only one of them has.
package final class RowMerge {
    /// A row that was not paired at once.
    package struct Row {
        var ordinal: Int
        package var values: [SQLValue]
        /// The number of the declared condition that allows the row to go, from 1; 0 for none.
        var condition: Int
        /// The integer in the carried column.
        package var carried: Int64?
    }

    package enum Event {
        case lost(Row)
        case added(Row)
        /// Rows with the same key and different values.
        case changed(Row, Row)
    }

    private let before: any PreparedStatement
    private let after: any PreparedStatement
    private let keyCount: Int
    private let columnCount: Int
    private let condition: Int?
    /// A column that is passed through and not compared.
    package var carried: Int?
    /// The number of rows on each side.
    private(set) var rowsBefore = 0
    private(set) var rowsAfter = 0
    private var hasBefore = false
    private var hasAfter = false

    /// - Parameters:
    ///   - keyCount: the number of leading columns by which both are ordered.
    ///   - columnCount: the number of compared columns.
    ///   - condition: the column of the earlier side with the number of the condition that allows the row to go.
    package init(
        before: any PreparedStatement, after: any PreparedStatement, keyCount: Int, columnCount: Int,
        condition: Int? = nil
    ) {
        self.condition = condition
        self.before = before
        self.after = after
        self.keyCount = keyCount
        self.columnCount = columnCount
    }

    package func run(_ report: (Event) throws -> Void) throws {
        try stepBefore()
        try stepAfter()
        while hasBefore || hasAfter {
            let order =
                !hasBefore
                ? 1 : !hasAfter ? -1 : RowOrder.compare(before.handle, after.handle, columns: keyCount)
            if order < 0 {
                try report(.lost(row(of: before, at: rowsBefore)))
                try stepBefore()
            } else if order > 0 {
                try report(.added(row(of: after, at: rowsAfter)))
                try stepAfter()
            } else if RowOrder.areSame(before.handle, after.handle, columns: columnCount) {
                try stepBefore()
                try stepAfter()
            } else {
                try settleGroup(report)
            }
        }
    }

    /// Settles the rows that share a key: equal ones are paired, then the rest in their order; the surplus is lost or
    /// added. Groups of a real key have one row.
    private func settleGroup(_ report: (Event) throws -> Void) throws {
        var old = try group(
            of: before, position: { self.rowsBefore }, isAtRow: { self.hasBefore }, step: stepBefore)
        var counts: [[SQLValue]: Int] = [:]
        let all = try group(
            of: after, position: { self.rowsAfter }, isAtRow: { self.hasAfter }, step: stepAfter)
        for row in all { counts[row.values, default: 0] += 1 }
        old.removeAll { row in
            guard let count = counts[row.values], count > 0 else { return false }
            counts[row.values] = count - 1
            return true
        }
        // The counts that remain are those of the unpaired rows.
        var new: [Row] = []
        for row in all.reversed() {
            guard let count = counts[row.values], count > 0 else { continue }
            counts[row.values] = count - 1
            new.append(row)
        }
        new.reverse()
        for (a, b) in zip(old, new) { try report(.changed(a, b)) }
        for row in old.dropFirst(new.count) { try report(.lost(row)) }
        for row in new.dropFirst(old.count) { try report(.added(row)) }
    }

    private func group(
        of statement: any PreparedStatement, position: () -> Int, isAtRow: () -> Bool, step: () throws -> Void
    ) throws -> [Row] {
        var rows = [row(of: statement, at: position())]
        let key = rows[0].values[..<keyCount]
        try step()
        while isAtRow() {
            let next = row(of: statement, at: position())
            guard zip(key, next.values).allSatisfy({ tie($0, $1) }) else { break }
            rows.append(next)
            try step()
        }
        return rows
    }

    /// Whether two values have the same position in the order.
    private func tie(_ a: SQLValue, _ b: SQLValue) -> Bool {
        switch (a, b) {
        case (.integer(let a), .real(let b)), (.real(let b), .integer(let a)): RowOrder.compare(a, b) == 0
        case (.real(let a), .real(let b)): a == b
        default: a == b
        }
    }

    private func row(of statement: any PreparedStatement, at position: Int) -> Row {
        Row(
            ordinal: position - 1, values: (0..<columnCount).map(statement.value),
            condition: statement === before ? condition.map { Int(statement.integer($0)) } ?? 0 : 0,
            carried: carried.map(statement.integer))
    }

    private func stepBefore() throws {
        hasBefore = try before.step()
        if hasBefore { rowsBefore += 1 }
    }

    private func stepAfter() throws {
        hasAfter = try after.step()
        if hasAfter { rowsAfter += 1 }
    }
}
