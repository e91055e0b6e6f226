import DatabaseEngine
import SQLiteSchema

/// What a migrator did to run one migration, derived from the statements that ran.
struct ClosureRun: Sendable, Hashable {
    typealias Entry = StatementRecorder.Entry

    /// Nil if the migration failed before GRDB recorded it.
    var identifier: String?
    /// What the closure executed, without queries and without what was rolled back to a savepoint.
    var entries: [Entry]
    /// The identifiers that this migration replaces.
    var merged: [String]
    /// What GRDB did with foreign keys around the closure, if the connection enforces them.
    var checks: EngineMigration.ForeignKeyChecks

    var statements: [String] { entries.map(\.expanded) }

    /// The statements that GRDB runs around a closure (`Migration.swift`).
    private static let begin = "BEGIN IMMEDIATE TRANSACTION"
    private static let insertion = "INSERT INTO grdb_migrations (identifier) VALUES ("
    private static let cleaning = ["ROLLBACK TRANSACTION", "PRAGMA foreign_keys = ON"]
    private static let deletion = "DELETE FROM grdb_migrations WHERE identifier IN ("

    /// Splits the statements that a migrator ran into migrations.
    static func runs(_ entries: [Entry]) -> [ClosureRun] {
        let starts = entries.indices.filter { entries[$0].template == begin }
        return zip(starts, starts.dropFirst() + [entries.count]).map { start, end in
            run(entries[(start + 1)..<end], before: start > 0 ? entries[start - 1] : nil)
        }
    }

    private static func run(_ entries: ArraySlice<Entry>, before: Entry?) -> ClosureRun {
        let isOff = before?.template == "PRAGMA foreign_keys = OFF"
        guard let record = entries.lastIndex(where: { $0.template.hasPrefix(insertion) }) else {
            // The migration failed: the cleaning statements at the end are GRDB's.
            let last = entries.lastIndex { !cleaning.contains($0.template) } ?? entries.startIndex - 1
            return ClosureRun(
                identifier: nil, entries: lasting(entries[...last]), merged: [],
                checks: isOff ? .deferred : .immediate)
        }
        var own = entries[..<record]
        var merged: [String] = []
        if let last = own.last, last.template.hasPrefix(deletion) {
            merged = literals(last.expanded)
            own.removeLast()
        }
        let isChecked = entries[record...].contains { $0.template.hasPrefix("PRAGMA foreign_key_check") }
        return ClosureRun(
            identifier: literals(entries[record].expanded).first, entries: lasting(own), merged: merged,
            checks: !isOff ? .immediate : isChecked ? .deferred : .disabled)
    }

    private static func literals(_ sql: String) -> [String] {
        let source = SQLSource(name: "", sql)
        return source.tokens().compactMap { $0.stringValue(in: source) }
    }

    // MARK: - Lasting statements

    /// PRAGMAs that only read.
    private static let readingPragmas: Set<String> = [
        "table_info", "table_xinfo", "table_list", "index_list", "index_info", "index_xinfo",
        "foreign_key_list", "foreign_key_check", "database_list", "collation_list", "function_list",
        "integrity_check", "quick_check",
    ]

    /// Returns the entries without queries, and without what was rolled back to a savepoint.
    private static func lasting(_ entries: ArraySlice<Entry>) -> [Entry] {
        var result: [Entry] = []
        var savepoints: [(name: String, count: Int)] = []
        for entry in entries {
            switch SQLSource(name: "", entry.expanded).statements().first?.action {
            case nil, .select, .explain, .pragma(_, _, value: nil): continue
            case .pragma(_, let name, _) where readingPragmas.contains(name.foldedASCII): continue
            case .savepoint(let name): savepoints.append((name.foldedASCII, result.count))
            case .release(let name):
                guard let index = savepoints.lastIndex(where: { $0.name == name.foldedASCII }) else {
                    continue
                }
                savepoints.removeSubrange(index...)
            case .rollbackTo(let name):
                guard let index = savepoints.lastIndex(where: { $0.name == name.foldedASCII }) else {
                    continue
                }
                result.removeSubrange(savepoints[index].count...)
                savepoints.removeSubrange((index + 1)...)
            default: result.append(entry)
            }
        }
        return result
    }
}
