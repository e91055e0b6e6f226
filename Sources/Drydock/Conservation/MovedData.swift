import DatabaseEngine
import SQLiteSchema

/// Looks for the rows of a dropped table, and the values of a dropped column, in the tables that remain: data that
/// moved is not lost.
///
/// ``Provenance`` names the tables that statements may have copied them to, and the columns; then every row is compared,
/// as a multiset and with its storage classes.
struct MovedData {
    let connection: any Connection
    let after: Catalog
    let provenance: () -> Provenance

    /// A table in which every row of another is.
    struct Home: Sendable {
        var table: Catalog.Table
        /// Columns whose values are not there, and how many they are.
        var missing: [(column: Catalog.Column, valueCount: Int)] = []
    }

    /// The most searches for the column that has the key.
    private static let keyLimit = 50

    func home(of table: Catalog.Table) throws -> Home? {
        let provenance = provenance()
        var best: Home?
        for later in candidates(for: table, provenance, \.inserted) {
            guard let home = try home(of: table, in: later, provenance) else { continue }
            if home.missing.isEmpty { return home }
            if home.missing.count < best?.missing.count ?? .max { best = home }
        }
        return best
    }

    private func candidates(
        for table: Catalog.Table, _ provenance: Provenance,
        _ link: KeyPath<TableLineage.Incarnation, Set<Int>>
    ) -> [Catalog.Table] {
        provenance.relatives(of: table, by: link).compactMap { after.tables[$0] }.filter(\.keepsRows)
    }

    private func home(
        of table: Catalog.Table, in later: Catalog.Table, _ provenance: Provenance
    ) throws -> Home? {
        var taken: Set<String> = []
        var pairs: [TableMatch.ColumnPair] = []
        var home = Home(table: later)
        for column in table.storedColumns {
            // A column under another one's name is not where anybody looks for it: the copy swaps the two.
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
        guard isKnown, !pairs.isEmpty, try isTelling(pairs, home, of: table, provenance) else { return nil }
        return try isFound(table, later, pairs) ? home : nil
    }

    /// Whether the same values say that the rows are the same: keys count from 1 in every table, so that those of two
    /// tables are often the same by chance.
    private func isTelling(
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

    /// The column, as TABLE.COLUMN, of another table in which every value of a dropped one stands beside the key of its
    /// row.
    /// - Parameter successor: the table that has its rows now, in which a column that was there before may have them.
    func home(
        of column: Catalog.Column, in table: Catalog.Table, succeededBy successor: TableMatch
    ) throws -> String? {
        let provenance = provenance()
        if let found = try home(of: column, besides: successor, provenance) {
            return "\(quotedIfNeeded(successor.after.name)).\(quotedIfNeeded(found.name))"
        }
        for later in candidates(for: table, provenance, \.fills) {
            for candidate in provenance.columns(for: column.name, of: table, in: later) {
                for key in keys(of: table, besides: column, in: later, candidate, provenance) {
                    let pairs = key + [.init(before: column, after: candidate)]
                    let condition = "\(quotedName(column.name)) IS NULL"
                    guard try isFound(table, later, pairs, except: condition) else { continue }
                    return "\(quotedIfNeeded(later.name)).\(quotedIfNeeded(candidate.name))"
                }
            }
        }
        return nil
    }

    /// A column of the same row in which a statement, maybe of an earlier migration, put the values.
    private func home(
        of column: Catalog.Column, besides successor: TableMatch, _ provenance: Provenance
    ) throws -> Catalog.Column? {
        let table = successor.before
        return try successor.after.storedColumns.first { other in
            guard provenance.end.areMentionedTogether(column.name, other.name),
                !successor.columns.contains(where: {
                    $0.before.keyPosition > 0 && $0.after.name == other.name
                })
            else { return false }
            let known = successor.columns.filter {
                $0.after.name != other.name && (table.primaryKey.isEmpty || $0.before.keyPosition > 0)
            }
            guard !known.isEmpty, table.primaryKey.count { $0.name == column.name } == 0 else { return false }
            return try isFound(
                table, successor.after, known + [.init(before: column, after: other)],
                except: "\(quotedName(column.name)) IS NULL")
        }
    }

    /// The columns that may have the key of a row, or where it has none all else that it holds.
    private func keys(
        of table: Catalog.Table, besides column: Catalog.Column, in later: Catalog.Table,
        _ taken: Catalog.Column, _ provenance: Provenance
    ) -> [[TableMatch.ColumnPair]] {
        let known = table.primaryKey.isEmpty ? table.storedColumns : table.primaryKey
        let needed = known.filter { $0.name != column.name }
        guard !needed.isEmpty, !known.contains(where: { $0.keyPosition > 0 && $0.name == column.name }) else {
            return []
        }
        func pair(_ key: Catalog.Column, _ other: Catalog.Column) -> TableMatch.ColumnPair {
            .init(before: key, after: other)
        }
        let named = needed.compactMap { key in
            provenance.columns(for: key.name, of: table, in: later).first { $0.name != taken.name }
                .map { pair(key, $0) }
        }
        var result = named.count == needed.count ? [named] : []
        if needed.count == 1, let key = needed.first {
            // The values tell which column has the key, as in `SET bio = (SELECT bio FROM user WHERE ...)`.
            let others = later.storedColumns.filter { other in
                other.name != taken.name && !named.contains { $0.after.name == other.name }
            }
            result += others.prefix(Self.keyLimit).map { [pair(key, $0)] }
        }
        return result
    }

    /// Whether every row is there; what cannot be read is not found.
    private func isFound(
        _ table: Catalog.Table, _ later: Catalog.Table, _ pairs: [TableMatch.ColumnPair],
        except condition: String? = nil
    ) throws -> Bool {
        do {
            return try holds(later, table, pairs, except: condition)
        } catch let error as EngineError where !error.isInterrupt && !error.isCorruption {
            return false
        }
    }

    private func holds(
        _ later: Catalog.Table, _ table: Catalog.Table, _ pairs: [TableMatch.ColumnPair],
        except condition: String?
    ) throws -> Bool {
        let match = TableMatch(before: table, after: later, columns: pairs, droppedColumns: [])
        let difference = try TableComparison(
            connection: connection, match: match, rewritable: [], deletable: condition.map { [$0] } ?? []
        ).run()
        let last = pairs.indices.last
        let isKept = difference.changed.allSatisfy { position, changes in
            condition != nil && position == last && changes.overwrittenCount == 0
        }
        return difference.lost.count == 0 && isKept
    }
}
