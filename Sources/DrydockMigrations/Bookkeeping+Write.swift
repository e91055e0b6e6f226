import DatabaseEngine
import SQLiteSchema

extension Bookkeeping {
    package func write(on connection: any Connection) throws {
        for statement in SQLSource(name: "bookkeeping", sql).statements() { try Sandbox.check(statement) }
        guard !values.isEmpty else { return try connection.execute(sql) }
        try connection.forEachRow(sql, values) { _ in }
    }
}
