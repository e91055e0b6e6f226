import DatabaseEngine
import DrydockFindings
import DrydockMigrations
import SQLiteSchema

/// Dropped tables whose rows went to one table. That each has all of its rows there is not enough: where two had the same
/// row, as UNION would keep it once, it must be there twice.
struct SharedHome {
    let home: Catalog.Table
    let connection: any Connection
    /// The rows that were in the home before; nil where they may have come from the dropped tables.
    var owner: Conservation.Kept?

    /// A dropped table with the columns of the home that have its values, and the condition for rows that may go.
    struct Claim {
        var table: Catalog.Table
        var columns: [TableMatch.ColumnPair]
        var allowed = Allowance.nothing.condition
    }

    /// Returns how many rows the home lacks to have those of each table.
    /// - Parameter names: columns of the home, folded, that have values of all tables.
    /// - Throws: ``EngineError``.
    func missing(_ claims: [Claim], in names: [String]) throws -> Int {
        // With a key among them, equal rows are one by definition.
        guard !names.isEmpty, try !isKey(names) else { return 0 }
        let selects = claims.map { claim in
            "SELECT 1, 1, \(MovedData.values(Self.columns(names, claim.columns))) "
                + "FROM main.\(quotedName(claim.table.name)) WHERE NOT \(claim.allowed)"
        }
        let (own, condition) = ownRows(names)
        let supply =
            "SELECT -1, 0, \(MovedData.values(names.map(quotedName))) "
            + "FROM \(TableComparison.afterSchema).\(quotedName(home.name)) AS home WHERE \(condition)"
        let values = (0..<names.count * 2).map { "c\($0)" }.joined(separator: ", ")
        let sql = """
            WITH rows(weight, claimed, \(values)) AS (\((selects + own + [supply]).joined(separator: " UNION ALL ")))
            SELECT coalesce(sum(lack), 0) FROM (
            SELECT sum(weight) AS lack FROM rows GROUP BY \(values) HAVING sum(weight) > 0 AND max(claimed) > 0)
            """
        do {
            return try Conservation.count(connection, sql)
        } catch let error as EngineError where error.isOfExpression {
            return 0
        }
    }

    /// Returns the names, in a table before the step, of the columns that have these names in the home.
    private static func columns(_ names: [String], _ pairs: [TableMatch.ColumnPair]) -> [String] {
        names.compactMap { name in
            pairs.first { $0.after.name.foldedASCII == name }.map { quotedName($0.before.name) }
        }
    }

    /// Whether no two rows can have the same values in some columns.
    private func isKey(_ names: [String]) throws -> Bool {
        let key = home.primaryKey.map(\.name.foldedASCII)
        if !key.isEmpty, Set(key).isSubset(of: names) { return true }
        let list = names.map(quotedText).joined(separator: ", ")
        let schema = TableComparison.afterSchema
        let sql = """
            SELECT count(*) FROM pragma_index_list(\(quotedText(home.name)), '\(schema)') AS list
            WHERE list."unique" AND NOT list.partial AND NOT EXISTS (
            SELECT 1 FROM pragma_index_info(list.name, '\(schema)') WHERE name IS NULL OR lower(name) NOT IN (\(list)))
            """
        return try Conservation.count(connection, sql) > 0
    }

    /// Returns the rows that the home had before: as more rows that it must have, or as a condition for those that came.
    private func ownRows(_ names: [String]) -> (selects: [String], condition: String) {
        guard let owner else { return ([], "1") }
        let before = owner.match.before
        let keys = before.primaryKey.compactMap { key in
            owner.match.columns.first { $0.before.name == key.name }
        }
        guard !keys.isEmpty, keys.count == before.primaryKey.count else {
            let columns = MovedData.values(Self.columns(names, owner.match.columns))
            return (["SELECT 1, 0, \(columns) FROM main.\(quotedName(before.name))"], "1")
        }
        let isSame = keys.map {
            "old.\(quotedName($0.before.name)) IS home.\(quotedName($0.after.name))"
        }.joined(separator: " AND ")
        return ([], "NOT EXISTS (SELECT 1 FROM main.\(quotedName(before.name)) AS old WHERE \(isSame))")
    }
}

