import SQLiteSchema

/// `schema-mismatch`: a migrated snapshot's schema is not that of a fresh install, so that the next
/// migration meets two kinds of database. Schemas are compared by meaning; the order of columns alone is a
/// warning.
enum SchemaMismatch {
    static func findings(migrated: Catalog, fresh: Catalog) -> [Finding] {
        let (mine, theirs) = (migrated.schema, fresh.schema)
        var findings: [Finding] = []
        for change in SchemaDiff(from: mine, to: theirs).changes() {
            findings.append(
                Finding(
                    .schemaMismatch, change.isQuiet ? .warning : .error,
                    message(change),
                    help:
                        "Users who upgrade and users who install now have different schemas. Add a migration that "
                        + "brings them together, or take the snapshot again if it was changed by hand.",
                    table: change.table, evidence: evidence(change, mine, theirs)))
        }
        return findings
    }

    private static func message(_ change: SchemaChange) -> String {
        switch change {
        case .tableAdded(let table): "table \(table.name) is missing, which a fresh install has"
        case .indexAdded(let index):
            "index \(index.name) of \(index.table) is missing, which a fresh install has"
        case .viewAdded(let view): "view \(view.name) is missing, which a fresh install has"
        case .triggerAdded(let trigger):
            "trigger \(trigger.name) of \(trigger.table) is missing, which a fresh install has"
        case .virtualTableAdded(let table):
            "virtual table \(table.name) is missing, which a fresh install has"
        case .tableDropped(let table): "table \(table.name) is there, which a fresh install has not"
        case .indexDropped(let index):
            "index \(index.name) of \(index.table) is there, which a fresh install has not"
        case .viewDropped(let view): "view \(view.name) is there, which a fresh install has not"
        case .triggerDropped(let trigger):
            "trigger \(trigger.name) of \(trigger.table) is there, which a fresh install has not"
        case .virtualTableDropped(let table):
            "virtual table \(table.name) is there, which a fresh install has not"
        case .table(let name, .columnAdded(let column)):
            "column \(name).\(column.name) is missing, which a fresh install has"
        case .table(let name, .columnDropped(let column)):
            "column \(name).\(column.name) is there, which a fresh install has not"
        case .table(let name, .columnOrder):
            "table \(name) has its columns in another order than a fresh install"
        default: "a fresh install has another \(change)"
        }
    }

    /// Both definitions, where both have the object.
    private static func evidence(_ change: SchemaChange, _ mine: Schema, _ theirs: Schema) -> Evidence? {
        guard let name = change.table, let old = mine.table(name), let new = theirs.table(name), old != new
        else {
            return nil
        }
        let printer = SchemaPrinter(printsSettings: false)
        func line(_ table: Table) -> String {
            printer.text(table).split(whereSeparator: \.isWhitespace).joined(separator: " ")
        }
        return Evidence(details: ["snapshot:      \(line(old))", "fresh install: \(line(new))"])
    }
}

extension Catalog {
    /// The same by meaning. Shadow tables, history and SQLite's own are left out already.
    var schema: Schema {
        let tables = tables.values.map {
            SchemaRow(type: "table", name: $0.name, table: $0.name, sql: $0.text)
        }
        let objects = objects.values.map {
            SchemaRow(type: $0.kind.rawValue, name: $0.name, table: $0.tableName, sql: $0.text)
        }
        return SchemaParser().schema(of: tables + objects)
    }
}
