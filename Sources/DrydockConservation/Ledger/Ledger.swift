import DatabaseEngine
import DrydockFindings
import DrydockMigrations
import DrydockState
import SQLiteSchema

/// Accounts for the rows of tables that are gone: data that moved is not lost.
///
/// ``Provenance`` says into which tables and columns statements may have brought them; then every row is compared, as a
/// multiset and with its storage classes. A column that is not in the same table as the others is searched for by itself
/// (``ColumnAccount``).
package struct Ledger {
    let connection: any Connection
    let before: Catalog
    let after: Catalog
    let declarations: [Declaration]
    let provenance: () -> Provenance

    /// A table that has rows of another table.
    package struct Home: Sendable {
        package var table: Catalog.Table
        /// Where it has the values of the columns.
        var columns: [TableMatch.ColumnPair] = []
        /// Columns with values missing there, and the number of those values.
        package var missing: [(column: Catalog.Column, valueCount: Int)] = []
        /// Whether its rows have keys that SQLite counted, in place of those that are missing.
        package var hasNewKeys = false
    }

    /// Returns where the rows of a dropped table are; rows that a declaration allows to go are not searched for.
    func dropped(_ table: Catalog.Table) throws -> Conservation.DroppedTable {
        let count =
            try table.isContentless
            ? IndexComparison.documentCount(of: table, connection)
            : connection.count("SELECT count(*) FROM \(table.earlier)")
        var dropped = Conservation.DroppedTable(table: table, rowCount: count)
        if count == 0 || table.isContentless
            || declarations.contains(where: { $0.kind.isDrop(of: table.name) })
        {
            return dropped
        }
        try search(for: &dropped, allowing: .nothing)
        let allowance = Allowance(of: table, declarations)
        guard !dropped.isMoved, !allowance.isEmpty else { return dropped }
        // A condition can fail on a row; then it allows nothing. One that matches every row does not allow the table to
        // go.
        let left = try? connection.count(
            "SELECT count(*) FROM \(table.earlier) WHERE NOT \(allowance.condition)")
        guard let left, left > 0 else { return dropped }
        try search(for: &dropped, allowing: allowance)
        return dropped
    }

    private func search(
        for dropped: inout Conservation.DroppedTable, allowing allowance: Allowance
    ) throws {
        if let home = try home(of: dropped.table, allowing: allowance) {
            dropped.home = home
            dropped.needsDeclarations = !allowance.isEmpty
        }
        guard !dropped.isMoved else { return }
        dropped.parts = try parts(of: dropped.table, allowing: allowance)
        guard !dropped.parts.isEmpty else { return }
        let mayLackColumns = dropped.table.storedColumns.contains { isLetGo($0, of: dropped.table) }
        dropped.needsDeclarations = !allowance.isEmpty || mayLackColumns
    }

    /// Whether a declaration lets a column of a dropped table go.
    private func isLetGo(_ column: Catalog.Column, of table: Catalog.Table) -> Bool {
        declarations.contains { $0.kind.isDrop(of: column.name.foldedASCII, in: [table.name]) }
    }

    /// Notes where the values of a table's dropped columns are.
    /// - Parameter search: looks for those that are in no place to which statements lead; nil where that is not wanted.
    func locateColumns(
        of pair: TableMatch, _ facts: inout Conservation, _ search: DroppedValueSearch?
    ) throws {
        let table = pair.before
        // Values that can be computed again may have been moved all the same.
        let gone = facts.droppedColumns.indices.filter { index in
            let dropped = facts.droppedColumns[index]
            return dropped.table.name == table.name && !table.isContentless
                && (dropped.valueCount > 0 || dropped.basis?.gone.isEmpty == true)
                && !dropped.column.isDropped(from: pair, declarations)
        }
        guard let first = gone.first else { return }
        var allowance = Allowance(of: table, now: pair.after, declarations)
        allowance.conditions = facts.droppedColumns[first].letGo
        let places = try places(
            of: gone.map { facts.droppedColumns[$0].column }, of: table, in: pair.after, pair.columns,
            allowance)
        for (index, place) in zip(gone, places) {
            let dropped = facts.droppedColumns[index]
            facts.droppedColumns[index].place = place
            // A generated column's expression can fail on some row.
            if let search, dropped.valueCount > 0, place == nil, dropped.equalColumn == nil,
                !dropped.column.isGenerated
            {
                facts.droppedColumns[index].whereabouts = try search.columns(holding: dropped)
            }
        }
    }

    /// Returns where the values of columns are that the table with the rows does not have.
    private func places(
        of columns: [Catalog.Column], of table: Catalog.Table, in later: Catalog.Table,
        _ pairs: [TableMatch.ColumnPair], _ allowance: Allowance
    ) throws -> [ColumnAccount.Place?] {
        guard !columns.isEmpty else { return [] }
        let provenance = provenance()
        let identity = try RowIdentity(of: table, in: later, pairs, allowance, connection)
        var joint = JointAccount(
            connection: connection, table: table, successor: later, pairs: pairs, identity: identity,
            allowance: allowance)
        // A cell in which statements put together several values may pay for each; any other pays once.
        var taken: [String: Bool] = [:]
        return try columns.map { column in
            let account = ColumnAccount(
                connection: connection, after: after, provenance: provenance, table: table, column: column,
                successor: later, pairs: pairs, identity: identity, allowance: allowance,
                earlier: { earlier($0, besides: table, provenance) })
            let place = try account.place { place in
                try joint.agrees(column, place) && taken[place.path].map { $0 && place.isNamed } ?? true
            }
            if let place, place.missing == 0 {
                joint.add(column, place)
                taken[place.path] = place.isNamed
            }
            return place
        }
    }

    // MARK: - One table

    /// Returns the table that has every row of a dropped one, and the most of its columns.
    /// - Parameters:
    ///   - allowance: the rows and values that may be missing.
    ///   - others: tables that are not looked at.
    func home(
        of table: Catalog.Table, allowing allowance: Allowance = .nothing,
        besides others: [Catalog.Table] = []
    ) throws -> Home? {
        let provenance = provenance()
        var best: Home?
        for later in provenance.relatives(of: table, in: after, by: .inserted)
        where !others.contains(where: { $0.name == later.name }) {
            guard let home = try home(of: table, in: later, provenance, allowance) else { continue }
            if home.missing.isEmpty { return home }
            if home.missing.count < best?.missing.count ?? .max { best = home }
        }
        return best
    }

    /// Returns what a table has of a dropped one's rows.
    /// - Parameter refuted: columns whose values the copied column of another name does not have, with its path: it was
    ///   looked up by them.
    private func home(
        of table: Catalog.Table, in later: Catalog.Table, _ provenance: Provenance, _ allowance: Allowance,
        besides refuted: [String: String] = [:]
    ) throws -> Home? {
        var taken: Set<String> = []
        var pairs: [TableMatch.ColumnPair] = []
        var home = Home(table: later)
        for column in table.storedColumns {
            // Values under another column's name cannot be found by name: the copy swaps the two.
            let copies = provenance.columns(for: column.name, of: table, in: later).filter {
                ($0.name.foldedASCII == column.name.foldedASCII || table.column($0.name) == nil)
                    && !provenance.isCounted($0, in: later, for: column.name, of: table)
            }
            let candidates = copies + [later.column(column.name)].compactMap(\.self).filter(\.isGenerated)
            if refuted[column.name] == nil,
                let found = candidates.first(where: { taken.insert($0.name.foldedASCII).inserted })
            {
                pairs.append(.init(before: column, after: found))
                continue
            }
            let count = try connection.count(
                "SELECT count(\(quotedName(column.name))) FROM \(table.earlier)")
            let isNewKey = hasNewKey(later, of: table, column, provenance)
            if isNewKey { home.hasNewKeys = true }
            if count > 0, !isNewKey || !allowance.rewrites(column) { home.missing.append((column, count)) }
        }
        guard !pairs.isEmpty, try identifyRows(pairs, home, of: table, provenance),
            let difference = try difference(table, later, pairs, allowing: allowance)
        else { return nil }
        let changed = difference.changed.keys.filter { !allowance.rewrites(pairs[$0]) }
        if difference.lost.count > 0 || !changed.isEmpty {
            // Without a key, the rows do not show which column differs.
            let suspects = difference.lost.count > 0 ? Array(pairs.indices) : changed
            let looked = suspects.map { pairs[$0] }.filter {
                $0.before.keyPosition == 0 && $0.before.name.foldedASCII != $0.after.name.foldedASCII
            }
            guard refuted.isEmpty, !looked.isEmpty else { return nil }
            return try self.home(
                of: table, in: later, provenance, allowance,
                besides: Dictionary(
                    looked.map { ($0.before.name, later.path(of: $0.after.name)) },
                    uniquingKeysWith: { first, _ in first }))
        }
        home.columns = pairs
        let left = try allowance.after(difference, of: table, connection)
        let places = try places(of: home.missing.map(\.column), of: table, in: later, pairs, left)
        // What is in the column after all has NULLs of other rows filled, which a copy may not.
        guard !places.contains(where: { $0.map { refuted.values.contains($0.path) } ?? false }) else {
            return nil
        }
        home.missing = zip(home.missing, places).map { ($0.column, $1?.missing ?? $0.valueCount) }
            .filter { $0.1 > 0 }
        return home
    }

    /// Whether equal values show that the rows are the same: keys count from 1 in every table, so those of two tables
    /// are often equal by chance. Rows without their key are known only by all else, copied.
    private func identifyRows(
        _ pairs: [TableMatch.ColumnPair], _ home: Home, of table: Catalog.Table, _ provenance: Provenance
    ) throws -> Bool {
        func isCopied(_ pair: TableMatch.ColumnPair) -> Bool {
            provenance.isCopied(pair.before.name, of: table, to: pair.after.name, in: home.table)
        }
        let hasKey = table.primaryKey.allSatisfy { key in pairs.contains { $0.before.name == key.name } }
        guard hasKey else {
            let isWhole = home.missing.allSatisfy {
                $0.column.keyPosition > 0 || isLetGo($0.column, of: table)
            }
            return try isWhole && pairs.allSatisfy(isCopied) && isFilled(home.table, only: table, provenance)
        }
        let others = try pairs.filter { pair in
            try pair.before.keyPosition == 0
                && connection.count(
                    "SELECT EXISTS (SELECT 1 FROM \(table.earlier) WHERE \(quotedName(pair.before.name)) IS NOT NULL)"
                ) > 0
        }
        if !home.missing.isEmpty { return others.contains(where: isCopied) }
        return !others.isEmpty || pairs.contains(where: isCopied)
    }

    /// Whether a table has a key that SQLite counted, in place of another such key.
    private func hasNewKey(
        _ later: Catalog.Table, of table: Catalog.Table, _ key: Catalog.Column, _ provenance: Provenance
    ) -> Bool {
        guard table.model?.rowidAlias?.name == key.name, let new = later.model?.rowidAlias?.name else {
            return false
        }
        return !table.storedColumns.contains { provenance.isCopied($0.name, of: table, to: new, in: later) }
    }

    /// Whether a table got no more rows than dropped tables had: without keys, others could pay for them.
    private func isFilled(
        _ later: Catalog.Table, only table: Catalog.Table, _ provenance: Provenance
    ) throws -> Bool {
        guard !provenance.hasOtherRows(later, than: table) else { return false }
        let gone = provenance.end[later.name].map { provenance.end.suppliers(of: $0) } ?? []
        let givers = before.tables.values.filter { giver in
            giver.keepsRows && provenance.start[giver.name].map { gone.contains($0.id) } ?? false
        }
        guard givers.contains(where: { $0.name == table.name }) else { return false }
        let had = earlier(later, besides: table, provenance).map { "(SELECT count(*) FROM \($0.earlier))" }
        let given = givers.map { "(SELECT count(*) FROM \($0.earlier))" } + (had.map { [$0] } ?? [])
        return try connection.count(
            "SELECT (SELECT count(*) FROM \(later.later)) <= \(given.joined(separator: " + "))") == 1
    }

    /// Returns the difference between the tables; nil where a row cannot be read.
    private func difference(
        _ table: Catalog.Table, _ later: Catalog.Table, _ pairs: [TableMatch.ColumnPair],
        allowing allowance: Allowance
    ) throws -> TableDifference? {
        let match = TableMatch(before: table, after: later, columns: pairs, droppedColumns: [])
        let rewritable = Set(pairs.indices.filter { allowance.rewrites(pairs[$0]) })
        do {
            return try TableComparison(
                connection: connection, match: match, rewritable: rewritable, deletable: allowance.conditions
            ).run()
        } catch let error as EngineError where !error.isInterrupt && !error.isCorruption {
            return nil
        }
    }

    // MARK: - Several tables

    /// Returns the tables that have every row of a dropped table between them, as often as it had it and whole, but for
    /// columns that declarations allow to go: by each some were copied. Empty where a row is in none.
    ///
    /// Where they lack further columns, each says so, as the home of a table does.
    private func parts(of table: Catalog.Table, allowing allowance: Allowance) throws -> [Home] {
        let provenance = provenance()
        let columns = table.storedColumns.filter { !isLetGo($0, of: table) }
        let copies = provenance.relatives(of: table, in: after, by: .inserted).map { later in
            (table: later, pairs: copied(columns, of: table, in: later, provenance))
        }
        let whole = try parts(
            of: table, copies.filter { $0.pairs.count == columns.count }.map { Home(table: $0, columns: $1) },
            allowance, provenance)
        guard whole.isEmpty else { return whole }
        let some = copies.filter { $0.pairs.contains { $0.before.keyPosition == 0 } }
        let names = some.map { Set($0.pairs.map(\.before.name)) }
        guard let first = names.first, first.count < columns.count, names.allSatisfy({ $0 == first }) else {
            return []
        }
        let missing = try columns.filter { !first.contains($0.name) }.map { column in
            (column, try connection.count("SELECT count(\(quotedName(column.name))) FROM \(table.earlier)"))
        }
        return try parts(
            of: table, some.map { Home(table: $0, columns: $1, missing: missing.filter { $0.1 > 0 }) },
            allowance,
            provenance)
    }

    /// Returns tables, each with the same columns of a dropped one, if they have every row of it between them.
    private func parts(
        of table: Catalog.Table, _ parts: [Home], _ allowance: Allowance, _ provenance: Provenance
    ) throws -> [Home] {
        guard parts.count > 1, !parts[0].columns.isEmpty else { return [] }
        let own = Pool.Rows(
            parts[0].columns.map { quotedName($0.before.name) }, from: table.earlier,
            where: "NOT \(allowance.condition)")
        let pool = Pool(
            owed: [own] + parts.compactMap { ownRows(of: $0, besides: table, provenance) },
            paid: parts.map { .init($0.columns.map { quotedName($0.after.name) }, from: $0.table.later) })
        return try pool.missing(connection) == 0 ? parts : []
    }

    /// Returns the rows that a part had before, and must have besides those of the table; nil for a new table, or where
    /// statements copied rows of one to the other before.
    private func ownRows(of part: Home, besides table: Catalog.Table, _ provenance: Provenance) -> Pool.Rows?
    {
        let columns = part.columns.map(\.after.name)
        guard let before = earlier(part.table, besides: table, provenance),
            columns.allSatisfy({ before.column($0) != nil })
        else { return nil }
        return .init(columns.map(quotedName), from: before.earlier)
    }

    /// Returns another table as it was before the step; nil for a new table, or where statements copied rows of one to the
    /// other before.
    private func earlier(_ other: Catalog.Table, besides table: Catalog.Table, _ provenance: Provenance)
        -> Catalog.Table?
    {
        guard let now = provenance.end[other.name], let name = provenance.start.key(of: now.id)?.name,
            !areRelated(table.name, name)
        else { return nil }
        return before.table(name)
    }

    /// Returns those of some columns of a table that statements copied into a later table, in their order.
    private func copied(
        _ columns: [Catalog.Column], of table: Catalog.Table, in later: Catalog.Table,
        _ provenance: Provenance
    ) -> [TableMatch.ColumnPair] {
        var taken: Set<String> = []
        return columns.compactMap { column in
            provenance.columns(for: column.name, of: table, in: later).first {
                provenance.isCopied(column.name, of: table, to: $0.name, in: later)
                    && taken.insert($0.name.foldedASCII).inserted
            }.map { .init(before: column, after: $0) }
        }
    }

    // MARK: - Relations

    /// Whether a table was dropped and its name was given to a table without its rows.
    func isReplaced(_ table: Catalog.Table, by taker: Catalog.Table) -> Bool {
        table.keepsRows && provenance().isUnrelated(taker.name, to: table.name)
    }

    /// Whether a statement, perhaps of an earlier migration, gave a column the value of another, or one that it decides.
    func isGiven(
        _ column: Catalog.Column, of table: Catalog.Table, to later: Catalog.Column,
        of successor: Catalog.Table
    ) -> Bool {
        let provenance = provenance()
        return provenance.isCopied(column.name, of: table, to: later.name, in: successor)
            || provenance.partners(of: column.name, of: table, in: successor)
                .words[later.name.foldedASCII] != nil
    }

    /// Whether statements before the step copied rows from one table to another, or to both from a third.
    func areRelated(_ table: String, _ other: String) -> Bool {
        let start = provenance().start
        guard let one = start[table], let two = start[other] else { return false }
        return !start.suppliers(of: one).union([one.id])
            .isDisjoint(with: start.suppliers(of: two).union([two.id]))
    }
}
