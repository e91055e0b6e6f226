import DrydockFindings
import DatabaseEngine
import SQLiteSchema

/// Migrations that only the project's own command can run: nothing is known of them but their names.
public struct CommandFormat: MigrationFormat {
    public let name = "command"
    public let command: ProjectCommand
    /// Where a database says what it has applied; nil where that is not known.
    public let history: CommandHistory?
    /// What the command applies to an empty database, as the history says; empty where that is not known.
    public let versions: [String]

    public init(command: ProjectCommand, history: CommandHistory?, versions: [String]) {
        (self.command, self.history, self.versions) = (command, history, versions)
    }

    /// Whether the migrations run one at a time.
    public var isStepped: Bool { command.list != nil }

    public var policy: ToolPolicy {
        var policy = ToolPolicy(foreignKeys: false, edited: .accept)
        policy.isOrderedByTool = true
        return policy
    }

    public var historyTable: String? { history?.table }
    public var otherTables: [String] { history?.otherTables ?? [] }
    public var historyQuery: String? { history?.query }
    /// The history's table; where none is named, what the query reads.
    public var sharedTables: [String] {
        guard let history, !history.isOfTool else { return [] }
        return history.table.map { [$0] } ?? HistoryQuery(sql: history.query).tables
    }
    /// The tables that the history's query reads, by folded name. Rows that nobody applied have no place there.
    package var recordingTables: Set<String> {
        guard let history else { return [] }
        let tables = HistoryQuery(sql: history.query).tables + [history.table].compactMap(\.self)
        return Set(tables.map(\.foldedASCII))
    }
    /// The tables that get no generated rows, by folded name: those of the tool, and those that the tool fills.
    package var tablesOfTool: Set<String> {
        recordingTables.union((ownTables + (history?.filledTables ?? [])).map(\.foldedASCII))
    }
    public var home: String { isStepped ? "what 'migrate: list' prints" : "what the command applies" }

    public func owns(_ facts: HistoryFacts) -> Bool { false }
    public func evidence(in folder: FolderFiles) -> FolderEvidence? { nil }

    public func load(folder: FolderFiles, options: FormatOptions) throws -> MigrationSet {
        throw RequestError(
            .settingInvalid,
            "'migrate: command' runs the migrations, so there is no folder from which they can be read")
    }

    /// Returns the migrations, without a statement.
    /// - Parameter names: what `list` printed; nil for a single step, called like the command.
    public func set(_ names: [String]?, folder: String) -> MigrationSet {
        let names = names ?? [command.command]
        return MigrationSet(
            folder: folder, format: self, policy: policy,
            migrations: names.map { name in
                var migration = Migration(identifier: name, path: name)
                migration.isDeferred = false
                migration.isOfCommand = true
                return migration
            })
    }

    public func history(_ connection: any Connection, of set: MigrationSet) throws -> AppliedHistory? {
        guard let history else { return AppliedHistory([]) }
        guard try !connection.isEmptyDatabase else { return AppliedHistory([]) }
        if let table = history.table, try connection.columns(of: table) == nil { return nil }
        let rows = try Self.applied(history, connection)
        guard isStepped else { return whole(rows, history, set) }
        guard history.isNewestOnly else {
            var applied = AppliedHistory(rows)
            applied.newest = rows.last
            return applied
        }
        // Several branches may each have a newest one.
        let places = rows.compactMap { row in set.migrations.firstIndex { $0.identifier == row } }
        let unknown = rows.filter { row in !set.migrations.contains { $0.identifier == row } }
        guard let last = places.max() else { return AppliedHistory(unknown) }
        return AppliedHistory(set.migrations[...last].map(\.identifier) + unknown)
    }

    /// Returns what a history has, where the command applies all at once: its single step is applied if nothing is left.
    private func whole(_ rows: [String], _ history: CommandHistory, _ set: MigrationSet) -> AppliedHistory {
        let isDone = !versions.isEmpty && Set(versions).isSubset(of: rows)
        let unknown = versions.isEmpty || history.isNewestOnly ? [] : rows.filter { !versions.contains($0) }
        var applied = AppliedHistory((isDone ? set.migrations.map(\.identifier) : []) + unknown)
        applied.newest = rows.last
        return applied
    }

    /// Returns the answers of the history's query.
    /// - Throws: ``RequestError`` if it is not a query.
    public static func applied(_ history: CommandHistory, _ connection: any Connection) throws -> [String] {
        guard Sandbox.isQuery(history.query) else {
            throw RequestError(.settingInvalid, "'migrate: history' is not a query: \(history.query)")
        }
        return try connection.rows(history.query) { $0.optionalString(0) }.compactMap(\.self)
    }
}
