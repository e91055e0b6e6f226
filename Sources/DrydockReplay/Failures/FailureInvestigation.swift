import DatabaseEngine
import DrydockConservation
import DrydockFindings
import DrydockMigrations
import DrydockState
import SQLiteSchema

/// Finds out which rows, or which names, made a statement of a migration fail.
///
/// The migration is run again on a fork of the snapshot up to the statement, and the database at that point is queried.
package struct FailureInvestigation: Sendable {
    package let migration: Migration
    package let before: DatabaseState
    package let engine: any Engine
    package let inspector: StateInspector
    package var format: (any MigrationFormat)?

    package init(
        migration: Migration, before: DatabaseState, engine: any Engine, inspector: StateInspector,
        format: (any MigrationFormat)? = nil
    ) {
        self.migration = migration
        self.before = before
        self.engine = engine
        self.inspector = inspector
        self.format = format
    }

    /// The explainers in the order in which they are tried; the first answer counts.
    private static let explainers: [any FailureExplainer] = [
        TriggerExplainer(), DuplicateKeyExplainer(), NullExplainer(), CheckExplainer(), StoredTypeExplainer(),
        JSONExplainer(),
        ForeignKeyExplainer(),
    ]

    /// Returns the finding with the rows or the name that caused it, where they are found.
    /// - Throws: ``EngineError`` where the run was stopped.
    package func explaining(_ finding: Finding, _ error: any Error) async throws -> Finding {
        // The statements that a closure would have run next are not known.
        guard migration.closureChecks == nil else { return finding }
        do {
            switch error {
            case let failure as StatementFailure:
                var explained =
                    try await explanation(of: failure.error, at: failure.index)?.added(to: finding) ?? finding
                explain(&explained, failure)
                return explained
            case let failure as RunnerFailure where failure.isForeignKeyViolation:
                return try await explainingCommit(finding)
            default: return finding
            }
        } catch let error as EngineError where !error.isInterrupt {
            // The explanation is only helpful; the finding stands without it.
            return finding
        } catch is StatementFailure {
            return finding
        }
    }

    /// Adds that a table of the failing statement is not the one which the migration seems to have created.
    private func explain(_ finding: inout Finding, _ failure: StatementFailure) {
        guard migration.statements.indices.contains(failure.index) else { return }
        let (statement, message) = (migration.statements[failure.index], failure.error.message)
        let isTaken = SQLiteMessage.uniqueFailed.matches(message)
        let idle = IdleCreation.all(in: [migration], from: before.catalog).last { creation in
            guard creation.index < failure.index, statement.mentions(creation.table) else { return false }
            switch creation.kind {
            case .table where creation.isSame:
                return isTaken && statement.action.target?.folded == creation.table.foldedASCII
            case .table:
                return SQLiteMessage.isWrongValueCount(message)
                    || creation.missing.contains { statement.mentions($0) }
            case .index: return !creation.isSame && statement.first(["on", "conflict"]) != nil
            default: return false
            }
        }
        guard let idle else { return }
        finding.sentence += "; \(idle.cause)"
        finding.add(reason: idle.cause)
        finding.advice = Help(idle.help)
    }

    /// Explains a refused commit: one of the statements that ran is the cause.
    private func explainingCommit(_ finding: Finding) async throws -> Finding {
        let end = migration.statements.count
        guard let probe = try await explanation(of: .foreignKeyCheck, at: end)?.probe else { return finding }
        let placed = try await CulpritSearch(
            migration: migration, before: before, engine: engine, inspector: inspector
        ).placing([StepFinding(finding, probe: probe)])[0]
        return try await explanation(of: .foreignKeyCheck, at: end, culprit: placed.culprit)?
            .added(to: placed.finding) ?? placed.finding
    }

    /// - Parameters:
    ///   - index: the index of the statement that failed; one past the last where the commit was refused.
    ///   - culprit: the statement that is the cause, where it is a different one.
    private func explanation(
        of error: EngineError, at index: Int, culprit: Int? = nil
    ) async throws -> FailureExplanation? {
        let fork = StepFork(migration: migration, before: before, engine: engine, inspector: inspector)
        let (migration, before, format) = (migration, before, format)
        return try await fork.withConnection { connection in
            try fork.run(upTo: index, on: connection)
            let fixture = try FailureFixture(
                connection: connection, migration: migration, index: index, error: error,
                culprit: culprit ?? (migration.statements.indices.contains(index) ? index : nil),
                before: before, format: format)
            for explainer in Self.explainers {
                guard let explanation = try explainer.explanation(of: fixture) else { continue }
                return try FurtherFaults(fixture: fixture).added(to: explanation)
            }
            return try fixture.refused.explanation()
        }
    }
}

