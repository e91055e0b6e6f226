import DatabaseEngine
import DrydockFindings
import DrydockMigrations
import DrydockState
import SQLiteSchema

/// A search for the values of a column that is gone: in another column of the same row, in another table beside what
/// identifies the row, or in a table to which the row leads.
///
/// Statements only say where to look. A value counts as found only if its own row has it there, or the row to which its own
/// leads.
package struct ColumnAccount {
    let connection: any Connection
    let after: Catalog
    let provenance: Provenance
    /// The table before the step, and the column of it that is gone.
    let table: Catalog.Table
    let column: Catalog.Column
    /// The table that has the rows after the step, and the columns of both that are compared.
    let successor: Catalog.Table
    let pairs: [TableMatch.ColumnPair]
    /// The pairs of the key, where it identifies every row, and those by which rows are known.
    let key: [TableMatch.ColumnPair]?
    let identity: [TableMatch.ColumnPair]
    /// The rows and values that may be missing.
    let allowance: Allowance

    /// A place for the values.
    package struct Place: Sendable {
        /// TABLE.COLUMN, and how the rows lead there.
        package var path: String
        /// How many values are there, and how many are not, of rows that remain.
        package var found: Int
        package var missing: Int
        /// The value and what is joined for it, for a query of the successor as `n`; nil for a value in another table's rows.
        var joined: (value: String, join: String)?
    }

    /// A query for the values of the column, and for what identifies their rows.
    private struct Channel {
        var identity: [Catalog.Column]
        /// Those columns in the query, and the value.
        var keys: [String]
        var value: String
        var source: String
        var path: String
        var joined: (value: String, join: String)?
        /// Whether it is worth reporting even if it lacks some of the values.
        var countsInPart = false
    }

    /// How many columns of a table are tried at most, for the values or for a key.
    private static let candidateLimit = 50

    /// Returns the place with the most values; nil if none is known to have any.
    /// - Parameter isAdmissible: whether a place that has all of them may be theirs.
    /// - Throws: ``EngineError``.
    func place(where isAdmissible: (Place) throws -> Bool) throws -> Place? {
        let owed = try ownedCount()
        guard owed > 0 else { return nil }
        var best: Place?
        try search(for: owed) { channel in
            guard let place = try payment(by: channel, of: owed),
                place.missing == 0
                    ? try isAdmissible(place) : channel.countsInPart && place.missing < best?.missing ?? owed
            else { return false }
            best = place
            return place.missing == 0
        }
        return best
    }

    /// Looks at one channel after the other, the nearest first, until one has every value.
    private func search(for owed: Int, _ isWhole: (Channel) throws -> Bool) throws {
        for channel in sameRow() where try isEnough(channel, owed) && isWhole(channel) { return }
        let filled = provenance.relatives(of: table, in: after, by: .filled)
        if column.keyPosition == 0 {
            for other in filled where other.name != successor.name {
                for candidate in candidates(in: other)
                where try isEnough(channel(other, [], candidate), owed) {
                    for key in try identities(beside: candidate, in: other)
                    where try isWhole(channel(other, key, candidate)) { return }
                }
            }
        }
        for reference in references(filled) {
            for channel in try channels(through: reference)
            where try (channel.countsInPart || isEnough(channel, owed)) && isWhole(channel) { return }
        }
    }

    // MARK: - Payment

    private var isOwed: String { "\(quotedName(column.name)) IS NOT NULL AND NOT \(allowance.condition)" }

    private func ownedCount() throws -> Int {
        do {
            return try connection.count("SELECT count(*) FROM \(table.earlier) WHERE \(isOwed)")
        } catch let error as EngineError where error.isOfExpression {
            return 0
        }
    }

    /// Whether there are as many values as are owed. Usually there are not, and nothing needs to be compared.
    private func isEnough(_ channel: Channel, _ owed: Int) throws -> Bool {
        do {
            let there = try connection.count("SELECT count(\(channel.value)) FROM \(channel.source)")
            guard there < owed else { return true }
            let gone = try connection.count(
                "SELECT (SELECT count(*) FROM \(table.earlier)) - (SELECT count(*) FROM \(successor.later))")
            return there >= owed - gone
        } catch let error as EngineError where error.isOfExpression {
            return true
        }
    }

    /// Returns how many of the values are there, of the rows that remain: lost rows are reported elsewhere. Nil if none is.
    private func payment(by channel: Channel, of count: Int) throws -> Place? {
        var pool = Pool(
            owed: [
                .init(
                    (channel.identity + [column]).map { quotedName($0.name) }, from: table.earlier,
                    where: isOwed)
            ], paid: [.init(channel.keys + [channel.value], from: channel.source)])
        guard let missing = try pool.missing(connection), missing < count else { return nil }
        guard missing > 0, let key else {
            return Place(
                path: channel.path, found: count - missing, missing: missing, joined: channel.joined)
        }
        let before = key.map { quotedName($0.before.name) }.joined(separator: ", ")
        let after = key.map { quotedName($0.after.name) }.joined(separator: ", ")
        // A NULL in a key does not tell whether the row remains; its value then counts as owed.
        let remains = "coalesce((\(before)) IN (SELECT \(after) FROM \(successor.later)), 1)"
        pool.owed[0].condition += " AND \(remains)"
        let kept = try connection.count(
            "SELECT count(*) FROM \(table.earlier) WHERE \(pool.owed[0].condition)")
        guard let left = try pool.missing(connection), left < kept else { return nil }
        return Place(path: channel.path, found: kept - left, missing: left, joined: channel.joined)
    }

    // MARK: - Channels

    /// The successor's columns that a statement, perhaps of an earlier migration, may have given the value of their row.
    private func sameRow() -> [Channel] {
        guard column.keyPosition == 0 else { return [] }
        let partners = partners
        return successor.columns.compactMap { other in
            let names = provenance.end.columns.names(ofColumn: other.name, in: successor.name)
            let isWritten =
                !partners.isDisjoint(with: names)
                || provenance.isCopied(column.name, of: table, to: other.name, in: successor)
            let known = identity.filter { $0.after.name != other.name }
            guard isWritten, !known.isEmpty, key.map({ known.count == $0.count }) ?? true else {
                return nil
            }
            var channel = channel(successor, known, other)
            channel.joined = ("n.\(quotedName(other.name))", "")
            return channel
        }
    }

    /// The names in all statements that name the column and change rows, folded.
    private var partners: Set<String> {
        let names = provenance.start.columns.names(ofColumn: column.name, in: table.name)
        return provenance.end.namesMentioned(with: names)
    }

    /// Returns the columns of another table into which statements brought values of the column.
    private func candidates(in other: Catalog.Table) -> [Catalog.Column] {
        let copied = provenance.columns(for: column.name, of: table, in: other)
        let assigned = provenance.assignedColumns(for: column.name, of: table, in: other)
        var seen: Set<String> = []
        return (copied + assigned).filter { seen.insert($0.name).inserted }
    }

    private func channel(
        _ other: Catalog.Table, _ key: [TableMatch.ColumnPair], _ candidate: Catalog.Column
    ) -> Channel {
        Channel(
            identity: key.map(\.before), keys: key.map { quotedName($0.after.name) },
            value: quotedName(candidate.name), source: other.later, path: path(other, candidate.name))
    }

    /// Returns the columns of another table that may have the key of a row, or otherwise identify it.
    private func identities(
        beside taken: Catalog.Column, in other: Catalog.Table
    ) throws -> [[TableMatch.ColumnPair]] {
        let rest = table.storedColumns.filter { $0.name != column.name }
        // A table with one column has no other that identifies its rows.
        if rest.isEmpty { return [[]] }
        let needed = table.primaryKey.isEmpty ? rest : table.primaryKey
        func named(_ columns: [Catalog.Column]) -> [TableMatch.ColumnPair] {
            columns.compactMap { key in
                let generated = [other.column(key.name)].compactMap { $0 }.filter(\.isGenerated)
                return (provenance.columns(for: key.name, of: table, in: other) + generated)
                    .first { $0.name != taken.name }.map { .init(before: key, after: $0) }
            }
        }
        let key = named(needed)
        if !key.isEmpty, key.count == needed.count { return [key] + unnamed(besides: key) }
        let known = named(rest)
        let isDetermined = try !known.isEmpty && determines(known.map(\.before))
        return (isDetermined ? [known] : []) + unnamed(besides: [])

        /// Infers from the values which column has the key, as in `SET bio = (SELECT bio FROM user WHERE ...)`.
        func unnamed(besides known: [TableMatch.ColumnPair]) -> [[TableMatch.ColumnPair]] {
            guard needed.count == 1, let key = needed.first else { return [] }
            return other.storedColumns.filter { candidate in
                candidate.name != taken.name && !known.contains { $0.after.name == candidate.name }
            }.prefix(Self.candidateLimit).map { [.init(before: key, after: $0)] }
        }
    }

    /// Whether rows with equal values in some columns all have the same value in the one that is gone.
    private func determines(_ columns: [Catalog.Column]) throws -> Bool {
        let name = quotedName(column.name)
        let list = columns.map { "\(quotedName($0.name)) COLLATE BINARY" }.joined(separator: ", ")
        let sql = """
            SELECT NOT EXISTS (SELECT 1 FROM \(table.earlier) WHERE \(name) IS NOT NULL GROUP BY \(list)
            HAVING count(DISTINCT \(name) COLLATE BINARY) > 1 OR count(DISTINCT typeof(\(name))) > 1)
            """
        do {
            return try connection.firstRow(sql) { $0.integer(0) == 1 } ?? false
        } catch let error as EngineError where error.isOfExpression {
            return false
        }
    }

    // MARK: - References

    /// Columns of the successor, and the columns of another table to which they lead.
    private struct Reference {
        var columns: [String]
        var parent: Catalog.Table
        var parentColumns: [String]
        var isDeclared: Bool
    }

    /// Returns the columns of a table that the rows now reference: each value is stored once, and each row has the key of its
    /// value.
    private func channels(through reference: Reference) throws -> [Channel] {
        let (parent, keys) = (reference.parent, reference.parentColumns.map(quotedName))
        let copied = provenance.columns(for: column.name, of: table, in: parent)
        // Without their key, rows are known only by what the statements say.
        let others = reference.isDeclared && key != nil ? parent.storedColumns : []
        var seen = Set(reference.parentColumns.map(\.foldedASCII))
        let candidates = (copied + others).filter { seen.insert($0.name.foldedASCII).inserted }
        guard !identity.isEmpty, !candidates.isEmpty, try !isDoubled(keys, in: parent) else { return [] }
        let alias = quotedName("of \(column.name)")
        let match = zip(keys, reference.columns).map { "\(alias).\($0) = n.\(quotedName($1))" }
        let join = " LEFT JOIN \(parent.later) AS \(alias) ON \(match.joined(separator: " AND "))"
        let way = reference.columns.map { path(successor, $0) }
        return candidates.prefix(Self.candidateLimit).map { candidate in
            let value = "\(alias).\(quotedName(candidate.name))"
            return Channel(
                identity: identity.map(\.before), keys: identity.map { "n.\(quotedName($0.after.name))" },
                value: value, source: "\(successor.later) AS n\(join)",
                path: "\(path(parent, candidate.name)), to which \(way.joined(separator: ", ")) "
                    + (way.count == 1 ? "leads" : "lead"), joined: (value, join),
                countsInPart: reference.isDeclared && copied.contains { $0.name == candidate.name })
        }
    }

    /// Returns the references of new columns, or of columns that a statement filled from the one that is gone.
    private func references(_ filled: [Catalog.Table]) -> [Reference] {
        let partners = partners
        let fresh = successor.storedColumns.filter { other in
            partners.contains(other.name.foldedASCII)
                && !pairs.contains { $0.before.keyPosition > 0 && $0.after.name == other.name }
                || !pairs.contains { $0.after.name == other.name }
        }.map(\.name.foldedASCII)
        let declared = successor.foreignKeys.compactMap { key -> Reference? in
            guard let parent = after.tables[key.parent.foldedASCII], parent.keepsRows,
                key.columns.allSatisfy({ fresh.contains($0.foldedASCII) })
            else { return nil }
            let columns = key.parentColumns ?? parent.primaryKey.map(\.name)
            guard columns.count == key.columns.count else { return nil }
            return Reference(columns: key.columns, parent: parent, parentColumns: columns, isDeclared: true)
        }
        let undeclared = filled.flatMap { parent -> [Reference] in
            fresh.flatMap { own -> [Reference] in
                let keys = parent.primaryKey.count == 1 ? parent.primaryKey : []
                // In the other direction: the row has a key, and the other table has the value beside a copy of that
                // key.
                let copies = parent.storedColumns.filter {
                    provenance.end.columns.isCopied(own, of: successor.name, to: $0.name, of: parent.name)
                }
                return (keys + copies).map {
                    Reference(columns: [own], parent: parent, parentColumns: [$0.name], isDeclared: false)
                }
            }
        }
        return (declared + undeclared.prefix(Self.candidateLimit)).filter { $0.parent.name != successor.name }
    }

    /// Whether several rows of a table have the same key.
    private func isDoubled(_ keys: [String], in parent: Catalog.Table) throws -> Bool {
        let isKnown = keys.map { "\($0) IS NOT NULL" }.joined(separator: " AND ")
        return try connection.count(
            """
            SELECT EXISTS (SELECT 1 FROM \(parent.later) WHERE \(isKnown)
            GROUP BY \(keys.joined(separator: ", ")) HAVING count(*) > 1)
            """) > 0
    }

    private func path(_ table: Catalog.Table, _ column: String) -> String {
        "\(quotedIfNeeded(table.name)).\(quotedIfNeeded(column))"
    }
}

extension [TableMatch.ColumnPair] {
    /// Returns the pairs of a table's primary key; nil if it has none, or some of it is missing.
    func key(of table: Catalog.Table) -> [TableMatch.ColumnPair]? {
        let key = filter { $0.before.keyPosition > 0 }
        return !key.isEmpty && key.count == table.primaryKey.count ? key : nil
    }
}
