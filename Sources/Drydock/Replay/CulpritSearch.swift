import DatabaseEngine
import OverlayVFS
import SQLiteSchema

/// What to look for after each statement.
enum CulpritProbe: Sendable {
    /// A row that is gone, or with a column pair's position, a value of it that changed.
    case row(TableMatch, TableDifference.Locator?, column: Int?)
    /// A fault that the state has more of than this.
    case fault(any StateRule, Fault.ID, baseline: Int)
}

/// Finds the statement that did it: runs the migration again on a fork, and looks for what went wrong
/// after each statement. Costs nothing when nothing was found.
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
        settings.foreignKeys = migration.enforcesForeignKeys
        let database = try await engine.open(overlay, settings: settings)
        let uri = overlay.attach(before.image).replacing("'", with: "''")
        let (migration, tables) = (migration, Array(before.catalog.tables.keys))
        let historyTables = inspector.historyTables
        let end = TableLineage(tables: tables, statements: migration.statements)
        let outcome: Result<[Int?], any Error>
        do {
            outcome = .success(
                try await database.withConnection { connection in
                    try connection.execute("ATTACH '\(uri)' AS \(Self.beforeSchema)")
                    if migration.transaction != .none { try connection.execute("BEGIN IMMEDIATE") }
                    defer { if connection.isInTransaction { try? connection.execute("ROLLBACK") } }
                    var traces = probes.map { Trace($0, end) }
                    var lineage = TableLineage(tables: tables)
                    for (index, statement) in migration.statements.enumerated() {
                        try MigrationRun.run(statement, at: index, on: connection)
                        lineage.apply(statement.action, at: index)
                        let moment = Moment(
                            connection: connection, lineage: lineage, action: statement.action, index: index,
                            beforeSchema: Self.beforeSchema, historyTables: historyTables)
                        for trace in traces.indices { traces[trace].look(moment) }
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

/// A migration just after one of its statements.
private struct Moment {
    let connection: any Connection
    let lineage: TableLineage
    let action: StatementAction
    let index: Int
    let beforeSchema: String
    let historyTables: [String]
}

/// Whether all was well with one thing, statement by statement.
private struct Trace {
    private let probe: CulpritProbe
    /// The table that has the row at the end.
    private let incarnation: TableLineage.Incarnation?
    /// The statement that dropped the table which had the row before.
    private let droppedBy: Int?
    private var isWell: Bool
    private var wasEverWell: Bool
    private var brokenBy: Int?
    private var filledBy: Int?

    init(_ probe: CulpritProbe, _ end: TableLineage) {
        self.probe = probe
        if case .row(let match, _, _) = probe {
            incarnation = end[match.after.name]
            droppedBy = end.dropStatement(ofTable: match.before.name)
            isWell = incarnation?.createdBy == nil
        } else {
            incarnation = nil
            droppedBy = nil
            isWell = true
        }
        wasEverWell = isWell
    }

    /// The statement after which it was broken for good; for a table that was made anew and never had the
    /// row, the one that filled the table.
    var culprit: Int? { wasEverWell ? brokenBy : filledBy ?? droppedBy ?? incarnation?.createdBy }

    mutating func look(_ moment: Moment) {
        let isWell: Bool?
        switch probe {
        case .row(let match, let row, let column):
            guard let incarnation, let name = moment.lineage.name(of: incarnation.id) else { return }
            if case .insert(let table, _, _) = moment.action, table.folded == name {
                filledBy = filledBy ?? moment.index
            }
            isWell = row.flatMap {
                RowSearch(match: match, row: $0, column: column).isFound(in: name, moment)
            }
        case .fault(let rule, let id, let baseline):
            isWell = hasFault(rule, id, moment).map { $0 <= baseline }
        }
        guard let isWell else { return }
        if isWell {
            wasEverWell = true
            brokenBy = nil
        } else if self.isWell {
            brokenBy = moment.index
        }
        self.isWell = isWell
    }

    /// How much of a fault there is; nil when it cannot be told. The rule may write: all of it is undone.
    private func hasFault(_ rule: any StateRule, _ id: Fault.ID, _ moment: Moment) -> Int? {
        let connection = moment.connection
        guard (try? connection.execute("SAVEPOINT drydock_look")) != nil else { return nil }
        defer { try? connection.execute("ROLLBACK TO drydock_look; RELEASE drydock_look") }
        var unreadable: [Catalog.UnreadableTable] = []
        guard
            let catalog = try? Catalog(
                reading: connection, historyTables: moment.historyTables, unreadable: &unreadable),
            let faults = try? rule.faults(
                in: StateView(connection: connection, catalog: catalog, foreignKeysAreProven: false))
        else { return nil }
        return faults.reduce(0) { $0 + ($1.id == id ? $1.count : 0) }
    }
}

/// Looks a row of the table before the step up in what its successor is just now.
private struct RowSearch {
    let match: TableMatch
    let row: TableDifference.Locator
    let column: Int?

    /// Nil when it cannot be told, as while the table has other columns.
    func isFound(in table: String, _ moment: Moment) -> Bool? {
        let source = "\(moment.beforeSchema).\(quotedName(match.before.name))"
        let one: String
        var conditions: [String]
        switch row {
        case .rowid(let rowid):
            one = "SELECT * FROM \(source) WHERE \(match.before.rowidName ?? "rowid") = \(rowid)"
            conditions =
                column == nil
                ? match.columns.map(sameValue) : ["f.\(match.after.rowidName ?? "rowid") = \(rowid)"]
        case .key(let values, let positions):
            let keys = positions.map { match.columns[$0] }
            let condition = zip(keys, values).map { pair, value in
                "\(quotedName(pair.before.name)) IS \(value.literal) COLLATE BINARY"
            }
            one = "SELECT * FROM \(source) WHERE \(condition.joined(separator: " AND ")) LIMIT 1"
            conditions = keys.map(sameValue)
        case .ordinal(let ordinal, let positions):
            let keys = positions.map { match.columns[$0] }
            let order = keys.map { quotedName($0.before.name) + " COLLATE BINARY" }
            one =
                "SELECT * FROM \(source)"
                + (order.isEmpty ? "" : " ORDER BY \(order.joined(separator: ", "))")
                + " LIMIT 1 OFFSET \(ordinal)"
            conditions = keys.map(sameValue)
        }
        if let column { conditions.append(sameValue(match.columns[column])) }
        let condition = conditions.isEmpty ? "1" : conditions.joined(separator: " AND ")
        return try? moment.connection.firstRow(
            "SELECT EXISTS(SELECT 1 FROM main.\(quotedName(table)) AS f, (\(one)) AS b WHERE \(condition))"
        ) { $0.integer(0) != 0 }
    }

    private func sameValue(_ pair: TableMatch.ColumnPair) -> String {
        let (old, new) = ("b.\(quotedName(pair.before.name))", "f.\(quotedName(pair.after.name))")
        return "\(new) IS \(old) COLLATE BINARY AND typeof(\(new)) = typeof(\(old))"
    }
}
