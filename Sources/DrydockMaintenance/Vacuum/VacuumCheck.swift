import DrydockFindings
import DrydockState
import DrydockDiff
import DatabaseEngine
import OverlayVFS

/// Compares a vacuumed copy with its database: structure, schema, settings and every row.
package struct VacuumCheck {
    let engine: any Engine
    let copy: String

    /// PRAGMAs whose values VACUUM keeps.
    private static let kept = ["user_version", "application_id", "encoding", "auto_vacuum", "page_size"]
    private static let alias = StateInspector.laterSchema

    /// The connection settings. An old schema may have `"text"` where it means a literal.
    package static var settings: ConnectionSettings {
        var settings = ConnectionSettings()
        settings.foreignKeys = false
        settings.doubleQuotedStrings = true
        settings.isDefensive = true
        return settings
    }

    struct Content: Sendable {
        var side: DataSide
        var settings: [String: String]
        var hasSearchContentByRowid: Bool
    }

    /// Checks the copy itself and reads what is compared with the original later.
    /// - Throws: ``RequestError`` if the copy is damaged.
    func content() async throws -> Content {
        try await engine.use(.uri(fileURI(of: copy)), settings: Self.settings) { database in
            try await database.withConnection { connection in
                try Self.checkIntegrity(connection, "the vacuumed copy")
                return try Content(
                    side: DataSide(connection), settings: Self.settings(connection),
                    hasSearchContentByRowid: Self.hasSearchContentByRowid(connection))
            }
        }
    }

    /// - Throws: ``RequestError`` if the check finds anything.
    static func checkIntegrity(_ connection: any Connection, _ name: String) throws {
        let faults = try connection.rows("PRAGMA main.integrity_check(10)") { $0.string(0) }
        guard faults != ["ok"] else { return }
        let list = faults.map { $0.split(separator: "\n").joined(separator: " ") }.joined(separator: "; ")
        throw RequestError(.databaseUnreadable, "the integrity check of \(name) says: \(list)")
    }

    func analyze() async throws {
        try await engine.use(.uri(fileURI(of: copy)), settings: Self.settings) { database in
            try await database.withConnection { try $0.execute("ANALYZE") }
        }
    }

    static func settings(_ connection: any Connection) throws -> [String: String] {
        var result: [String: String] = [:]
        for name in kept {
            result[name] = try connection.firstRow("PRAGMA main.\(name)") { $0.string(0) }
        }
        return result
    }

    /// Returns whether a full-text index refers to another table's rows by rowid
    /// (https://www.sqlite.org/fts5.html#external_content_tables).
    static func hasSearchContentByRowid(_ connection: any Connection) throws -> Bool {
        try connection.firstRow(
            "SELECT 1 FROM main.sqlite_schema WHERE sql LIKE 'CREATE VIRTUAL TABLE%fts%content%=%'"
        ) { _ in true } ?? false
    }

    /// Returns the tables whose rows only the rowid identifies and whose rowids SQLite's own VACUUM would change: no
    /// key, no index, and gaps between the rowids (https://www.sqlite.org/lang_vacuum.html#how_vacuum_works).
    static func tablesToRenumber(_ connection: any Connection) throws -> [String] {
        let kinds = try ListedKind.all(connection)
        let tables = try connection.rows(
            """
            SELECT name FROM main.sqlite_schema AS s WHERE type = 'table' AND name NOT LIKE 'sqlite_%'
            AND NOT EXISTS (SELECT 1 FROM pragma_index_list(s.name, 'main'))
            AND NOT EXISTS (SELECT 1 FROM pragma_table_info(s.name, 'main') WHERE pk > 0)
            """
        ) { $0.string(0) }.filter {
            kinds[$0.foldedASCII] == ListedKind(type: "table", isWithoutRowid: false)
        }
        let catalog = try DataSide(connection).catalog
        return try tables.filter { name in
            guard let rowid = catalog.tables[name.foldedASCII]?.rowidName else { return true }
            return try connection.firstRow(
                "SELECT count(*) > 0 AND (min(\(rowid)) <> 1 OR max(\(rowid)) <> count(*)) FROM main.\(quotedName(name))"
            ) { $0.integer(0) != 0 } ?? false
        }
    }

    /// Compares every row through the connection that has the database locked.
    /// - Returns: How many tables and rows were compared.
    /// - Throws: ``RequestError`` that names what differs.
    func compare(
        _ content: Content, on connection: any Connection, pageSize: Int?, _ note: (VacuumEvent) -> Void
    ) throws -> (tables: Int, rows: Int) {
        let original = try DataSide(connection)
        var expected = try Self.settings(connection)
        if let pageSize { expected["page_size"] = String(pageSize) }
        for (name, value) in expected where content.settings[name] != value {
            throw refusal("\(name) was \(value) and is \(content.settings[name] ?? "nothing")")
        }
        if let table = (original.unreadable + content.side.unreadable).first {
            throw RequestError(
                .refused,
                "the rows of \(table.name) cannot be read, so it cannot be shown that they survive: "
                    + table.error.message)
        }
        try connection.execute("ATTACH \(quotedText(copy)) AS \(Self.alias)")
        defer { try? connection.execute("DETACH \(Self.alias)") }
        let schema = "SELECT type, name, tbl_name, sql FROM"
        let (before, after) = ("\(schema) main.sqlite_schema", "\(schema) \(Self.alias).sqlite_schema")
        let difference = try connection.firstRow(
            "SELECT name FROM (\(before) EXCEPT \(after)) UNION ALL SELECT name FROM (\(after) EXCEPT \(before))"
        ) { $0.string(0) }
        if let difference { throw refusal("the definition of \(difference) is different") }
        var (tables, rows) = (0, 0)
        for table in original.catalog.tables.values.sorted(by: { $0.name < $1.name }) where table.keepsRows {
            guard let other = content.side.catalog.tables[table.name.foldedASCII] else {
                throw refusal("the table \(table.name) is missing")
            }
            note(.verifying(table: table.name))
            for pairing in TablePairing(table, other).groups() {
                let source = try SQLRows(connection, pairing)
                var diff = pairing.emptyDiff(.init())
                try diff.count(source, .count)
                guard diff.isSame else { throw refusal("rows of \(table.name) differ") }
                if source.identity == .content, pairing.hasRowids {
                    throw refusal("rows of \(table.name) have different rowids")
                }
            }
            tables += 1
            rows +=
                try connection.firstRow("SELECT count(*) FROM main.\(quotedName(table.name))") {
                    Int($0.integer(0))
                } ?? 0
        }
        try compareStores(on: connection, except: Set(original.catalog.tables.keys))
        return (tables, rows)
    }

    /// Compares the tables in which virtual tables keep their data; VACUUM copies them unchanged.
    private func compareStores(on connection: any Connection, except known: Set<String>) throws {
        let stores = try connection.rows(
            "SELECT name FROM main.sqlite_schema WHERE type = 'table' AND rootpage <> 0 AND name NOT LIKE 'sqlite_stat_'"
        ) { $0.string(0) }
        for name in stores where !known.contains(name.foldedASCII) {
            let (old, new) = ("main.\(quotedName(name))", "\(Self.alias).\(quotedName(name))")
            let differs = try connection.firstRow(
                """
                SELECT 1 FROM (SELECT * FROM \(old) EXCEPT SELECT * FROM \(new))
                UNION ALL SELECT 1 FROM (SELECT * FROM \(new) EXCEPT SELECT * FROM \(old))
                """
            ) { _ in true }
            if differs != nil { throw refusal("rows of \(name) differ") }
        }
    }

    private func refusal(_ fact: String) -> RequestError {
        RequestError(.refused, "the database and its vacuumed copy differ: \(fact)")
    }
}
