/// A reader of the statements of a SQL file that applies their effects to a schema.
struct ScriptReader {
    let parser: SchemaParser

    /// The first words of statements that leave the schema unchanged.
    private static let others: Set<String> = [
        "analyze", "attach", "begin", "commit", "delete", "detach", "end", "explain", "insert", "reindex",
        "release", "replace", "rollback", "savepoint", "select", "update", "vacuum", "values", "with",
    ]

    mutating func read(_ statement: SQLStatement, into builder: inout SchemaBuilder) throws(SchemaError) {
        switch statement.action {
        case .dropTable(let name), .dropView(let name):
            if isMain(name) { builder.dropTable(name.name) }
            return
        case .dropIndex(let name):
            if isMain(name) { builder.schema.indexes[name.name.foldedASCII] = nil }
            return
        case .dropTrigger(let name):
            if isMain(name) { builder.schema.triggers[name.name.foldedASCII] = nil }
            return
        case .pragma(let schema, let name, let value):
            if let value, schema.map({ $0.isSameName(as: "main") }) ?? true {
                set(name.foldedASCII, value, &builder.schema.settings)
            }
            return
        case .insert(let table, _, nil) where isSchemaTable(table.name):
            if let row = schemaRow(statement) { parser.add(row, to: &builder) }
            return
        default: break
        }
        let first = statement.tokens[0].text(in: statement.source)
        if first.foldedASCII == "create" {
            try create(statement, &builder)
        } else if !Self.others.contains(first.foldedASCII) {
            throw SchemaError(
                message: first.foldedASCII == "alter"
                    ? "ALTER TABLE is not read from a SQL file: only SQLite knows its result"
                    : "no statement begins with \(first.prefix(40))",
                source: statement.source.name, location: statement.location)
        }
    }

    private func create(_ statement: SQLStatement, _ builder: inout SchemaBuilder) throws(SchemaError) {
        do throws(SchemaError) {
            let create = try CreateStatement(statement)
            guard !create.isTemporary, isMain(create.name), !parser.isState(create.name.name) else { return }
            guard !builder.contains(create.object) else {
                if create.ifNotExists { return }
                throw SchemaError(
                    message: "\(create.name.name) already exists", source: statement.source.name,
                    location: statement.location)
            }
            switch create.object {
            case .index(let index) where parser.isState(index.table): return
            case .trigger(let trigger) where parser.isState(trigger.table): return
            default: builder.add(create.object)
            }
        } catch {
            if let row = row(statement) {
                if parser.isState(row.name) || parser.isState(row.table) { return }
                builder.add(unparsed: row, statement.text, reason: error.message)
            }
            throw error
        }
    }

    private func isMain(_ name: QualifiedName) -> Bool { name.schema?.isSameName(as: "main") ?? true }

    private func isSchemaTable(_ name: String) -> Bool {
        name.isSameName(as: "sqlite_schema") || name.isSameName(as: "sqlite_master")
    }

    /// Returns what a statement that cannot be parsed seems to create.
    private func row(_ statement: SQLStatement) -> SchemaRow? {
        func row(_ type: String, _ name: QualifiedName, _ table: String) -> SchemaRow {
            SchemaRow(type: type, name: name.name, table: table, sql: statement.text)
        }
        switch statement.action {
        case .createTable(let name, false, _), .createVirtualTable(let name, _):
            return row("table", name, name.name)
        case .createIndex(let name, let table): return row("index", name, table)
        case .createView(let name, false): return row("view", name, name.name)
        case .createTrigger(let name, let table, false): return row("trigger", name, table)
        default: return nil
        }
    }

    /// Returns the row that a dump writes for a virtual table, with its SQL in the last text (`.dump` of
    /// https://www.sqlite.org/cli.html).
    private func schemaRow(_ statement: SQLStatement) -> SchemaRow? {
        let texts = statement.tokens.compactMap { $0.stringValue(in: statement.source) }
        guard texts.count >= 4, let sql = texts.last else { return nil }
        return SchemaRow(type: texts[0], name: texts[1], table: texts[2], sql: sql)
    }

    private func set(_ name: String, _ value: String, _ settings: inout DatabaseSettings) {
        switch name {
        case "user_version": settings.userVersion = Int32(value) ?? settings.userVersion
        case "application_id": settings.applicationID = Int32(value) ?? settings.applicationID
        case "page_size": settings.pageSize = Int(value) ?? settings.pageSize
        case "encoding":
            let folded = value.foldedASCII
            settings.encoding =
                TextEncoding.allCases.first { $0.rawValue.foldedASCII == folded }
                ?? (folded == "utf8" ? .utf8 : settings.encoding)
        case "auto_vacuum":
            switch value.foldedASCII {
            case "none", "0": settings.autoVacuum = DatabaseSettings.AutoVacuum.none
            case "full", "1": settings.autoVacuum = .full
            case "incremental", "2": settings.autoVacuum = .incremental
            default: break
            }
        default: break
        }
    }
}