extension RunnerFailure {
    /// Whether the tool's COMMIT was refused because rows reference parents that do not exist.
    fileprivate var isForeignKeyViolation: Bool {
        phase == .commit && (error as? EngineError)?.isForeignKeyViolation == true
    }
}

/// Explains one kind of failure.
protocol FailureExplainer: Sendable {
    /// - Returns: nil for a failure of another kind, or one about which nothing more is known.
    /// - Throws: ``EngineError``.
    func explanation(of fixture: FailureFixture) throws -> FailureExplanation?
}

/// The database at the failing statement, on a fork that may be written.
struct FailureFixture {
    let refused: RefusedStatement
    /// The statement that is the cause, where it is known.
    let culprit: Int?
    let before: DatabaseState
    let format: (any MigrationFormat)?
    private let unchecked: UncheckedRows.Memo

    init(
        connection: any Connection, migration: Migration, index: Int, error: EngineError, culprit: Int?,
        before: DatabaseState, format: (any MigrationFormat)?
    ) throws {
        (self.culprit, self.before, self.format) = (culprit, before, format)
        unchecked = UncheckedRows.Memo()
        let rows = try connection.rows("SELECT type, name, tbl_name, sql FROM main.sqlite_schema") {
            SchemaRow(type: $0.string(0), name: $0.string(1), table: $0.string(2), sql: $0.optionalString(3))
        }
        refused = RefusedStatement(
            connection: connection, migration: migration, index: index, error: error,
            schema: SchemaParser().schema(of: rows),
            lineage: TableLineage(before.catalog, statements: Array(migration.statements.prefix(index))),
            earlierColumns: { before.catalog.table($0)?.columns.map(\.name) ?? [] })
    }

    private init(_ other: FailureFixture, error: EngineError) {
        (culprit, before, format, unchecked) = (other.culprit, other.before, other.format, other.unchecked)
        let refused = other.refused
        self.refused = RefusedStatement(
            connection: refused.connection, migration: refused.migration, index: refused.index, error: error,
            schema: refused.schema, lineage: refused.lineage, earlierColumns: refused.earlierColumns)
    }

    /// Returns the fixture as if SQLite had said something else.
    func failing(with error: EngineError) -> FailureFixture { FailureFixture(self, error: error) }

    /// The rows that the statement would have written without constraints; nil where they cannot be made.
    func uncheckedRows() throws -> UncheckedRows? { try unchecked.rows { try UncheckedRows(self) } }

    var connection: any Connection { refused.connection }
    var migration: Migration { refused.migration }
    /// The statement that failed; one past the last where the commit was refused.
    var index: Int { refused.index }
    var error: EngineError { refused.error }
    var schema: Schema { refused.schema }
    var lineage: TableLineage { refused.lineage }
    var statement: SQLStatement? { refused.statement }

    func sample(_ value: SQLValue) -> Evidence.Sample {
        Evidence.Sample(value, encoding: before.catalog.encoding)
    }

    /// Returns a column's name before the step, as declarations use it; nil for a new column.
    func origin(of column: String, in table: String) -> String? {
        guard let trackedTable = lineage[table], let origin = trackedTable.origin,
            let old = before.catalog.table(origin), let name = old.column(trackedTable.firstName(column))
        else { return nil }
        return "\(quotedIfNeeded(old.name)).\(quotedIfNeeded(name.name))"
    }
}

extension Table {
    /// A name by which the rowid can be selected; nil where there is no rowid or columns hide all of its names.
    package var rowidName: String? {
        guard !isWithoutRowid else { return nil }
        return ["rowid", "_rowid_", "oid"].first { column($0) == nil }
    }
}
