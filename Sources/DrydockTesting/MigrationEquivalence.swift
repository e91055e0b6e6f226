import DatabaseEngine
import Drydock
import OverlayVFS
import SQLiteSchema

/// Compares two sets of migrations: whether both give a database the same schema and the same rows.
struct MigrationEquivalence: Sendable {
    /// Runs migrations on a database that exists only in memory.
    typealias Run = @Sendable (any OpenDatabase) async throws -> Void

    private let settings: ConnectionSettings
    private let historyTables: [String]
    private let old: (engine: any Engine, run: Run)
    private let new: (engine: any Engine, run: Run)

    init(
        settings: ConnectionSettings, historyTables: [String], old: (engine: any Engine, run: Run),
        new: (engine: any Engine, run: Run)
    ) {
        self.settings = settings
        self.historyTables = historyTables
        self.old = old
        self.new = new
    }

    /// Returns how the two sets differ from one starting point.
    /// - Parameters:
    ///   - snapshot: the starting point of both; nil for an empty database.
    ///   - name: the name of the starting point in messages.
    ///   - prepare: creates the starting point, using the old engine.
    /// - Throws: the errors of `prepare`.
    func findings(
        from snapshot: Snapshot?, named name: String, prepare: Run
    ) async throws -> [Finding] {
        let base = try await base(snapshot, prepare)
        let (before, after): (Image, Image)
        do {
            before = try await state(after: old, from: base)
        } catch {
            return [failure(error, "the old migrator", name)]
        }
        do {
            after = try await state(after: new, from: base)
        } catch {
            return [failure(error, "the new migrator", name)]
        }
        let inspector = StateInspector(engine: old.engine, settings: settings, historyTables: historyTables)
        let catalogs = (try await inspector.catalog(of: before), try await inspector.catalog(of: after))
        let conservation = try await inspector.withConnection(to: before, attaching: after) { connection in
            try Conservation(
                connection: connection, before: catalogs.0, after: catalogs.1,
                lineage: TableLineage(tables: catalogs.0.tableNames), declarations: [])
        }
        return schemaFindings(catalogs.0, catalogs.1, name) + rowFindings(conservation, name)
    }

    // MARK: - States

    private func base(_ snapshot: Snapshot?, _ prepare: Run) async throws -> Image {
        let overlay =
            if let snapshot {
                try await SnapshotOpener(engine: old.engine, settings: settings).open(snapshot)
            } else {
                try Overlay(emptyNamed: "base.sqlite")
            }
        return try await state(of: overlay, on: old.engine, prepare)
    }

    private func state(after way: (engine: any Engine, run: Run), from base: Image) async throws -> Image {
        try await state(of: Overlay(base), on: way.engine, way.run)
    }

    private func state(of overlay: Overlay, on engine: any Engine, _ run: Run) async throws -> Image {
        try await engine.useWhole(overlay, settings: settings) { database in
            try await run(database)
            try await database.withConnection { try $0.checkpoint() }
        }
        return overlay.freeze().image
    }

    // MARK: - Findings

    private func failure(_ error: any Error, _ way: String, _ name: String) -> Finding {
        let message = (error as? EngineError)?.message ?? String(describing: error)
        return Finding(.migrationFailed, "from \(name), \(way) fails: \(message)")
    }

    private func schemaFindings(_ old: Catalog, _ new: Catalog, _ name: String) -> [Finding] {
        SchemaDiff(from: old.schema, to: new.schema).changes().map { change in
            Finding(
                .schemaMismatch, change.isQuiet ? .warning : .error,
                "from \(name), the new migrator leaves a different schema than the old one: \(change)",
                table: change.table)
        }
    }

    private func rowFindings(_ conservation: Conservation, _ name: String) -> [Finding] {
        func finding(_ rule: Rule, _ fact: String, _ table: String) -> Finding {
            Finding(rule, "from \(name), the new migrator \(fact)", table: table)
        }
        var findings = conservation.notCompared.map { match, error in
            let table = match.before.name
            return finding(
                .valuesChanged, "leaves table \(table) so that it cannot be compared: \(error.message)", table
            )
        }
        findings += conservation.unsettled.map {
            Finding(.valuesChanged, "from \(name), the migrators cannot be compared completely: \($0.reason)")
        }
        for kept in conservation.kept {
            let (table, difference) = (kept.match.before.name, kept.difference)
            if difference.lost.count > 0 {
                findings.append(
                    finding(
                        .rowsLost, "lacks \(counted(difference.lost.count, "row")) of \(table)", table))
            }
            if difference.added.count > 0 {
                findings.append(
                    finding(
                        .rowsAdded, "has \(counted(difference.added.count, "row")) more in \(table)", table))
            }
            let changed = difference.changed.values.reduce(0) { $0 + $1.count }
            if changed > 0 {
                findings.append(
                    finding(
                        .valuesChanged, "leaves \(counted(changed, "different value")) in \(table)", table))
            }
        }
        return findings
    }
}
