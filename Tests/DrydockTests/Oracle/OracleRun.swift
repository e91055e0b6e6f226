import CSQLite
import DatabaseEngine

@testable import DrydockTestSupport

/// Runs migrations as a tool does, on plain SQLite connections.
enum OracleRun {
    /// Returns a copy of a database in memory.
    static func copy(_ database: PlainDatabase) throws -> PlainDatabase {
        let copy = try PlainDatabase()
        guard let backup = sqlite3_backup_init(copy.handle, "main", database.handle, "main") else {
            throw PlainDatabase.Failure(
                description: "no copy: \(String(cString: sqlite3_errmsg(copy.handle)))")
        }
        sqlite3_backup_step(backup, -1)
        guard sqlite3_backup_finish(backup) == SQLITE_OK else {
            throw PlainDatabase.Failure(
                description: "no copy: \(String(cString: sqlite3_errmsg(copy.handle)))")
        }
        return copy
    }

    /// Returns the database after a file; throws the error with which SQLite refuses it.
    static func result(
        of file: MigrationCase.File, on database: PlainDatabase, _ tool: MigrationCase.Tool
    ) throws -> PlainDatabase {
        let database = try copy(database)
        // GRDB does not read text in double quotes as a string.
        if tool == .drydock || tool == .immediate {
            _ = csqlite_set_double_quoted_strings(database.handle, 0)
        }
        try database.execute("PRAGMA foreign_keys = \(tool.enforces ? 1 : 0)")
        if tool.hasTransaction { try database.execute("BEGIN IMMEDIATE") }
        for statement in file.statements { try database.execute(statement) }
        if tool == .drydock, try !database.rows("PRAGMA foreign_key_check", [], { $0.string(0) }).isEmpty {
            throw PlainDatabase.Failure(description: "a foreign key is violated")
        }
        if tool.hasTransaction { try database.execute("COMMIT") }
        return database
    }
}
