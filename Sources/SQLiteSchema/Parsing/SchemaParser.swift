/// Makes a `Schema` of the rows of sqlite_schema, or of a file of CREATE statements.
public struct SchemaParser: Sendable {
    /// Folded names of the tables in which migration tools keep their history: they are state, not schema.
    private let historyTables: Set<String>

    /// Folded names of tables that are known to hold a virtual table's data.
    private let shadowTables: Set<String>

    /// - Parameters:
    ///   - historyTables: tables in which migration tools keep what was applied; they are left out.
    ///   - shadowTables: tables that `PRAGMA table_list` calls `shadow`; those of SQLite's own modules are
    ///     known without it (https://www.sqlite.org/vtab.html#the_xshadowname_method).
    public init(historyTables: some Sequence<String> = [], shadowTables: some Sequence<String> = []) {
        self.historyTables = Set(historyTables.map(\.foldedASCII))
        self.shadowTables = Set(shadowTables.map(\.foldedASCII))
    }

    /// The schema that rows of sqlite_schema make, in whatever order.
    ///
    /// What cannot be parsed is in `Schema.unparsed`: a database that SQLite opens has a schema in any case.
    public func schema(
        of rows: some Sequence<SchemaRow>, settings: DatabaseSettings = DatabaseSettings()
    ) -> Schema {
        var builder = SchemaBuilder(schema: Schema(settings: settings))
        for row in rows { add(row, to: &builder) }
        return finished(builder)
    }

    /// The schema that a file of CREATE statements makes.
    ///
    /// DROP takes an object away again, PRAGMA sets what is a setting, CREATE TEMP and everything that is
    /// about rows is passed over, and a dump's INSERT INTO sqlite_schema makes what it says. ALTER is an
    /// error, since what it makes only SQLite knows: read sqlite_schema of a database that ran it.
    /// - Throws: the first error with its place.
    public func schema(of source: SQLSource) throws(SchemaError) -> Schema {
        var errors: [SchemaError] = []
        let schema = self.schema(of: source, errors: &errors)
        if let first = errors.first { throw first }
        return schema
    }

    /// As `schema(of:)`, and goes on after an error: a CREATE with one becomes `Schema.unparsed`.
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

    /// Adds what a row describes; nothing for the indexes that constraints make, nor for state.
    /// - Returns: what was added and understood.
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
            var reader = DDLReader(statement)
            let create = try reader.create()
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

    /// Whether a table is state: SQLite's own, or a history table.
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
