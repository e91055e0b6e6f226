import DrydockState
import DrydockMigrations
import SQLiteSchema

/// A table before a step and its successor, column by column.
package struct TableMatch: Sendable {
    package struct ColumnPair: Sendable {
        package var before: Catalog.Column
        package var after: Catalog.Column
        /// Whether the rename is only inferred from a copying statement or from values, and must be confirmed by every
        /// value.
        package var isGuess = false
        /// Further candidates for the case that the values do not confirm the rename.
        var alternatives: [Catalog.Column] = []

        package init(
            before: Catalog.Column, after: Catalog.Column, isGuess: Bool = false,
            alternatives: [Catalog.Column] = []
        ) {
            self.before = before
            self.after = after
            self.isGuess = isGuess
            self.alternatives = alternatives
        }
    }

    package var before: Catalog.Table
    package var after: Catalog.Table
    /// Pairs whose values must be equal: at least one side stores them.
    package var columns: [ColumnPair]
    /// Pairs of columns that are generated on both sides.
    var derived: [ColumnPair] = []
    package var droppedColumns: [Catalog.Column]
    /// Whether a declaration that names the later table refers to this one: false where two tables swap their names.
    var answersToLaterName = true

    /// Every pair of columns, compared or not.
    package var allColumns: [ColumnPair] { columns + derived }

    package init(
        before: Catalog.Table, after: Catalog.Table, columns: [ColumnPair], derived: [ColumnPair] = [],
        droppedColumns: [Catalog.Column]
    ) {
        self.before = before
        self.after = after
        self.columns = columns
        self.derived = derived
        self.droppedColumns = droppedColumns
    }
}

extension TableMatch {
    /// Whether a name in a declaration refers to this table: the name before the step or after it.
    package func isCalled(_ name: String) -> Bool {
        before.name.foldedASCII == name.foldedASCII
            || answersToLaterName && after.name.foldedASCII == name.foldedASCII
    }
}

extension TableMatch.ColumnPair {
    package func isCalled(_ name: String) -> Bool {
        [before.name.foldedASCII, after.name.foldedASCII].contains(name.foldedASCII)
    }
}