extension Conservation {
    /// Finds the dropped tables whose home has all of their rows, but not those of the others that went there as well.
    mutating func settleSharedHomes(
        _ connection: any Connection, _ moved: MovedData, _ declarations: [Declaration]
    ) throws {
        let members = droppedTables.indices.filter { droppedTables[$0].home != nil }
        for (name, group) in Dictionary(grouping: members, by: { droppedTables[$0].home?.table.name }) {
            let owner = kept.first { $0.match.after.name == name && isOwner($0) }
            for (place, index) in group.enumerated() {
                try settle(index, besides: Array(group[..<place]), owner, connection, moved, declarations)
            }
        }
    }

    /// Compares a dropped table with those before it, by each set of columns that is all of one of them.
    private mutating func settle(
        _ index: Int, besides earlier: [Int], _ owner: Kept?, _ connection: any Connection,
        _ moved: MovedData, _ declarations: [Declaration]
    ) throws {
        let table = droppedTables[index].table
        guard let home = droppedTables[index].home else { return }
        let rest = owner.flatMap { moved.hadRows(of: table, $0.match.before) ? nil : $0 }
        // One that lacks rows is reported, and no other one for the same rows.
        let candidates = earlier.filter {
            droppedTables[$0].crowding == nil
                && !moved.areRelated(table, droppedTables[$0].table, besides: home.table)
        }
        let sets = Set((candidates + [index]).map(homeColumns)).filter { $0.isSubset(of: homeColumns(index)) }
        for names in sets.map({ $0.sorted() }).sorted(by: { $0.lexicographicallyPrecedes($1) }) {
            let others = candidates.filter { homeColumns($0).isSuperset(of: names) }
            let columns = rest?.match.columns.map(\.after.name.foldedASCII) ?? []
            let owner = Set(columns).isSuperset(of: names) ? rest : nil
            guard !others.isEmpty || owner != nil else { continue }
            let shared = SharedHome(home: home.table, connection: connection, owner: owner)
            let missing = try lacks(shared, others + [index], in: names, declarations)
            guard missing > 0 else { continue }
            droppedTables[index].crowding = .init(
                home: home.table,
                others: others.map { droppedTables[$0].table.name }
                    + (owner.map { [$0.match.before.name] } ?? []), missing: missing)
            return
        }
    }

    /// The columns, folded, that have a dropped table's values in its home.
    private func homeColumns(_ index: Int) -> Set<String> {
        Set(droppedTables[index].home?.columns.map(\.after.name.foldedASCII) ?? [])
    }

    /// Whether all rows that a table had before are still there.
    private func isOwner(_ kept: Kept) -> Bool {
        let difference = kept.difference
        let isKeyed = !kept.match.before.primaryKey.isEmpty
        return difference.lost.count == 0 && difference.declaredLost == 0
            && (isKeyed || difference.changed.isEmpty)
    }

    /// Returns how many rows are missing; if declarations let them go, none.
    private mutating func lacks(
        _ shared: SharedHome, _ indices: [Int], in names: [String], _ declarations: [Declaration]
    ) throws -> Int {
        var claims = indices.map {
            SharedHome.Claim(table: droppedTables[$0].table, columns: droppedTables[$0].home?.columns ?? [])
        }
        let missing = try shared.missing(claims, in: names)
        guard missing > 0 else { return 0 }
        var rewritten: Set<String> = []
        for place in claims.indices {
            let allowance = Allowance(of: claims[place].table, declarations)
            claims[place].allowed = allowance.condition
            rewritten.formUnion(
                claims[place].columns.filter { allowance.rewrites($0.before) }.map(\.after.name.foldedASCII))
        }
        let left = try shared.missing(claims, in: names.filter { !rewritten.contains($0) })
        if left == 0 { for index in indices { droppedTables[index].needsDeclarations = true } }
        return left
    }
}
