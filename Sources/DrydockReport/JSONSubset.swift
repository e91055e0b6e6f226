import Drydock

/// What `drydock snapshot take` did, in the JSON contract.
package struct JSONSubset: Encodable {
    struct Table: Encodable {
        var table: String
        var rows: Int
        /// How many the database has; missing where they were not counted.
        var total: Int?
    }

    struct Orphans: Encodable {
        var table: String
        var columns: [String]
        var parent: String
        var rows: Int
    }

    struct Column: Encodable {
        var table, column, reason: String

        init(_ column: MaskSummary.Column) {
            (table, self.column, reason) = (column.table, column.column, column.reason)
        }
    }

    var database, output: String
    var isWritten: Bool
    var bytesBefore, bytesAfter, rows: Int
    var seed: UInt64
    var tables: [Table]
    var orphans: [Orphans]
    var masked, unmasked, unsettled: [Column]
    /// Whether no other run gives the same masks.
    var hasRandomKey: Bool
    var notes: [String]
    var seconds: Double

    /// Returns the document.
    package static func text(_ report: SubsetReport) -> String {
        let body = JSONSubset(
            database: report.database, output: report.output, isWritten: report.isWritten,
            bytesBefore: report.bytes.before, bytesAfter: report.bytes.after, rows: report.rowCount,
            seed: report.seed,
            tables: report.tables.map { Table(table: $0.table, rows: $0.rows, total: $0.total) },
            orphans: report.orphans.map {
                Orphans(table: $0.table, columns: $0.columns, parent: $0.parent, rows: $0.rows)
            },
            masked: report.masks.masked.map(Column.init), unmasked: report.masks.left.map(Column.init),
            unsettled: report.masks.unsettled.map(Column.init), hasRandomKey: report.masks.hasRandomKey,
            notes: report.notes, seconds: rounded(report.seconds))
        return jsonText(JSONEnvelope(command: "snapshot take", hasFailed: !report.isWritten, body))
    }
}
