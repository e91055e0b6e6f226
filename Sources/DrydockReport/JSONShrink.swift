import Drydock

/// What `drydock shrink` did, in the JSON contract.
package struct JSONShrink: Encodable {
    var snapshot, migration, folder, script: String
    /// The pending migrations that are needed.
    var migrations: [String]
    var bytesBefore, bytesAfter, rows, statementsBefore, statementsAfter, runs: Int
    var tables: [String]
    /// The columns that have values of the snapshot; missing where all values were to be kept.
    var keptColumns: [String]?
    var isSmallest, isSameCause, isScriptExact, isVerified: Bool
    /// The rules of other errors and warnings that verify gives in the folder.
    var others: [String]
    var seconds: Double

    /// Returns the document.
    package static func text(
        _ shrunk: ShrunkFinding, folder: String, _ options: RenderOptions
    ) -> String {
        var finding = shrunk.finding
        if options.redacts { finding.counterexample = nil }
        let body = JSONShrink(
            snapshot: shrunk.snapshot, migration: shrunk.migration, folder: folder,
            script: folder + "/finding.sql", migrations: shrunk.migrations, bytesBefore: shrunk.bytes.before,
            bytesAfter: shrunk.bytes.after,
            rows: shrunk.rowCount, statementsBefore: shrunk.statements.before,
            statementsAfter: shrunk.statements.after, runs: shrunk.runs, tables: shrunk.tables,
            keptColumns: shrunk.keptColumns, isSmallest: shrunk.isSmallest,
            isSameCause: shrunk.isSameCause, isScriptExact: shrunk.isScriptExact,
            isVerified: shrunk.project.isVerified, others: shrunk.project.others.map(\.rawValue),
            seconds: rounded(shrunk.seconds))
        return jsonText(
            JSONEnvelope(
                command: "shrink", hasFailed: !shrunk.project.isVerified, failure: finding, options: options,
                body))
    }
}
