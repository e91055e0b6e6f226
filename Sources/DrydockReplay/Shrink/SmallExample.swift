import DrydockFindings
import DrydockState
import DatabaseEngine
import SQLiteSchema

/// A small database, and what is run on it, as a script for SQLite's own shell.
struct SmallExample {
    /// The step with the statements that are needed.
    let scene: StepScene
    /// The schema of the database, without rows.
    let bare: DatabaseState
    let rows: [GeneratedRow]

    func counterexample(of finding: Finding, tried: Int, isSmallest: Bool) async throws -> Counterexample {
        let damage = VisibleDamage(finding, scene, bare.catalog)
        let encoding = bare.catalog.encoding
        let history = try await history(of: finding)
        let own = Set(history.map(\.table.foldedASCII))
        var tables = Set(rows.map(\.table)).union(history.map(\.table))
        if let table = finding.table.flatMap(bare.catalog.table) { tables.insert(table.name) }
        var example = Counterexample(
            schema: try await schema(with: own) + history.map { $0.text(encoding) },
            inserts: rows.map { $0.text(encoding) }, migration: damage.migration, tables: tables.sorted(),
            tried: tried, isSmallest: isSmallest)
        (example.checks, example.sequels) = (damage.checks, damage.sequels)
        return example
    }

    /// Returns the definitions as they are without the columns that went; a virtual table makes its own tables by itself.
    /// - Parameter own: the folded names of the tool's tables that are needed.
    private func schema(with own: Set<String>) async throws -> [String] {
        let tables = bare.catalog.tables
        return try await scene.inspector.withConnection(to: bare.image) { connection in
            try connection.rows(
                "SELECT type, tbl_name, sql FROM main.sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid"
            ) { row -> String? in
                let (isOfTable, name) = (
                    ["table", "index"].contains(row.string(0)), row.string(1).foldedASCII
                )
                return isOfTable && tables[name] == nil && !own.contains(name) ? nil : row.string(2)
            }.compactMap(\.self)
        }
    }

    /// Returns what is recorded as applied, where the finding is about that or a statement names the table.
    private func history(of finding: Finding) async throws -> [GeneratedRow] {
        let schema = Schema()
        let all = try await TrialDatabase(scene: scene, schema: schema, state: bare).historyRows()
        guard !finding.rule.isOfHistory else { return all }
        let named = Set(
            scene.allStatements.flatMap { statement in
                statement.tokens.compactMap { $0.name(in: statement.source)?.foldedASCII }
            })
        return all.filter { named.contains($0.table.foldedASCII) }
    }
}
