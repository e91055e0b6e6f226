import DrydockFindings
import DatabaseEngine
import SQLiteSchema

/// The new database of a subset: its schema first, then, once it has its rows, what is made of them.
struct SubsetTarget: Sendable {
    let source: SubsetSource

    /// A virtual table whose module this SQLite does not have.
    struct Missing: Sendable {
        var name, reason: String

        var note: String { "\(quotedIfNeeded(name)) is left out: \(reason)" }
    }

    /// What was made cannot be what the database has.
    struct Unlike: Error { var name: String }

    /// Settings for a file that nobody sees before it is whole.
    private static let quick = "PRAGMA main.journal_mode = OFF; PRAGMA main.synchronous = OFF"

    /// Makes the tables.
    /// - Returns: The virtual tables that cannot be made.
    func makeTables(_ connection: any Connection) throws -> [Missing] {
        try connection.execute(
            """
            PRAGMA main.page_size = \(source.pageSize);
            PRAGMA encoding = '\(source.catalog.encoding.rawValue)';
            PRAGMA main.auto_vacuum = \(source.autoVacuum);
            """)
        try connection.execute(Self.quick)
        var missing: [Missing] = []
        for entry in entries(of: "table", where: { !isVirtual($0) }) { try make(entry, connection) }
        for entry in entries(of: "table", where: isVirtual) {
            do {
                try make(entry, connection)
            } catch let error as EngineError where !error.isInterrupt && !error.isOutage {
                missing.append(Missing(name: entry.name, reason: error.message))
            }
        }
        return missing
    }

    /// Makes what depends on rows, and at last what acts when rows change.
    /// - Returns: Notes on what cannot be made.
    func finish(_ connection: any Connection, without missing: Set<String>) throws -> [String] {
        try connection.execute(Self.quick)
        var notes: [String] = []
        func isKept(_ entry: SubsetSource.Entry) -> Bool { !missing.contains(entry.table) }
        for entry in entries(of: "index", where: isKept) { try make(entry, connection) }
        for entry in entries(of: "view") { try make(entry, connection) }
        for table in source.derived {
            guard !missing.contains(table.name),
                let index = source.schema.virtualTables[table.name.foldedASCII], index.isFullText
            else { continue }
            if index.isExternalContent {
                let name = quotedName(table.name)
                do {
                    try connection.execute("INSERT INTO \(name) (\(name)) VALUES ('rebuild')")
                } catch let error as EngineError where error.isStatementError || error.isCorruptionOfModule {
                    notes.append(
                        "\(quotedIfNeeded(table.name)) is empty, since it cannot be rebuilt: \(error.message)"
                    )
                }
            } else {
                notes.append(
                    "\(quotedIfNeeded(table.name)) is empty: it has the words of rows and not their text, so it cannot be cut"
                )
            }
        }
        if source.hasStatistics { try connection.execute("ANALYZE") }
        for entry in entries(of: "trigger", where: isKept) { try make(entry, connection) }
        for (mark, value) in source.catalog.marks.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            try connection.execute("PRAGMA main.\(mark.rawValue) = \(value)")
        }
        try compareSchema(connection, without: missing)
        return notes
    }

    private func entries(of type: String, where isWanted: (SubsetSource.Entry) -> Bool = { _ in true })
        -> [SubsetSource.Entry]
    {
        source.entries.filter { entry in
            guard entry.type == type, entry.sql != nil else { return false }
            if type == "table" {
                let folded = entry.name.foldedASCII
                // A module makes its own tables, and SQLite those of its name.
                let isOwn =
                    source.catalog.tables[folded] != nil
                    || source.unreadable.contains { $0.name == entry.name }
                return isOwn && !folded.hasPrefix("sqlite_") && isWanted(entry)
            }
            return isWanted(entry)
        }
    }

    private func isVirtual(_ entry: SubsetSource.Entry) -> Bool {
        let folded = entry.name.foldedASCII
        return source.schema.virtualTables[folded] != nil || source.catalog.tables[folded]?.module != nil
    }

    private func make(_ entry: SubsetSource.Entry, _ connection: any Connection) throws {
        guard let sql = entry.sql else { return }
        do {
            try connection.execute(sql)
        } catch var error as EngineError where error.isStatementError {
            error.message = "\(entry.type) \(quotedIfNeeded(entry.name)) cannot be made: \(error.message)"
            throw error
        }
    }

    /// Every object must have its statement, to the byte.
    private func compareSchema(_ connection: any Connection, without missing: Set<String>) throws {
        var made: [String: String] = [:]
        try connection.forEachRow("SELECT type, name, sql FROM main.sqlite_schema") { row in
            made["\(row.string(0)) \(row.string(1))"] = row.optionalString(2)
        }
        for entry in source.entries where entry.sql != nil && !entry.name.foldedASCII.hasPrefix("sqlite_") {
            let sql = made["\(entry.type) \(entry.name)"]
            // Left out, with a note.
            if missing.contains(entry.table) { continue }
            guard let sql else {
                // A table of a module, which this SQLite names otherwise or does not need.
                guard entry.type == "table", source.catalog.tables[entry.name.foldedASCII] == nil else {
                    throw Unlike(name: entry.name)
                }
                continue
            }
            guard sql.utf8.elementsEqual((entry.sql ?? "").utf8) else { throw Unlike(name: entry.name) }
        }
    }
}

/// What SQLite says of a database that was made.
struct SubsetCheck: Sendable {
    /// What is wrong with the file.
    var faults: [String] = []
    /// What integrity_check says of rows that the database has as well.
    var brokenChecks: [String] = []
    /// How many times a row refers to a missing one.
    var orphans = 0
    /// Those whose table is missing altogether.
    var withoutTable: [SubsetReport.Orphans] = []
    var notes: [String] = []

    init(_ connection: any Connection, _ source: SubsetSource) throws {
        func messages() throws -> [String] {
            try connection.rows("PRAGMA main.integrity_check(100)") { $0.string(0) }.filter { $0 != "ok" }
        }
        try connection.execute("PRAGMA ignore_check_constraints = ON")
        faults = try messages()
        try connection.execute("PRAGMA ignore_check_constraints = OFF")
        brokenChecks = try messages()
        for table in source.tables where !table.isVirtual {
            var missing: [String: Int] = [:]
            do {
                try connection.forEachRow("PRAGMA main.foreign_key_check(\(quotedName(table.name)))") { row in
                    orphans += 1
                    let parent = row.string(2)
                    if source.schema.table(parent) == nil { missing[parent, default: 0] += 1 }
                }
            } catch let error as EngineError where error.isStatementError {
                notes.append(
                    "the foreign keys of \(quotedIfNeeded(table.name)) cannot be checked: \(error.message)")
            }
            for (parent, rows) in missing.sorted(by: { $0.key < $1.key }) {
                let key = source.schema.table(table.name)?.foreignKeys.first {
                    $0.parent.foldedASCII == parent.foldedASCII
                }
                withoutTable.append(
                    .init(table: table.name, columns: key?.columns ?? [], parent: parent, rows: rows))
            }
        }
    }
}
