import DrydockFindings
import DrydockMigrations
import DrydockState
import DatabaseEngine
import OverlayVFS
import SQLiteSchema

/// Finds out which rows, or which names, made a statement of a migration fail.
///
/// The snapshot is at hand: the migration is run again on a fork up to the statement, and the database that it meets
/// there is asked.
struct FailureInvestigation: Sendable {
    let migration: Migration
    let before: DatabaseState
    let engine: any Engine
    let inspector: StateInspector
    var format: (any MigrationFormat)?

    static let beforeSchema = "before_step"

    /// What is asked, in this order; the first answer counts.
    private static let explainers: [any FailureExplainer] = [
        DuplicateKeyExplainer(), NullExplainer(), CheckExplainer(), StoredTypeExplainer(), JSONExplainer(),
        ForeignKeyExplainer(), SearchIndexExplainer(), DependentExplainer(), MissingNameExplainer(),
    ]

    /// The finding with the rows or the name to blame, where they are found.
    /// - Throws: ``EngineError`` where the run was stopped.
    func explaining(_ finding: Finding, _ error: any Error) async throws -> Finding {
        // What a closure would have run next is not known.
        guard migration.closureChecks == nil else { return finding }
        do {
            switch error {
            case let failure as StatementFailure:
                return try await explanation(of: failure.error, at: failure.index)?.added(to: finding)
                    ?? finding
            case let failure as RunnerFailure where failure.isForeignKeyViolation:
                return try await explainingCommit(finding)
            default: return finding
            }
        } catch let error as EngineError where !error.isInterrupt {
            // What can be said more is a help; the finding stands without it.
            return finding
        } catch is StatementFailure {
            return finding
        }
    }

    /// A commit was refused: the statement to blame is one of those that ran.
    private func explainingCommit(_ finding: Finding) async throws -> Finding {
        let end = migration.statements.count
        guard let fault = try await explanation(of: .foreignKeyCheck, at: end)?.fault else { return finding }
        let probe = CulpritProbe.fault(ForeignKeyRule(), fault.id, baseline: fault.baseline)
        let placed = try await CulpritSearch(
            migration: migration, before: before, engine: engine, inspector: inspector
        ).placing([StepFinding(finding, probe: probe)])[0]
        return try await explanation(of: .foreignKeyCheck, at: end, culprit: placed.culprit)?
            .added(to: placed.finding) ?? placed.finding
    }

    /// - Parameters:
    ///   - index: of the statement that failed; one past the last where the commit was refused.
    ///   - culprit: the statement to blame, where it is another.
    private func explanation(
        of error: EngineError, at index: Int, culprit: Int? = nil
    ) async throws -> FailureExplanation? {
        let overlay = try Overlay(before.image)
        var settings = inspector.settings
        settings.foreignKeys = migration.enforcesForeignKeys
        let database = try await engine.open(overlay, settings: settings)
        let uri = overlay.attach(before.image).replacing("'", with: "''")
        let (migration, before, format) = (migration, before, format)
        let outcome: Result<FailureExplanation?, any Error>
        do {
            outcome = .success(
                try await database.withConnection { connection in
                    try connection.execute("ATTACH '\(uri)' AS \(Self.beforeSchema)")
                    if migration.transaction != .none { try connection.execute("BEGIN IMMEDIATE") }
                    defer { if connection.isInTransaction { try? connection.execute("ROLLBACK") } }
                    for (place, statement) in migration.statements.prefix(index).enumerated() {
                        try MigrationRun.run(statement, at: place, on: connection)
                    }
                    let scene = try FailureScene(
                        connection: connection, migration: migration, index: index, error: error,
                        culprit: culprit ?? (migration.statements.indices.contains(index) ? index : nil),
                        before: before, format: format)
                    for explainer in Self.explainers {
                        if let explanation = try explainer.explanation(of: scene) { return explanation }
                    }
                    return nil
                })
        } catch {
            outcome = .failure(error)
        }
        try await database.close()
        return try outcome.get()
    }
}

extension RunnerFailure {
    /// The tool's COMMIT was refused for rows that reference what does not exist.
    fileprivate var isForeignKeyViolation: Bool {
        moment == .commit && (error as? EngineError)?.isForeignKeyViolation == true
    }
}

/// Knows one kind of failure.
protocol FailureExplainer: Sendable {
    /// - Returns: nil for a failure of another kind, or one about which nothing more is known.
    /// - Throws: ``EngineError``.
    func explanation(of scene: FailureScene) throws -> FailureExplanation?
}

/// What is known of a failure beyond SQLite's own message.
struct FailureExplanation: Sendable {
    /// Is appended to the message, with its own punctuation.
    var detail = ""
    /// The same without values of rows; nil where it has none.
    var redactedDetail: String?
    /// What to do, in place of the general advice.
    var help: String?
    var table: String?
    var evidence: Evidence?
    /// The violation, and how much of it the state before had.
    var fault: (id: Fault.ID, baseline: Int)?

    func added(to finding: Finding) -> Finding {
        var finding = finding
        if redactedDetail != nil || finding.redactedMessage != nil {
            finding.redactedMessage =
                (finding.redactedMessage ?? finding.message) + (redactedDetail ?? detail)
        }
        finding.message += detail
        finding.help = help ?? finding.help
        finding.table = table ?? finding.table
        finding.evidence = evidence ?? finding.evidence
        return finding
    }
}

/// A database as the failing statement meets it, on a fork that may be written.
struct FailureScene {
    let connection: any Connection
    let migration: Migration
    /// The statement that failed; one past the last where the commit was refused.
    let index: Int
    let error: EngineError
    /// The statement to blame, where it is known.
    let culprit: Int?
    let before: DatabaseState
    let format: (any MigrationFormat)?
    let schema: Schema
    /// What the statements before it did to names.
    let lineage: TableLineage

    init(
        connection: any Connection, migration: Migration, index: Int, error: EngineError, culprit: Int?,
        before: DatabaseState, format: (any MigrationFormat)?
    ) throws {
        self.connection = connection
        (self.migration, self.index, self.error) = (migration, index, error)
        (self.culprit, self.before, self.format) = (culprit, before, format)
        let rows = try connection.rows("SELECT type, name, tbl_name, sql FROM main.sqlite_schema") {
            SchemaRow(type: $0.string(0), name: $0.string(1), table: $0.string(2), sql: $0.optionalString(3))
        }
        schema = SchemaParser().schema(of: rows)
        lineage = TableLineage(
            before.catalog, statements: Array(migration.statements.prefix(index)))
    }

    var statement: SQLStatement? {
        migration.statements.indices.contains(index) ? migration.statements[index] : nil
    }

    func sample(_ value: SQLValue) -> Evidence.Sample {
        Evidence.Sample(value, encoding: before.catalog.encoding)
    }

    /// What a column of a table was before the step, as declarations name it; nil for a new one.
    func origin(of column: String, in table: String) -> String? {
        guard let incarnation = lineage[table], let origin = incarnation.origin,
            let old = before.catalog.table(origin), let name = old.column(incarnation.firstName(column))
        else { return nil }
        return "\(quotedIfNeeded(old.name)).\(quotedIfNeeded(name.name))"
    }
}

extension Table {
    /// A name by which the rowid can be selected, where the table has one that no column hides.
    var rowidName: String? {
        guard !isWithoutRowid else { return nil }
        return ["rowid", "_rowid_", "oid"].first { column($0) == nil }
    }
}
