import DatabaseEngine
import DrydockMigrations
import DrydockState
import SQLiteSchema

/// The schema that one statement of a migration meets, and who created what is in it.
package struct LintContext: Sendable {
    /// An object of the schema.
    package struct Object: Sendable {
        package var type: String
        package var name: String
        /// The table or view that it is on; of these the name itself.
        package var table: String
        package var sql: String
        package var isTemporary: Bool
    }

    package var migration: Migration
    package var statement: SQLStatement
    /// The objects before the statement.
    package var before: [Object]
    /// The objects after it; as before it if it is refused.
    package var after: [Object]
    let record: LintRecord

    /// Returns the statement that created an object, under the name that it has now; nil for one of the base.
    package func origin(_ type: String, _ name: String) -> SQLStatement? {
        switch type {
        case "table": record[.table(name)]?.statement
        case "index": record[.index(name)]?.statement
        case "view": record[.view(name)]?.statement
        case "trigger": record[.trigger(name)]?.statement
        default: nil
        }
    }

    /// Returns the ALTER that added a column.
    package func origin(column: String, of table: String) -> SQLStatement? {
        record[.column(column, of: table)]?.statement
    }
}

extension Linter {
    /// Returns the moment of the statement of a file that an offset is in, or that comes before it, or the first one.
    ///
    /// - Returns: nil if the file has no statement of a migration, or an earlier migration does not run.
    /// - Throws: as ``run(_:)``.
    package func context(
        _ request: LintRequest, edited: [String: [UInt8]], cache: LintCache, path: String, offset: Int
    ) async throws -> LintContext? {
        let choice = try FormatChoice(request.migrations, edited: edited, cache: cache.files)
        var set = try await readings(choice, request).all[0].set
        try set.declare(request.migrations.declarations)
        guard
            let number = set.migrations.firstIndex(where: { $0.statements.first?.source.name == path })
        else { return nil }
        let migration = set.migrations[number]
        let place = migration.statements.lastIndex { $0.range.lowerBound <= offset } ?? 0
        let run = LintRun(
            request: request, set: set, selection: try selection(request, set),
            isOneSet: request.since != nil || request.followsLock)
        let settings = settings(set, request)
        let start = cache.checkpoint(for: run)
        // The walk must not begin after the migration.
        let usable = start.flatMap {
            $0.position <= number ? $0 : cache.checkpoint(before: number, like: run)
        }
        let overlay = try await overlay(set, settings, from: usable)
        return try await engine.use(overlay, settings: settings) { database in
            try await database.withConnection { connection in
                var run = usable.map { LintRun($0.run, set: run.set, selection: run.selection) } ?? run
                return try run.context(of: place, in: number, on: connection, from: usable) {
                    cache.note($0, $1, $2, overlay, edited: Set(edited.keys))
                }
            }
        }
    }
}

extension LintReplay {
    /// Returns the objects of the schema, with the temporary ones first, as SQLite looks names up.
    func objects() throws -> [LintContext.Object] {
        try ["temp", "main"].flatMap { schema in
            try connection.rows(
                "SELECT type, name, tbl_name, sql FROM \(schema).sqlite_schema WHERE sql IS NOT NULL", []
            ) { row in
                LintContext.Object(
                    type: row.string(0), name: row.string(1), table: row.string(2), sql: row.string(3),
                    isTemporary: schema == "temp")
            }
        }
    }
}
