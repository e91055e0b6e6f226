/// A source of the rows of one table that differ, which can be read any number of times.
///
/// ``PageRows`` reads them from the pages, ``SQLRows`` through SQL; both return the same rows.
package protocol RowDiffSource {
    var identity: TableDataDiff.Identity { get }

    /// - Throws: ``EngineError``, FileDamage, ``RowsUndecided``, and what `body` throws.
    func forEach(_ detail: RowDetail, _ body: (RowDifference) throws -> Void) throws
}

/// An error that says that the pages cannot decide and SQL is needed.
struct RowsUndecided: Error {}

extension TableDataDiff {
    /// Counts the rows that differ.
    package mutating func count(_ source: some RowDiffSource, _ detail: RowDetail) throws {
        identity = source.identity
        (added, removed, changed) = (0, 0, 0)
        changes = Array(repeating: 0, count: columns.count)
        var copy = self
        try source.forEach(detail) { row in
            switch row.kind {
            case .added: copy.added += 1
            case .removed: copy.removed += 1
            case .changed:
                copy.changed += 1
                for change in row.changes { copy.changes[change.column] += 1 }
            }
        }
        self = copy
    }
}
