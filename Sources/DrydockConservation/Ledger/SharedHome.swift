import DrydockState
import DatabaseEngine
import DrydockFindings
import DrydockMigrations
import SQLiteSchema

/// Dropped tables whose rows went to one table, or to the same ones. That each has all of its rows there is not enough:
/// where two had the same row, as UNION would keep it once, it must be there twice.
struct SharedHome {
    let homes: [Catalog.Table]
    let connection: any Connection
    /// The rows that were in the one home before; nil where they may have come from the dropped tables.
    var owner: Owner?

    /// A dropped table with the columns of the home that have its values, and the condition for rows that may go.
    struct Claim {
        var table: Catalog.Table
        var columns: [TableMatch.ColumnPair]
        /// What declarations let go, whether it is used or not.
        let allowance: Allowance
        var allowed = Allowance.nothing.condition

        /// The columns of the home, folded, whose values declarations allow to change.
        var rewritten: Set<String> {
            Set(columns.filter(allowance.rewrites).map(\.after.name.foldedASCII))
        }
    }

    /// The table that the home was before, and the condition for rows of it that may go.
    struct Owner {
        let match: TableMatch
        let allowed: String
        /// The columns of its key; empty where it has none, or where the home may have the same key twice.
        let keys: [TableMatch.ColumnPair]

        init(_ match: TableMatch, allowed: String) {
            (self.match, self.allowed) = (match, allowed)
            let keys = match.before.primaryKey.compactMap { key in
                match.columns.first { $0.before.name == key.name }
            }
            let key = Set(match.after.primaryKey.map(\.name))
            let isKey = !key.isEmpty && key.isSubset(of: keys.map(\.after.name))
            self.keys = isKey && keys.count == match.before.primaryKey.count ? keys : []
        }

        /// Whether some columns of the home (folded) distinguish its rows from others.
        func isKnown(by names: [String]) -> Bool {
            !keys.isEmpty || Set(match.columns.map(\.after.name.foldedASCII)).isSuperset(of: names)
        }
    }

    /// Returns how many rows the homes lack to have those of each table; nil where SQLite cannot say.
    /// - Parameter names: columns of the homes, folded, that have values of all tables.
    /// - Throws: ``EngineError``.
    func missing(_ claims: [Claim], in names: [String]) throws -> Int? {
        // Rows that may get new keys are not one because they had the same.
        let rewritten = claims.reduce(into: Set()) { $0.formUnion($1.rewritten) }
        let keys = names.filter { !rewritten.contains($0) }
        guard !names.isEmpty, !homes.contains(where: { Self.isRowKey(keys, of: $0) }) else { return 0 }
        let (own, condition) = ownRows(names)
        let claimed = claims.map { claim in
            Pool.Rows(
                Self.columns(names, claim.columns), from: claim.table.earlier, where: "NOT \(claim.allowed)")
        }
        let paid = homes.map { home in
            Pool.Rows(names.map(quotedName), from: "\(home.later) AS home", where: condition)
        }
        return try Pool(owed: claimed + own, paid: paid)
            .missing(connection, where: isNotOneByKey(names, among: keys))
    }

    /// Returns the names, in a table before the step, of the columns that have these names in the home.
    private static func columns(_ names: [String], _ pairs: [TableMatch.ColumnPair]) -> [String] {
        names.compactMap { name in
            pairs.first { $0.after.name.foldedASCII == name }.map { quotedName($0.before.name) }
        }
    }

    /// Whether some columns have the key of a home's rows, which is never NULL: equal rows are one by definition.
    private static func isRowKey(_ names: [String], of home: Catalog.Table) -> Bool {
        let key = home.primaryKey.map(\.name.foldedASCII)
        guard !key.isEmpty, Set(key).isSubset(of: names), let layout = RecordLayout(home) else {
            return false
        }
        return layout.isWithoutRowid || key.count == 1 && layout.column(key[0])?.source == .rowid
    }

    /// Returns the condition that no UNIQUE index of a home among some columns makes equal rows one: NULLs in it are distinct.
    private func isNotOneByKey(_ names: [String], among keyNames: [String]) throws -> String {
        let schema = StateInspector.laterSchema
        var keys: [String: [String?]] = [:]
        for home in homes {
            let sql = """
                SELECT list.name, info.name FROM pragma_index_list(\(quotedText(home.name)), '\(schema)') AS list,
                pragma_index_info(list.name, '\(schema)') AS info WHERE list."unique" AND NOT list.partial
                """
            try connection.forEachRow(sql) {
                keys[$0.string(0), default: []].append($0.optionalString(1)?.foldedASCII)
            }
        }
        let conditions = keys.values.compactMap { key -> String? in
            let places = key.compactMap { name in
                name.flatMap { keyNames.contains($0) ? names.firstIndex(of: $0) : nil }
            }
            guard places.count == key.count else { return nil }
            return "(" + places.map { "c\($0 * 2) IS NULL" }.joined(separator: " OR ") + ")"
        }
        return conditions.isEmpty ? "1" : conditions.sorted().joined(separator: " AND ")
    }

    /// Returns the rows that the home had before: as more rows that it must have, or as a condition for those that came.
    private func ownRows(_ names: [String]) -> (owed: [Pool.Rows], condition: String) {
        guard let owner else { return ([], "1") }
        let before = owner.match.before.earlier
        guard !owner.keys.isEmpty else {
            let columns = Self.columns(names, owner.match.columns)
            return ([.init(columns, from: before, where: "NOT \(owner.allowed)", isClaimed: false)], "1")
        }
        let isSame = owner.keys.map {
            "old.\(quotedName($0.before.name)) = home.\(quotedName($0.after.name))"
        }.joined(separator: " AND ")
        return ([], "NOT EXISTS (SELECT 1 FROM \(before) AS old WHERE \(isSame) AND NOT \(owner.allowed))")
    }
}
