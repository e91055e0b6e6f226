import DrydockState
import DatabaseEngine
import DrydockFindings
import DrydockMigrations

/// Finds the dropped tables whose home has all of their rows, but not all rows of the other tables that were copied there.
struct CrowdedHomes {
    let connection: any Connection
    let ledger: Ledger
    let kept: [Conservation.Kept]
    var droppedTables: [Conservation.DroppedTable]

    mutating func settle() throws {
        let members = droppedTables.indices.filter { droppedTables[$0].home != nil }
        for (name, group) in Dictionary(grouping: members, by: { droppedTables[$0].home?.table.name }) {
            guard let home = droppedTables[group[0]].home?.table else { continue }
            let owner = kept.first { $0.match.after.name == name }.flatMap(owner)
            try settle(group, SharedHome(homes: [home], connection: connection, owner: owner))
        }
        for (group, homes) in splitTables() {
            try settle(group, SharedHome(homes: homes, connection: connection))
        }
    }

    /// Returns the tables whose rows went to several new ones, with those that went to some of the same: where the columns
    /// of each have the same names in all of its homes.
    private func splitTables() -> [(group: [Int], homes: [Catalog.Table])] {
        var result: [(group: [Int], homes: [Catalog.Table])] = []
        var open = droppedTables.indices.filter { !droppedTables[$0].homes.isEmpty }
        while let first = open.first(where: { droppedTables[$0].homes.count > 1 }) {
            var (group, homes) = ([first], droppedTables[first].homes.map(\.table))
            open.removeAll { $0 == first }
            while let next = open.first(where: { index in
                droppedTables[index].homes.contains { home in homes.contains { $0.name == home.table.name } }
            }) {
                open.removeAll { $0 == next }
                group.append(next)
                homes += droppedTables[next].homes.map(\.table).filter { home in
                    !homes.contains { $0.name == home.name }
                }
            }
            let areNamedOnce = group.allSatisfy { index in
                Set(droppedTables[index].homes.map { Self.names($0.columns) }).count == 1
            }
            let areNew = homes.allSatisfy { home in !kept.contains { $0.match.after.name == home.name } }
            if group.count > 1, areNew, areNamedOnce { result.append((group.sorted(), homes)) }
        }
        return result
    }

    /// Compares some tables with each other.
    private mutating func settle(_ group: [Int], _ shared: SharedHome) throws {
        if try hasRoom(shared, for: group) { return }
        for (place, index) in group.enumerated() {
            try settle(index, besides: Array(group[..<place]), shared)
        }
    }

    /// Returns what a kept table still has of its rows; nil where that is not known.
    private func owner(_ kept: Conservation.Kept) -> SharedHome.Owner? {
        let (match, difference) = (kept.match, kept.difference)
        let allowance = Allowance(of: match.before, now: match.after, ledger.declarations)
        let owner = SharedHome.Owner(match, allowed: allowance.condition)
        // What is lost is reported anyway.
        guard difference.lost.count == 0 else { return nil }
        return owner.keys.isEmpty && !difference.changed.isEmpty ? nil : owner
    }

    /// Whether the home has the rows of all tables, whatever they have to do with each other.
    private func hasRoom(_ shared: SharedHome, for group: [Int]) throws -> Bool {
        try sets(of: group).allSatisfy { names in
            var shared = shared
            if shared.owner?.isKnown(by: names) == false { shared.owner = nil }
            let claims = group.filter { homeColumns($0).isSuperset(of: names) }.map(claim)
            return try claims.count == 1 && shared.owner == nil || shared.missing(claims, in: names) == 0
        }
    }

    /// Compares a dropped table with those before it, by each set of columns that is all of one of them.
    private mutating func settle(
        _ index: Int, besides earlier: [Int], _ shared: SharedHome
    ) throws {
        // Rows that were copied from one table to another before are one, and what lacks rows is reported already.
        func areApart(_ index: Int, _ other: Catalog.Table) -> Bool {
            !ledger.areRelated(droppedTables[index].table.name, other.name)
        }
        let candidates = earlier.filter { droppedTables[$0].crowding == nil }.reduce(into: [index]) {
            apart, next in
            if apart.allSatisfy({ areApart(next, droppedTables[$0].table) }) { apart.append(next) }
        }
        for names in sets(of: candidates) where homeColumns(index).isSuperset(of: names) {
            var (shared, others) = (
                shared, candidates.dropFirst().filter { homeColumns($0).isSuperset(of: names) }
            )
            if let owner = shared.owner {
                let before = owner.match.before
                if owner.isKnown(by: names), areApart(index, before) {
                    others = others.filter { areApart($0, before) }
                } else {
                    shared.owner = nil
                }
            }
            guard !others.isEmpty || shared.owner != nil else { continue }
            guard let missing = try lacks(shared, others + [index], in: names) else {
                // It cannot be said that its rows are there.
                (droppedTables[index].home, droppedTables[index].parts) = (nil, [])
                return
            }
            guard missing > 0 else { continue }
            if let other = try ownHome(of: index) {
                droppedTables[index].home = other
                return
            }
            droppedTables[index].crowding = .init(
                homes: shared.homes,
                others: others.map { droppedTables[$0].table.name }
                    + (shared.owner.map { [$0.match.before.name] } ?? []), missing: missing)
            return
        }
    }

    /// Returns a new table that has the rows of a dropped one, and to which no other one was copied.
    private func ownHome(of index: Int) throws -> Ledger.Home? {
        let taken = droppedTables.flatMap { $0.homes.map(\.table) } + kept.map(\.match.after)
        let home = try ledger.home(of: droppedTables[index].table, besides: taken)
        return home?.missing.isEmpty == true ? home : nil
    }

    private func claim(_ index: Int) -> SharedHome.Claim {
        let table = droppedTables[index].table
        return .init(
            table: table, columns: droppedTables[index].homes.first?.columns ?? [],
            allowance: Allowance(of: table, ledger.declarations))
    }

    /// The columns, folded, that have a dropped table's values in its home.
    private func homeColumns(_ index: Int) -> Set<String> {
        Self.names(droppedTables[index].homes.first?.columns ?? [])
    }

    private static func names(_ columns: [TableMatch.ColumnPair]) -> Set<String> {
        Set(columns.map(\.after.name.foldedASCII))
    }

    /// The different ones among those columns, sorted.
    private func sets(of indices: [Int]) -> [[String]] {
        Set(indices.map(homeColumns)).map { $0.sorted() }.sorted { $0.lexicographicallyPrecedes($1) }
    }

    /// Returns how many rows are missing; if declarations let them go, none. Nil where SQLite cannot say.
    private mutating func lacks(
        _ shared: SharedHome, _ indices: [Int], in names: [String]
    ) throws -> Int? {
        var claims = indices.map(claim)
        let missing = try shared.missing(claims, in: names)
        guard let missing, missing > 0 else { return missing }
        let rewritten = claims.reduce(into: Set()) { $0.formUnion($1.rewritten) }
        for place in claims.indices { claims[place].allowed = claims[place].allowance.condition }
        let left = try shared.missing(claims, in: names.filter { !rewritten.contains($0) })
        if left == 0 { for index in indices { droppedTables[index].needsDeclarations = true } }
        // A condition can fail on a row; then it allows nothing.
        return left ?? missing
    }
}
