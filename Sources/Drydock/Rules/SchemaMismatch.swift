import SQLiteSchema

/// `schema-mismatch`: a migrated snapshot's schema is not that of a fresh install, so that the next
/// migration meets two kinds of database.
enum SchemaMismatch {
    static func findings(migrated: Catalog, fresh: Catalog) -> [Finding] {
        var findings: [Finding] = []
        let (mine, theirs) = (objects(migrated), objects(fresh))
        for (id, object) in theirs.sorted(by: { order($0.key) < order($1.key) }) where mine[id] == nil {
            findings.append(
                finding(
                    id, object, "is missing, which a fresh install has", ["fresh install: \(object.line)"]))
        }
        for (id, object) in mine.sorted(by: { order($0.key) < order($1.key) }) {
            guard let other = theirs[id] else {
                findings.append(
                    finding(
                        id, object, "is there, which a fresh install has not", ["snapshot: \(object.line)"]))
                continue
            }
            guard object.sql != other.sql else { continue }
            let isOrderAlone = id.kind == .table && object.sql.differsOnlyInColumnOrder(from: other.sql)
            var mismatch = finding(
                id, object,
                isOrderAlone
                    ? "has its columns in another order than a fresh install"
                    : "is not what a fresh install has",
                ["snapshot:      \(object.line)", "fresh install: \(other.line)"])
            if isOrderAlone { mismatch.severity = .warning }
            findings.append(mismatch)
        }
        return findings
    }

    private struct Definition {
        var name: String
        var table: String
        var sql: NormalizedSQL
        var text: String

        /// On one line.
        var line: String { text.split(whereSeparator: \.isWhitespace).joined(separator: " ") }
    }

    private static func objects(_ catalog: Catalog) -> [Catalog.ObjectID: Definition] {
        var result = catalog.objects.mapValues {
            Definition(name: $0.name, table: $0.tableName, sql: $0.sql, text: $0.text)
        }
        for table in catalog.tables.values {
            result[.init(.table, table.name)] = Definition(
                name: table.name, table: table.name, sql: table.sql, text: table.text)
        }
        return result
    }

    private static func order(_ id: Catalog.ObjectID) -> (String, String) { (id.kind.rawValue, id.name) }

    private static func finding(
        _ id: Catalog.ObjectID, _ object: Definition, _ what: String, _ details: [String]
    ) -> Finding {
        Finding(
            .schemaMismatch, "\(id.kind.rawValue) \(object.name) \(what)",
            help:
                "Users who upgrade and users who install now have different schemas. Add a migration that brings them "
                + "together, or take the snapshot again if it was changed by hand.",
            table: object.table, evidence: Evidence(details: details))
    }
}
