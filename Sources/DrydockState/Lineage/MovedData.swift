import DrydockFindings
import DatabaseEngine
import SQLiteSchema

/// Searches the remaining tables for the rows of a dropped table and the values of a dropped column: data that moved is
/// not lost.
///
/// ``Provenance`` names the tables and columns to which statements may have copied them; then every row is compared, as
/// a multiset and with its storage classes.
package struct MovedData {
    let connection: any Connection
    let after: Catalog
    let provenance: () -> Provenance

    /// A table that has every row of another table.
    package struct Home: Sendable {
        package var table: Catalog.Table
        /// Where it has the values of the columns.
        var columns: [TableMatch.ColumnPair] = []
        /// Columns with values missing there, and the number of those values.
        package var missing: [(column: Catalog.Column, valueCount: Int)] = []
    }

    /// The largest number of searches for the column with the key.
    private static let keyLimit = 50

    /// - Parameters:
    ///   - allowance: the rows and values that may be missing.
    ///   - others: tables that are not looked at.
    func home(
        of table: Catalog.Table, allowing allowance: Allowance = .nothing,
        besides others: [Catalog.Table] = []
    ) throws -> Home? {
        let provenance = provenance()
        var best: Home?
        for later in candidates(for: table, provenance, \.inserted)
        where !others.contains(where: { $0.name == later.name }) {
            guard let home = try home(of: table, in: later, provenance, allowance) else { continue }
            if home.missing.isEmpty { return home }
            if home.missing.count < best?.missing.count ?? .max { best = home }
        }
        return best
    }

    var inheritance: Inheritance {
        Inheritance(connection: connection, after: after, provenance: provenance())
    }

    /// Whether a table was dropped and its name was given to a table without its rows.
    func isReplaced(_ table: Catalog.Table, by taker: Catalog.Table) -> Bool {
        table.keepsRows && provenance().isUnrelated(taker.name, to: table.name)
    }

    /// Whether a statement, perhaps of an earlier migration, copied a column to another.
    func isCopied(
        _ column: Catalog.Column, of table: Catalog.Table, to later: Catalog.Column,
        of successor: Catalog.Table
    ) -> Bool {
        let provenance = provenance()
        return !provenance.start.columns.sources(ofColumn: column.name, in: table.name)
            .isDisjoint(with: provenance.end.columns.sources(ofColumn: later.name, in: successor.name))
    }

    /// Whether statements before the step copied rows from one table to another, or to both from a third.
    func areRelated(_ table: String, _ other: String) -> Bool {
        let start = provenance().start
        guard let one = start[table], let two = start[other] else { return false }
        return !start.suppliers(of: one).union([one.id])
            .isDisjoint(with: start.suppliers(of: two).union([two.id]))
    }

    func candidates(
        for table: Catalog.Table, _ provenance: Provenance,
        _ link: KeyPath<TableIncarnation, Set<Int>>
    ) -> [Catalog.Table] {
        provenance.relatives(of: table, by: link).compactMap { after.tables[$0] }.filter(\.keepsRows)
    }

    private func home(
        of table: Catalog.Table, in later: Catalog.Table, _ provenance: Provenance, _ allowance: Allowance
    ) throws -> Home? {
        var taken: Set<String> = []
        var pairs: [TableMatch.ColumnPair] = []
        var home = Home(table: later)
        for column in table.storedColumns {
            // Values under another column's name cannot be found by name: the copy swaps the two.
            let copies = provenance.columns(for: column.name, of: table, in: later).filter {
                $0.name.foldedASCII == column.name.foldedASCII || table.column($0.name) == nil
            }
            let candidates = copies + [later.column(column.name)].compactMap { $0 }.filter(\.isGenerated)
            if let found = candidates.first(where: { taken.insert($0.name.foldedASCII).inserted }) {
                pairs.append(.init(before: column, after: found))
                continue
            }
            let count = try connection.firstRow(
                "SELECT count(\(quotedName(column.name))) FROM main.\(quotedName(table.name))"
            ) { Int($0.integer(0)) }
            if let count, count > 0 { home.missing.append((column, count)) }
        }
        let isKnown = table.primaryKey.allSatisfy { key in pairs.contains { $0.before.name == key.name } }
        guard isKnown, !pairs.isEmpty, try identifyRows(pairs, home, of: table, provenance),
            try isFound(table, later, pairs, allowing: allowance)
        else { return nil }
        home.columns = pairs
        try home.missing.removeAll { missing in
            try self.home(of: missing.column, of: table, besides: later, provenance, allowance) != nil
                || reference(to: missing.column, of: table, in: later, pairs, provenance) != nil
        }
        return home
    }

    /// Whether equal values show that the rows are the same: keys count from 1 in every table, so those of two tables
    /// are often equal by chance.
    private func identifyRows(
        _ pairs: [TableMatch.ColumnPair], _ home: Home, of table: Catalog.Table, _ provenance: Provenance
    ) throws -> Bool {
        func isCopied(_ pair: TableMatch.ColumnPair) -> Bool {
            provenance.isCopied(pair.before.name, of: table, to: pair.after.name, in: home.table)
        }
        let others = try pairs.filter { pair in
            let name = quotedName(pair.before.name)
            return try pair.before.keyPosition == 0
                && connection.firstRow(
                    "SELECT EXISTS (SELECT 1 FROM main.\(quotedName(table.name)) WHERE \(name) IS NOT NULL)"
                ) { $0.integer(0) != 0 } ?? false
        }
        if !home.missing.isEmpty { return others.contains(where: isCopied) }
        return !others.isEmpty || pairs.contains(where: isCopied)
    }

    /// Returns the column, as TABLE.COLUMN, of another table that has every value of a dropped column beside the key of
    /// its row, or to which its row leads.
    /// - Parameter successor: the table that has the rows now; a column that existed before may have the values.
    func home(
        of column: Catalog.Column, in table: Catalog.Table, succeededBy successor: TableMatch,
        allowing allowance: Allowance = .nothing
    ) throws -> String? {
        let provenance = provenance()
        if let found = try home(of: column, besides: successor, provenance, allowance) {
            return "\(quotedIfNeeded(successor.after.name)).\(quotedIfNeeded(found.name))"
        }
        return try home(of: column, of: table, besides: nil, provenance, allowance)
            ?? reference(to: column, of: table, in: successor.after, successor.columns, provenance)
    }

    /// Returns the column of another table that has every value of a column beside the key of its row.
    /// - Parameter other: a table that is known not to have the values.
    private func home(
        of column: Catalog.Column, of table: Catalog.Table, besides other: Catalog.Table?,
        _ provenance: Provenance, _ allowance: Allowance
    ) throws -> String? {
        for later in candidates(for: table, provenance, \.fills) where later.name != other?.name {
            let copied = provenance.columns(for: column.name, of: table, in: later)
            let assigned = provenance.assignedColumns(for: column.name, of: table, in: later).filter {
                other in
                !copied.contains { $0.name == other.name }
            }
            for candidate in copied + assigned {
                guard try isEnough(candidate, of: later, for: column, of: table, allowance) else { continue }
                for key in try keys(of: table, besides: column, in: later, candidate, provenance) {
                    let pairs = key + [.init(before: column, after: candidate)]
                    let condition = "\(quotedName(column.name)) IS NULL"
                    guard try isFound(table, later, pairs, except: condition, allowing: allowance) else {
                        continue
                    }
                    return "\(quotedIfNeeded(later.name)).\(quotedIfNeeded(candidate.name))"
                }
            }
        }
        return nil
    }

    /// Returns the column of another table in which every value is found through a new reference of its row.
    private func reference(
        to column: Catalog.Column, of table: Catalog.Table, in later: Catalog.Table,
        _ pairs: [TableMatch.ColumnPair], _ provenance: Provenance
    ) throws -> String? {
        let references = ReferencedValues(
            connection: connection, after: after, provenance: provenance, table: table, later: later,
            pairs: pairs)
        return try references.home(
            of: column, filled: candidates(for: table, provenance, \.fills))
    }

    /// Returns a column of the same row into which a statement, perhaps of an earlier migration, copied the values.
    private func home(
        of column: Catalog.Column, besides successor: TableMatch, _ provenance: Provenance,
        _ allowance: Allowance
    ) throws -> Catalog.Column? {
        let table = successor.before
        let names = provenance.start.columns.names(ofColumn: column.name, in: table.name)
        return try successor.after.columns.first { other in
            let others = provenance.end.columns.names(ofColumn: other.name, in: successor.after.name)
            let areMentioned = names.contains { name in
                others.contains { provenance.end.areMentionedTogether(name, $0) }
            }
            guard areMentioned,
                !successor.columns.contains(where: {
                    $0.before.keyPosition > 0 && $0.after.name == other.name
                })
            else { return false }
            let known = successor.columns.filter {
                $0.after.name != other.name && (table.primaryKey.isEmpty || $0.before.keyPosition > 0)
            }
            guard !known.isEmpty, !table.primaryKey.contains(where: { $0.name == column.name }),
                try isEnough(other, of: successor.after, for: column, of: table, allowance)
            else { return false }
            return try isFound(
                table, successor.after, known + [.init(before: column, after: other)],
                except: "\(quotedName(column.name)) IS NULL", allowing: allowance)
        }
    }

    /// Returns the columns that may have the key of a row, or otherwise identify it.
    private func keys(
        of table: Catalog.Table, besides column: Catalog.Column, in later: Catalog.Table,
        _ taken: Catalog.Column, _ provenance: Provenance
    ) throws -> [[TableMatch.ColumnPair]] {
        guard column.keyPosition == 0 else { return [] }
        let others = table.storedColumns.filter { $0.name != column.name }
        let needed = table.primaryKey.isEmpty ? others : table.primaryKey
        func pair(_ key: Catalog.Column, _ other: Catalog.Column) -> TableMatch.ColumnPair {
            .init(before: key, after: other)
        }
        func named(_ columns: [Catalog.Column]) -> [TableMatch.ColumnPair] {
            columns.compactMap { key in
                let same = [later.column(key.name)].compactMap { $0 }.filter(\.isGenerated)
                return (provenance.columns(for: key.name, of: table, in: later) + same)
                    .first { $0.name != taken.name }.map { pair(key, $0) }
            }
        }
        // A table with one column has no other column that identifies its rows.
        if others.isEmpty { return [[]] }
        let key = named(needed)
        if !key.isEmpty, key.count == needed.count { return [key] + unnamedKeys(key) }
        let known = named(others)
        let isDetermined = try !known.isEmpty && determines(known.map(\.before), column, of: table)
        return (isDetermined ? [known] : []) + unnamedKeys([])

        /// Infers from the values which column has the key, as in `SET bio = (SELECT bio FROM user WHERE ...)`.
        func unnamedKeys(_ named: [TableMatch.ColumnPair]) -> [[TableMatch.ColumnPair]] {
            guard needed.count == 1, let key = needed.first else { return [] }
            return later.storedColumns.filter { other in
                other.name != taken.name && !named.contains { $0.after.name == other.name }
            }.prefix(Self.keyLimit).map { [pair(key, $0)] }
        }
    }

    /// Whether rows with equal values in some columns all have the same value in another.
    private func determines(
        _ columns: [Catalog.Column], _ column: Catalog.Column, of table: Catalog.Table
    ) throws -> Bool {
        let name = quotedName(column.name)
        let list = columns.map { "\(quotedName($0.name)) COLLATE BINARY" }.joined(separator: ", ")
        let sql = """
            SELECT NOT EXISTS (SELECT 1 FROM main.\(quotedName(table.name)) WHERE \(name) IS NOT NULL GROUP BY \(list)
            HAVING count(DISTINCT \(name) COLLATE BINARY) > 1 OR count(DISTINCT typeof(\(name))) > 1)
            """
        do {
            return try connection.firstRow(sql) { $0.integer(0) == 1 } ?? false
        } catch let error as EngineError where error.isOfExpression {
            return false
        }
    }

    /// Whether a column has as many values as must be found. Usually it does not, and nothing needs to be compared.
    private func isEnough(
        _ candidate: Catalog.Column, of later: Catalog.Table, for column: Catalog.Column,
        of table: Catalog.Table, _ allowance: Allowance
    ) throws -> Bool {
        let own = "SELECT count(\(quotedName(column.name))) FROM main.\(quotedName(table.name))"
        let place = "\(TableComparison.afterSchema).\(quotedName(later.name))"
        let sql = """
            SELECT (\(own) WHERE NOT \(allowance.condition)) <= (SELECT count(\(quotedName(candidate.name))) FROM \(place))
            """
        do {
            return try connection.firstRow(sql) { $0.integer(0) == 1 } ?? false
        } catch let error as EngineError where error.isOfExpression {
            return true
        }
    }

    /// Whether every row is found; a row that cannot be read is not.
    private func isFound(
        _ table: Catalog.Table, _ later: Catalog.Table, _ pairs: [TableMatch.ColumnPair],
        except condition: String? = nil, allowing allowance: Allowance
    ) throws -> Bool {
        do {
            return try holds(later, table, pairs, except: condition, allowance)
        } catch let error as EngineError where !error.isInterrupt && !error.isCorruption {
            return false
        }
    }

    private func holds(
        _ later: Catalog.Table, _ table: Catalog.Table, _ pairs: [TableMatch.ColumnPair],
        except condition: String?, _ allowance: Allowance
    ) throws -> Bool {
        let match = TableMatch(before: table, after: later, columns: pairs, droppedColumns: [])
        let rewritable = pairs.indices.filter { allowance.rewrites(pairs[$0].before) }
        let difference = try TableComparison(
            connection: connection, match: match, rewritable: Set(rewritable),
            deletable: allowance.conditions + (condition.map { [$0] } ?? [])
        ).run()
        let last = pairs.indices.last
        let isKept = difference.changed.allSatisfy { position, changes in
            rewritable.contains(position)
                || condition != nil && position == last && changes.overwrittenCount == 0
        }
        return difference.lost.count == 0 && isKept
    }
}
