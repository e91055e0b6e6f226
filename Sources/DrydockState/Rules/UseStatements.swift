import DatabaseEngine
import DrydockFindings

/// The statements that an app can use every table and view of a database with: a SELECT of all columns, a DELETE, an
/// UPDATE, and an INSERT with all columns and with none, which takes every default. They are only compiled, which needs every
/// function and syntax that the schema uses.
package enum UseStatements {
    /// Returns those that compile on a connection.
    package static func compiling(in catalog: Catalog, on connection: any Connection) throws -> [String] {
        let views = catalog.objects.values.filter { $0.kind == .view }
        let isTooLarge = ViewExpansion(views.map { (name: $0.name, sql: $0.text) }).hasTooLarge
        let names = catalog.tables.values.map(\.name).sorted()
        var statements: [String] = []
        for name in names + (isTooLarge ? [] : views.map(\.name).sorted()) {
            let reading = "SELECT * FROM main.\(quotedName(name))"
            // The columns of a view that does not compile are not known.
            guard try refusal(of: reading, on: connection) == nil else { continue }
            statements.append(reading)
            if !isTooLarge { statements += try ViewRule.firingStatements(name, on: connection) }
            statements.append("INSERT INTO main.\(quotedName(name)) DEFAULT VALUES")
        }
        return try statements.filter { try refusal(of: $0, on: connection) == nil }
    }

    /// Returns why a statement does not compile; nil if it does.
    package static func refusal(of sql: String, on connection: any Connection) throws -> String? {
        do {
            _ = try connection.prepare(sql)
            return nil
        } catch let error as EngineError {
            if error.isOutage || error.isInterrupt { throw error }
            return error.message
        }
    }
}
