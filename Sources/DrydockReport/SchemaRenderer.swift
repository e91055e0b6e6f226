import SQLiteSchema

/// The formats of a schema; the text is stable enough to commit.
package enum SchemaFormat: String, CaseIterable, Sendable {
    case sql, json, mermaid

    package func render(_ schema: Schema) -> String {
        switch self {
        case .sql: SchemaPrinter(printsSettings: false).text(schema)
        case .json: jsonText(JSONEnvelope(command: "schema", JSONSchema(schema)))
        case .mermaid: Self.mermaid(schema)
        }
    }

    // MARK: - Mermaid

    /// Returns an entity-relationship diagram (https://mermaid.js.org/syntax/entityRelationshipDiagram.html).
    private static func mermaid(_ schema: Schema) -> String {
        var text = "erDiagram\n"
        let tables = schema.tables.sorted { $0.key < $1.key }.map(\.value)
        for table in tables {
            text += "    \(entity(table.name)) {\n"
            for column in table.columns {
                let isKey =
                    table.primaryKey?.terms.contains { $0.column.foldedASCII == column.name.foldedASCII }
                    ?? false
                let isForeign = table.foreignKeys.contains { key in
                    key.columns.contains { $0.foldedASCII == column.name.foldedASCII }
                }
                let marks = [isKey ? "PK" : nil, isForeign ? "FK" : nil].compactMap { $0 }.joined(
                    separator: ", ")
                let type = column.declaredType.isEmpty ? "ANY" : column.declaredType
                text +=
                    "        \(word(type)) \(word(column.name))" + (marks.isEmpty ? "" : " \(marks)") + "\n"
            }
            text += "    }\n"
        }
        for table in tables {
            for key in table.foreignKeys {
                let isOptional = key.columns.contains { name in
                    table.column(name).map { !table.isNotNull($0) } ?? true
                }
                text +=
                    "    \(entity(key.parent)) \(isOptional ? "|o" : "||")--o{ \(entity(table.name)) : "
                    + entity(key.columns.joined(separator: ", ")) + "\n"
            }
        }
        return text
    }

    private static func entity(_ name: String) -> String {
        "\"" + VisibleText.line(name).replacing("\"", with: "'") + "\""
    }

    /// Returns a word of letters, digits and underscores, the only characters that an attribute may have.
    private static func word(_ text: String) -> String {
        let word = String(VisibleText.line(text).map { $0.isLetter || $0.isNumber ? $0 : "_" })
        return word.first?.isLetter == true ? word : "_" + word
    }
}

private struct JSONSchema: Encodable {
    struct Table: Encodable {
        var name: String
        var columns: [Column]
        var primaryKey: [String]
        var autoincrement: Bool
        var uniques: [[String]]
        var checks: [String]
        var foreignKeys: [ForeignKey]
        var indexes: [Object]
        var triggers: [Object]
        var withoutRowid, strict: Bool
        var sql: String
    }

    struct Column: Encodable {
        var name, type: String
        var notNull: Bool
        var defaultValue, collation, generated: String?
        /// For generated columns only.
        var stored: Bool?
    }

    struct ForeignKey: Encodable {
        var columns: [String]
        var parent: String
        var parentColumns: [String]?
        var onDelete, onUpdate: String
        var match: String?
        var deferred: Bool
    }

    struct Object: Encodable {
        var name, sql: String
    }

    var tables: [Table]
    var views, virtualTables: [Object]

    init(_ schema: Schema) {
        let printer = SchemaPrinter(printsSettings: false)
        func sorted<T>(_ objects: [String: T]) -> [T] { objects.sorted { $0.key < $1.key }.map(\.value) }
        // To look through all of them for each table takes seconds where there are thousands.
        let indexes = Dictionary(grouping: sorted(schema.indexes)) { $0.table.foldedASCII }
        let triggers = Dictionary(grouping: sorted(schema.triggers)) { $0.table.foldedASCII }
        tables = sorted(schema.tables).map { table in
            Table(
                name: table.name,
                columns: table.columns.map { column in
                    Column(
                        name: column.name, type: column.declaredType, notNull: table.isNotNull(column),
                        defaultValue: column.defaultValue?.description, collation: column.collation,
                        generated: column.generated.map { "\($0.expression)" },
                        stored: column.generated?.isStored)
                },
                primaryKey: table.primaryKey?.terms.map(\.column) ?? [],
                autoincrement: table.primaryKey?.isAutoincrement ?? false,
                uniques: table.uniques.map { $0.terms.map(\.column) },
                checks: table.checks.map { "\($0.expression)" },
                foreignKeys: table.foreignKeys.map {
                    ForeignKey(
                        columns: $0.columns, parent: $0.parent, parentColumns: schema.parentColumns(of: $0),
                        onDelete: $0.onDelete.rawValue, onUpdate: $0.onUpdate.rawValue, match: $0.match,
                        deferred: $0.isDeferred)
                },
                indexes: indexes[table.name.foldedASCII, default: []].map {
                    Object(name: $0.name, sql: printer.text($0))
                },
                triggers: triggers[table.name.foldedASCII, default: []].map {
                    Object(name: $0.name, sql: printer.text($0))
                },
                withoutRowid: table.isWithoutRowid, strict: table.isStrict, sql: printer.text(table))
        }
        views = sorted(schema.views).map { Object(name: $0.name, sql: printer.text($0)) }
        virtualTables = sorted(schema.virtualTables).map { Object(name: $0.name, sql: printer.text($0)) }
    }
}
