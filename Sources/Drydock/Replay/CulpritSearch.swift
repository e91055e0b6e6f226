import DatabaseEngine
import OverlayVFS
import SQLiteSchema

/// A row, or a value of it, that did not survive a step.
struct CulpritProbe: Sendable {
    let match: TableMatch
    let row: TableDifference.Locator?
    /// The column pair whose value changed; nil when the row is gone.
    let column: Int?
}

/// Finds the statement that lost a row or changed a value: runs the migration again on a fork, and looks
/// for the row after each statement. Costs nothing when nothing was found.
struct CulpritSearch: Sendable {
    let migration: Migration
    let before: DatabaseState
    let engine: any Engine
    let inspector: StateInspector

    private static let beforeSchema = "before_step"

    /// The findings with their statements filled in, where one is to blame.
    func placing(_ findings: [StepFinding]) async throws -> [StepFinding] {
        let probes = findings.enumerated().compactMap { index, finding in finding.probe.map { (index, $0) } }
        guard !probes.isEmpty else { return findings }
        let statements = try await search(probes.map(\.1))
        var findings = findings
        for ((index, _), statement) in zip(probes, statements) {
            guard let statement else { continue }
            findings[index].finding.place = .init(migration.statements[statement])
        }
        return findings
    }

    private func search(_ probes: [CulpritProbe]) async throws -> [Int?] {
        let overlay = try Overlay(before.image)
        var settings = inspector.settings
        settings.foreignKeys = migration.foreignKeyChecks == .immediate
        let database = try await engine.open(.uri(overlay.uri), settings: settings)
        let uri = overlay.attach(before.image).replacing("'", with: "''")
        let (migration, tables) = (migration, Array(before.catalog.tables.keys))
        let end = TableLineage(tables: tables, statements: migration.statements)
        let outcome: Result<[Int?], any Error>
        do {
            outcome = .success(
                try await database.withConnection { connection in
                    try connection.execute("ATTACH '\(uri)' AS \(Self.beforeSchema)")
                    try connection.execute("BEGIN IMMEDIATE")
                    defer { try? connection.execute("ROLLBACK") }
                    var traces = probes.map { Trace(probe: $0, incarnation: end[$0.match.after.name]) }
                    var lineage = TableLineage(tables: tables)
                    for (index, statement) in migration.statements.enumerated() {
                        try MigrationRun.run(statement, at: index, on: connection)
                        lineage.apply(statement.action, at: index)
                        for trace in traces.indices {
                            traces[trace].look(connection, lineage, statement.action, at: index, Self.beforeSchema)
                        }
                    }
                    return traces.map(\.culprit)
                })
        } catch let error as EngineError where error.isInterrupt {
            outcome = .failure(error)
        } catch {
            // The place of a finding is a help; the finding stands without it.
            outcome = .success(probes.map { _ in nil })
        }
        try await database.close()
        return try outcome.get()
    }
}

/// What became of one row, statement by statement.
private struct Trace {
    let probe: CulpritProbe
    let incarnation: TableLineage.Incarnation?
    /// The row was there after the last statement that was looked at.
    private var isThere: Bool
    private var wasEverThere: Bool
    private var vanishedAt: Int?
    private var filledBy: Int?

    init(probe: CulpritProbe, incarnation: TableLineage.Incarnation?) {
        self.probe = probe
        self.incarnation = incarnation
        isThere = incarnation?.createdBy == nil
        wasEverThere = isThere
    }

    /// The statement after which the row was gone for good; for a table that was made anew and never had
    /// it, the one that filled the table.
    var culprit: Int? { wasEverThere ? vanishedAt : filledBy ?? incarnation?.createdBy }

    mutating func look(
        _ connection: any Connection, _ lineage: TableLineage, _ action: StatementAction, at index: Int, _ schema: String
    ) {
        guard let incarnation, let name = lineage.name(of: incarnation.id) else { return }
        if case .insert(let table, _, _) = action, table.folded == name { filledBy = filledBy ?? index }
        guard let found = isFound(in: name, connection, schema) else { return }
        if found {
            wasEverThere = true
            vanishedAt = nil
        } else if isThere {
            vanishedAt = index
        }
        isThere = found
    }

    /// Nil when it cannot be told, as while the table has other columns.
    private func isFound(in table: String, _ connection: any Connection, _ schema: String) -> Bool? {
        guard let row = probe.row else { return nil }
        let match = probe.match
        let source = "\(schema).\(quotedName(match.before.name))"
        let one: String
        var conditions: [String]
        switch row {
        case .rowid(let rowid):
            let name = match.before.rowidName ?? "rowid"
            one = "SELECT * FROM \(source) WHERE \(name) = \(rowid)"
            conditions =
                probe.column == nil
                ? match.columns.map(sameValue) : ["f.\(match.after.rowidName ?? "rowid") = \(rowid)"]
        case .ordinal(let ordinal, let positions):
            let keys = positions.map { match.columns[$0] }
            let order = keys.map { quotedName($0.before.name) + " COLLATE BINARY" }
            one = "SELECT * FROM \(source)"
                + (order.isEmpty ? "" : " ORDER BY \(order.joined(separator: ", "))") + " LIMIT 1 OFFSET \(ordinal)"
            conditions = keys.map(sameValue)
        }
        if let column = probe.column { conditions.append(sameValue(match.columns[column])) }
        let condition = conditions.isEmpty ? "1" : conditions.joined(separator: " AND ")
        return try? connection.firstRow(
            "SELECT EXISTS(SELECT 1 FROM main.\(quotedName(table)) AS f, (\(one)) AS b WHERE \(condition))"
        ) { $0.integer(0) != 0 }
    }

    private func sameValue(_ pair: TableMatch.ColumnPair) -> String {
        let (old, new) = ("b.\(quotedName(pair.before.name))", "f.\(quotedName(pair.after.name))")
        return "\(new) IS \(old) COLLATE BINARY AND typeof(\(new)) = typeof(\(old))"
    }
}
