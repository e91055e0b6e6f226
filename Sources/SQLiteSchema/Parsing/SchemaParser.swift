/// A parser that makes a `Schema` from the rows of sqlite_schema, or from a file of CREATE statements.
///
///     let source = SQLSource(name: "schema.sql", "CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT);")
///     let schema = try SchemaParser().schema(of: source)
public struct SchemaParser: Sendable {
    /// Folded names of the history tables of migration tools: they are state, not schema.
    private let historyTables: Set<String>

    /// Folded names of tables that are known to store a virtual table's data.
    private let shadowTables: Set<String>

    /// - Parameters:
    ///   - historyTables: the history tables of migration tools; they are left out.
    ///   - shadowTables: the tables with the type `shadow` in `PRAGMA table_list`. Those of SQLite's own modules
    ///     are known without it (https://www.sqlite.org/vtab.html#the_xshadowname_method).
    public init(historyTables: some Sequence<String> = [], shadowTables: some Sequence<String> = []) {
        self.historyTables = Set(historyTables.map(\.foldedASCII))
        self.shadowTables = Set(shadowTables.map(\.foldedASCII))
    }

    /// Returns the schema of rows of sqlite_schema, in any order.
    ///
    /// Objects that cannot be parsed are in `Schema.unparsed`: every database that SQLite opens has a schema.
    public func schema(
        of rows: some Sequence<SchemaRow>, settings: DatabaseSettings = DatabaseSettings()
    ) -> Schema {
        var builder = SchemaBuilder(schema: Schema(settings: settings))
        for row in rows { add(row, to: &builder) }
        return finished(builder)
    }

    /// Returns the schema that a file of CREATE statements makes.
    ///
    /// DROP removes an object, PRAGMA sets a setting, CREATE TEMP and statements about rows are ignored, and
    /// the INSERT INTO sqlite_schema of a dump adds its object. ALTER is an error, since only SQLite knows
    /// its result: read sqlite_schema of a database that ran it.
    /// - Throws: the first error with its position.
    public func schema(of source: SQLSource) throws(SchemaError) -> Schema {
        var errors: [SchemaError] = []
        let schema = self.schema(of: source, errors: &errors)
        if let first = errors.first { throw first }
        return schema
    }

    /// Like `schema(of:)`, but goes on after an error: a CREATE with an error is added to `Schema.unparsed`.
    public func schema(of source: SQLSource, errors: inout [SchemaError]) -> Schema {
        var builder = SchemaBuilder()
        var reader = ScriptReader(parser: self)
        for statement in StatementSplitter(source) {
            do throws(SchemaError) {
                try reader.read(statement, into: &builder)
            } catch {
                errors.append(error)
            }
        }
        return finished(builder)
    }

    /// Adds the object of a row; ignores the indexes of constraints, and state.
    /// - Returns: the object, if it was added and could be parsed.
    @discardableResult
    func add(_ row: SchemaRow, to builder: inout SchemaBuilder) -> CreateStatement.Object? {
        guard let sql = row.sql, !isState(row.name), !isState(row.table) else { return nil }
        if row.type == "table" { builder.note(table: row.name, sql: sql) }
        let source = SQLSource(name: "sqlite_schema", sql)
        var statements = StatementSplitter(source)
        guard let statement = statements.next() else {
            builder.add(unparsed: row, sql, reason: "the SQL is empty")
            return nil
        }
        do throws(SchemaError) {
            let create = try CreateStatement(statement)
            guard create.name.name.isSameName(as: row.name) else {
                builder.add(unparsed: row, sql, reason: "the SQL creates \(create.name.name)")
                return nil
            }
            builder.add(create.object)
            return create.object
        } catch {
            builder.add(unparsed: row, sql, reason: error.message)
            return nil
        }
    }

    /// Returns whether a table is state: SQLite's own, or a history table.
    func isState(_ name: String) -> Bool {
        let folded = name.foldedASCII
        return folded.hasPrefix("sqlite_") || historyTables.contains(folded)
    }

    private func finished(_ builder: SchemaBuilder) -> Schema {
        var builder = builder
        builder.removeShadowTables(shadowTables)
        builder.resolveDoubleQuotes()
        return builder.schema
    }
}
