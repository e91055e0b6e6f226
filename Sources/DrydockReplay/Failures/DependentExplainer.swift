import DrydockFindings
import DrydockMigrations
import DatabaseEngine
import SQLiteSchema

/// ALTER TABLE that is refused for what stands on the table: "error in view v: no such table: main.t", "error in index
/// i after drop column", "cannot drop UNIQUE column".
struct DependentExplainer: FailureExplainer {
    func explanation(of scene: FailureScene) throws -> FailureExplanation? {
        guard let statement = scene.statement else { return nil }
        switch statement.action {
        case .dropColumn(let table, let column):
            if let explanation = try droppedColumn(table, column, statement, scene) { return explanation }
        case .renameTable, .renameColumn, .addColumn: break
        default: return nil
        }
        return try brokenObjects(statement, scene)
    }

    /// An object that SQLite names in such a message.
    private struct Object {
        var kind: String
        var name: String

        init?(_ message: String) {
            guard
                let match = message.wholeMatch(
                    of: /error in (view|trigger|index|table) (.+?)( after [a-z ]+)?: .+/)
            else { return nil }
            (kind, name) = (String(match.1), String(match.2))
        }
    }

    // MARK: - Views and triggers

    /// All views, triggers and indexes that are in the way: each is dropped, and the statement tried again.
    private func brokenObjects(_ statement: SQLStatement, _ scene: FailureScene) throws -> FailureExplanation?
    {
        let connection = scene.connection
        guard var object = Object(scene.error.message), object.kind != "table" else { return nil }
        try connection.execute("SAVEPOINT drydock_dependents")
        defer { try? connection.execute("ROLLBACK TO drydock_dependents; RELEASE drydock_dependents") }
        var (drops, creates): ([String], [String]) = ([], [])
        while drops.count < 50 {
            let text = try connection.firstRow(
                "SELECT sql FROM main.sqlite_schema WHERE type = ? AND name = ?",
                [SQLValue(object.kind), SQLValue(object.name)]
            ) { $0.optionalString(0) }
            guard let text, let sql = text else { return nil }
            let drop = "DROP \(object.kind.uppercased()) \(quotedIfNeeded(object.name));"
            try connection.execute(drop)
            drops.append(drop)
            creates.append(sql + ";")
            do {
                try connection.execute(statement.executedText)
                break
            } catch let error as EngineError where !error.isInterrupt && !error.isOutage {
                guard let next = Object(error.message), next.kind != "table" else { break }
                object = next
            }
        }
        let isColumn = if case .dropColumn = statement.action { true } else { false }
        let place = scene.migration.mention(scene.index)
        return FailureExplanation(
            help: "Drop what stands on it before \(place):\n" + proposed(drops.joined(separator: "\n"))
                + "\nand recreate it at the end\(isColumn ? ", without what is gone" : ""):\n"
                + proposed(creates.reversed().joined(separator: "\n")))
    }

    // MARK: - DROP COLUMN

    private func droppedColumn(
        _ name: QualifiedName, _ column: String, _ statement: SQLStatement, _ scene: FailureScene
    ) throws -> FailureExplanation? {
        let message = scene.error.message
        guard let table = scene.schema.table(name.name), let dropped = table.column(column) else {
            return nil
        }
        let object = Object(message)
        if object?.kind == "index" {
            let indexes = scene.schema.indexes(on: table.name).filter {
                $0.names.contains(dropped.name.foldedASCII)
            }
            let drops = indexes.map { "DROP INDEX \(quotedIfNeeded($0.name));" }
            return FailureExplanation(
                help:
                    "Drop the \(indexes.count == 1 ? "index" : "indexes") on \(dropped.name) first, before \(scene.migration.mention(scene.index)):\n"
                    + proposed(drops.joined(separator: "\n")))
        }
        guard object?.kind == "table" || message.hasPrefix("cannot drop UNIQUE column") else { return nil }
        let users = ColumnUsers(dropped.name, table)
        guard !users.names.isEmpty else { return nil }
        var wanted = scene.schema
        wanted.tables[table.name.foldedASCII] = users.without
        wanted.indexes = wanted.indexes.filter { _, index in
            index.table.foldedASCII != table.name.foldedASCII || users.gone.isDisjoint(with: index.names)
        }
        let plan = MigrationPlanner(from: scene.schema, to: wanted).plan()
        let statements = plan.steps.flatMap { $0.statements.map { $0 + ";" } }.joined(separator: "\n")
        let planned = plan.steps.flatMap(\.declarations)
        let generated = users.generated.map {
            "drops column \(quotedIfNeeded(table.name)).\(quotedIfNeeded($0))"
        }
        let declarations = (planned + generated.filter { !planned.contains($0) })
            .map { "\n\(declarationMarker)\($0)" }.joined()
        return FailureExplanation(
            detail:
                ", which \(users.names.joined(separator: " and ")) \(users.names.count == 1 ? "uses" : "use")",
            help:
                "Rebuild \(table.name) without \(users.names.count == 1 ? "both" : "all of them") instead:\n"
                + proposed(statements) + declarations
                + plan.caution.map { "\n" + $0 }.joined())
    }
}

/// What in a table's own definition uses one of its columns.
private struct ColumnUsers {
    private(set) var names: [String] = []
    /// The generated columns among them.
    private(set) var generated: [String] = []
    /// The table without the column and all of these.
    private(set) var without: Table
    /// The columns that are gone then, folded.
    private(set) var gone: Set<String>

    init(_ column: String, _ table: Table) {
        var gone: Set<String> = [column.foldedASCII]
        without = table
        var isMore = true
        while isMore {
            isMore = false
            for other in table.columns where !gone.contains(other.name.foldedASCII) {
                guard let names = other.generated?.expression.names, !gone.isDisjoint(with: names) else {
                    continue
                }
                gone.insert(other.name.foldedASCII)
                if names.contains(column.foldedASCII) { self.names.append("generated column \(other.name)") }
                generated.append(other.name)
                isMore = true
            }
        }
        func uses(_ columns: [String]) -> Bool { columns.contains { gone.contains($0.foldedASCII) } }
        for check in table.checks where !gone.isDisjoint(with: check.expression.names) {
            names.append("CHECK (\(check.expression))")
        }
        for key in table.foreignKeys where uses(key.columns) {
            names.append("FOREIGN KEY (\(key.columns.joined(separator: ", ")))")
        }
        for unique in table.uniques where uses(unique.terms.map(\.column)) {
            names.append("UNIQUE (\(unique.terms.map(\.column).joined(separator: ", ")))")
        }
        without.columns.removeAll { gone.contains($0.name.foldedASCII) }
        without.checks.removeAll { !gone.isDisjoint(with: $0.expression.names) }
        without.foreignKeys.removeAll { uses($0.columns) }
        without.uniques.removeAll { uses($0.terms.map(\.column)) }
        self.gone = gone
    }
}
