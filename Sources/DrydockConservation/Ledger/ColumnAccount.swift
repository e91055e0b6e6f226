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
    /// What rows are known by.
    let identity: RowIdentity
    /// The rows and values that may be missing.
    let allowance: Allowance
    /// Returns another table as it was before the step; nil where it is new, or may have had rows of this one.
    let earlier: (Catalog.Table) -> Catalog.Table?

    /// A place for the values.
    package struct Place: Sendable {
        /// TABLE.COLUMN, and how the rows lead there.
        package var path: String
        /// How many values are there, and how many are not, of rows that remain.
        package var found: Int
        package var missing: Int
        /// The value and what is joined for it, for a query of the successor as `n`; nil for a value in another table's rows.
        var joined: (value: String, join: String)?
        /// Whether the value that is there was made of the column's.
        var isNamed: Bool
    }

    /// A query for the values of the column, and for what identifies their rows.
    private struct Channel {
        /// SQL expressions of the row before.
        var identity: [String]
        /// Those of the row in the query, and its value.
        var keys: [String]
        var value: String
        var source: String
        var path: String
        var joined: (value: String, join: String)?
        /// True of a row whose value may be the column's.
        var condition = "1"
        var isNamed = true
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
        if try searchReferences(from: ownRow, to: filled, owed, isWhole) { return }
        for link in try links(filled) where try searchReferences(from: link, to: filled, owed, isWhole) {
            return
        }
    }

    private func searchReferences(
        from origin: Origin, to filled: [Catalog.Table], _ owed: Int, _ isWhole: (Channel) throws -> Bool
    ) throws -> Bool {
        for reference in references(from: origin, to: filled) {
            for channel in try channels(through: reference)
            where try (channel.countsInPart || isEnough(channel, owed)) && isWhole(channel) { return true }
        }
        return false
    }

    // MARK: - Payment

    private var hasValue: String { "\(quotedName(column.name)) IS NOT NULL" }
    private var isOwed: String { "\(hasValue) AND NOT \(allowance.condition)" }

    private func ownedCount() throws -> Int {
        do {
            let owed = try connection.count("SELECT count(*) FROM \(table.earlier) WHERE \(isOwed)")
            guard let lost = allowance.lostCount else { return owed }
            return max(
                owed, try connection.count("SELECT count(*) FROM \(table.earlier) WHERE \(hasValue)") - lost)
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
        guard let missing = try missing(in: channel, where: isOwed) else { return nil }
        if allowance.lostCount == nil, missing == 0 || identity.key == nil {
            return place(channel, of: count, missing)
        }
        guard let key = identity.key else {
            // As many rows as went may be missing. Which these are is not known.
            guard let all = try self.missing(in: channel, where: hasValue) else { return nil }
            return place(channel, of: count, max(missing, all - (allowance.lostCount ?? 0)))
        }
        let isKept = "\(hasValue) AND \(remains(key))"
        let kept = try connection.count("SELECT count(*) FROM \(table.earlier) WHERE \(isKept)")
        return try self.missing(in: channel, where: isKept).flatMap { place(channel, of: kept, $0) }
    }

    /// True of a row before the step that the successor has.
    private func remains(_ key: [TableMatch.ColumnPair]) -> String {
        let before = key.map { quotedName($0.before.name) }.joined(separator: ", ")
        let after = key.map { quotedName($0.after.name) }.joined(separator: ", ")
        return "(\(before)) IN (SELECT \(after) FROM \(successor.later))"
    }

    private func missing(in channel: Channel, where condition: String) throws -> Int? {
        try Pool(
            owed: [
                .init(channel.identity + [quotedName(column.name)], from: table.earlier, where: condition)
            ],
            paid: [.init(channel.keys + [channel.value], from: channel.source, where: channel.condition)]
        ).missing(connection)
    }

    private func place(_ channel: Channel, of count: Int, _ missing: Int) -> Place? {
        guard missing < count else { return nil }
        return Place(
            path: channel.path, found: count - missing, missing: missing, joined: channel.joined,
            isNamed: channel.isNamed)
    }

    // MARK: - Channels

    /// The successor's columns that a statement, perhaps of an earlier migration, may have given the value of their row.
    private func sameRow() -> [Channel] {
        guard column.keyPosition == 0 else { return [] }
        let partners = partners
        return successor.columns.compactMap { other in
            let names = allNames(of: other.name)
            let isNamed =
                !partners.named.isDisjoint(with: names)
                || provenance.isCopied(column.name, of: table, to: other.name, in: successor)
            let known = identity.values(besides: [other.name])
            guard isNamed || names.contains(where: { partners.words[$0] != nil }),
                identity.key.map({ known.count == $0.count }) ?? true
            else { return nil }
            let value = "n.\(quotedName(other.name))"
            return Channel(
                identity: known.map(\.owed), keys: known.map(\.paid), value: value,
                source: "\(successor.later) AS n", path: successor.path(of: other.name), joined: (value, ""),
                condition: isNamed ? "1" : hasChanged(other), isNamed: isNamed)
        }
    }

    /// Returns the condition that a row's cell is new: one that did not change pays for itself, unless a declaration lets it
    /// go.
    private func hasChanged(_ other: Catalog.Column) -> String {
        guard let pair = pairs.first(where: { $0.after.name == other.name }), !allowance.rewrites(pair)
        else { return "1" }
        guard let key = identity.key else { return "0" }
        return isFresh(
            "n", pair.after, in: table, pair.before,
            key: key.map { (quotedName($0.before.name), quotedName($0.after.name)) })
    }

    /// Returns all names that a column of the successor has had, folded.
    private func allNames(of column: String) -> Set<String> {
        provenance.end.columns.names(ofColumn: column, in: successor.name)
    }

    private var partners: TableLineage.Partners {
        provenance.partners(of: column.name, of: table, in: successor)
    }

    /// Returns the columns of another table into which statements brought values of the column, or may have: one with its
    /// name in a table that got others of its values.
    private func candidates(in other: Catalog.Table) -> [Catalog.Column] {
        let copied = provenance.columns(for: column.name, of: table, in: other)
        let hasRows = provenance.hasRows(of: table.name, in: other.name)
        var seen: Set<String> = []
        return
            (copied.filter { hasRows || isBrought(to: $0, of: other) }
            + provenance.assignedColumns(for: column.name, of: table, in: other))
            .filter { seen.insert($0.name).inserted }
    }

    /// Whether statements brought values of the column to a column of another table.
    private func isBrought(to other: Catalog.Column, of parent: Catalog.Table) -> Bool {
        provenance.isCopied(column.name, of: table, to: other.name, in: parent)
            || provenance.assignedColumns(for: column.name, of: table, in: parent).contains {
                $0.name == other.name
            }
    }

    private func channel(
        _ other: Catalog.Table, _ key: [TableMatch.ColumnPair], _ candidate: Catalog.Column
    ) -> Channel {
        Channel(
            identity: key.map { quotedName($0.before.name) }, keys: key.map { quotedName($0.after.name) },
            value: quotedName(candidate.name), source: "\(other.later) AS now",
            path: other.path(of: candidate.name),
            condition: isFresh(candidate, in: other))
    }

    /// Returns the condition that another table's row did not have its value before: such a cell pays for itself. True of all
    /// rows where statements brought values of the column there.
    private func isFresh(_ candidate: Catalog.Column, in other: Catalog.Table) -> String {
        guard !isBrought(to: candidate, of: other), let before = earlier(other),
            let old = before.column(candidate.name)
        else { return "1" }
        let key =
            before.primaryKey.isEmpty
            ? [before.rowidName].compactMap(\.self) : before.primaryKey.map { quotedName($0.name) }
        guard !key.isEmpty, before.primaryKey.allSatisfy({ other.column($0.name) != nil }) else { return "0" }
        return isFresh("now", candidate, in: before, old, key: key.map { ($0, $0) })
    }

    /// Returns the condition that the row with a key had another value before the step.
    /// - Parameter key: the key's columns, before and after.
    private func isFresh(
        _ row: String, _ column: Catalog.Column, in before: Catalog.Table, _ old: Catalog.Column,
        key: [(String, String)]
    ) -> String {
        let (was, now) = ("old.\(quotedName(old.name))", "\(row).\(quotedName(column.name))")
        let isSame =
            key.map { "old.\($0) IS \(row).\($1)" }
            + ["+\(was) COLLATE BINARY IS +\(now)", "typeof(\(was)) = typeof(\(now))"]
        return
            "NOT EXISTS (SELECT 1 FROM \(before.earlier) AS old WHERE \(isSame.joined(separator: " AND ")))"
    }

    /// Returns the columns of another table that may have the key of a row, or otherwise identify it.
    private func identities(
        beside taken: Catalog.Column, in other: Catalog.Table
    ) throws -> [[TableMatch.ColumnPair]] {
        let rest = table.storedColumns.filter { own in
            own.name != column.name
                && !pairs.contains { $0.before.name == own.name && allowance.rewrites($0) }
        }
        // A table with one column has no other that identifies its rows.
        if table.storedColumns.count == 1 { return [[]] }
        let needed = table.primaryKey.isEmpty || identity.isKeyUnsafe ? rest : table.primaryKey
        func named(_ columns: [Catalog.Column]) -> [TableMatch.ColumnPair] {
            columns.compactMap { key in
                let generated = [other.column(key.name)].compactMap { $0 }.filter(\.isGenerated)
                return (provenance.columns(for: key.name, of: table, in: other) + generated).first {
                    $0.name != taken.name && !provenance.isCounted($0, in: other, for: key.name, of: table)
                }.map { .init(before: key, after: $0) }
            }
        }
        let key = named(needed)
        if !key.isEmpty, key.count == needed.count { return try [key] + unnamed(besides: key) }
        let known = named(rest)
        let isDetermined = try !known.isEmpty && determines(known.map(\.before))
        return try (isDetermined ? [known] : []) + unnamed(besides: [])

        /// Infers from the values which column has the key, as in `SET bio = (SELECT bio FROM user WHERE ...)`.
        func unnamed(besides known: [TableMatch.ColumnPair]) throws -> [[TableMatch.ColumnPair]] {
            guard needed.count == 1, let key = needed.first else { return [] }
            let candidates = other.storedColumns.filter { candidate in
                candidate.name != taken.name
                    && !provenance.isCounted(candidate, in: other, for: key.name, of: table)
                    && !known.contains { $0.after.name == candidate.name }
            }.prefix(Self.candidateLimit)
            return try narrowed(Array(candidates), beside: taken, in: other, key: key)
                .map { [.init(before: key, after: $0)] }
        }
    }

    /// Returns those columns of another table that have the key of some row beside its value: of what is owed, all must be there.
    private func narrowed(
        _ columns: [Catalog.Column], beside taken: Catalog.Column, in other: Catalog.Table,
        key: Catalog.Column
    ) throws -> [Catalog.Column] {
        guard columns.count > 1, allowance.lostCount == nil else { return columns }
        let isKept = identity.key.map { " AND \(remains($0))" } ?? ""
        let isThere = columns.map { column in
            let name = "n.\(quotedName(column.name))"
            return "max(+\(name) COLLATE BINARY IS +o.k AND typeof(\(name)) = typeof(o.k))"
        }
        let value = "n.\(quotedName(taken.name))"
        let sql = """
            SELECT \(isThere.joined(separator: ", ")) FROM
            (SELECT \(quotedName(key.name)) AS k, \(quotedName(column.name)) AS v FROM \(table.earlier)
            WHERE \(isOwed)\(isKept) LIMIT 1) AS o, \(other.later) AS n
            WHERE +\(value) COLLATE BINARY = +o.v AND typeof(\(value)) = typeof(o.v)
            """
        do {
            let found = try connection.firstRow(sql) { row in columns.indices.filter { row.integer($0) == 1 }
            }
            return (found ?? []).map { columns[$0] }
        } catch let error as EngineError where error.isOfExpression {
            return columns
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

    /// A row from which references lead: the successor's own, or that of a table which has its key once.
    private struct Origin {
        var table: Catalog.Table
        var alias: String
        var join = ""
        /// The columns that may lead to the value, folded.
        var columns: [String]
        /// By column, the words of the values that it got by the value that is gone.
        var words: [String: Set<String>]
        /// Those of the columns in whose values the one that is gone stands.
        var named: Set<String>
    }

    /// Columns of a row, and the columns of another table to which they lead.
    private struct Reference {
        var origin: Origin
        var columns: [String]
        var parent: Catalog.Table
        var parentColumns: [String]
        var isDeclared: Bool
    }

    /// Returns the columns of a table that the rows now reference: each value is stored once, and each row has the key of its
    /// value.
    private func channels(through reference: Reference) throws -> [Channel] {
        let (origin, parent) = (reference.origin, reference.parent)
        let keys = reference.parentColumns.map(quotedName)
        let copied = candidates(in: parent)
        // Any column may have the values where a statement chose the row by them; where no constraint says that it references
        // the row, it must be named there. Without their key, rows are known only by what the statements say.
        let words = reference.columns.reduce(into: Set()) { words, column in
            words.formUnion(origin.words[column.foldedASCII] ?? [])
        }
        let others = parent.storedColumns.filter { other in
            reference.isDeclared && !words.isEmpty
                || !words.isDisjoint(
                    with: provenance.end.columns.names(ofColumn: other.name, in: parent.name))
        }
        var seen = Set(reference.parentColumns.map(\.foldedASCII))
        let candidates = (copied + (identity.key == nil ? [] : others))
            .filter { seen.insert($0.name.foldedASCII).inserted }
        guard !candidates.isEmpty, try !isDoubled(keys, in: parent) else { return [] }
        let alias = quotedName("of \(column.name)")
        let match = zip(keys, reference.columns).map { "\(alias).\($0) = \(origin.alias).\(quotedName($1))" }
        let join =
            "\(origin.join) LEFT JOIN \(parent.later) AS \(alias) ON \(match.joined(separator: " AND "))"
        let way = reference.columns.map(origin.table.path)
        let isNamed = reference.columns.contains { origin.named.contains($0.foldedASCII) }
        let isNew = reference.columns.compactMap { name in
            origin.join.isEmpty ? successor.column(name).map(hasChanged) : nil
        }
        let condition = isNamed || isNew.isEmpty ? "1" : "(\(isNew.joined(separator: " OR ")))"
        return candidates.prefix(Self.candidateLimit).map { candidate in
            let value = "\(alias).\(quotedName(candidate.name))"
            return Channel(
                identity: identity.values.map(\.owed), keys: identity.values.map(\.paid), value: value,
                source: "\(successor.later) AS n\(join)",
                path: "\(parent.path(of: candidate.name)), to which \(way.joined(separator: ", ")) "
                    + (way.count == 1 ? "leads" : "lead"), joined: (value, join),
                condition: condition, isNamed: isNamed,
                countsInPart: reference.isDeclared && copied.contains { $0.name == candidate.name })
        }
    }

    /// Returns the references of a row, declared or not.
    private func references(from origin: Origin, to filled: [Catalog.Table]) -> [Reference] {
        let declared = origin.table.foreignKeys.compactMap { key -> Reference? in
            guard let parent = after.tables[key.parent.foldedASCII], parent.keepsRows,
                key.columns.allSatisfy({ origin.columns.contains($0.foldedASCII) })
            else { return nil }
            let columns = key.parentColumns ?? parent.primaryKey.map(\.name)
            guard columns.count == key.columns.count else { return nil }
            return Reference(
                origin: origin, columns: key.columns, parent: parent, parentColumns: columns,
                isDeclared: true)
        }
        let undeclared = filled.filter { $0.name != origin.table.name }.flatMap { parent in
            origin.columns.flatMap { own -> [Reference] in
                let keys = parent.primaryKey.count == 1 ? parent.primaryKey : []
                // In the other direction: the row has a key, and the other table has the value beside a copy of that key.
                let copies = parent.storedColumns.filter {
                    provenance.end.columns.isCopied(own, of: origin.table.name, to: $0.name, of: parent.name)
                }
                return (keys + copies).map {
                    Reference(
                        origin: origin, columns: [own], parent: parent, parentColumns: [$0.name],
                        isDeclared: false)
                }
            }
        }
        return (declared + undeclared.prefix(Self.candidateLimit)).filter { $0.parent.name != successor.name }
    }

    /// The rows themselves: their new columns, and those that a statement filled from the one that is gone.
    private var ownRow: Origin {
        let (words, named) = words(in: successor)
        let columns = successor.storedColumns.filter { other in
            words[other.name.foldedASCII] != nil
                && !pairs.contains { $0.before.keyPosition > 0 && $0.after.name == other.name }
                || !pairs.contains { $0.after.name == other.name }
        }
        return Origin(
            table: successor, alias: "n", columns: columns.map(\.name.foldedASCII), words: words,
            named: named)
    }

    /// Returns the tables that have a copy of each row's key, once, beside columns that got values by the one that is gone.
    private func links(_ filled: [Catalog.Table]) throws -> [Origin] {
        guard let key = identity.key, key.count == 1 else { return [] }
        // Links that were there before lead where they did.
        let links = filled.filter { $0.name != successor.name && earlier($0) == nil }
        return try links.flatMap { link -> [Origin] in
            let copies = link.storedColumns.filter {
                provenance.isCopied(key[0].before.name, of: table, to: $0.name, in: link)
                    && provenance.isCopied(only: table, to: $0.name, in: link)
            }
            guard !copies.isEmpty else { return [] }
            let (words, named) = words(in: link)
            return try copies.compactMap { copy -> Origin? in
                let columns = words.keys.filter { $0 != copy.name.foldedASCII }.sorted()
                guard !columns.isEmpty, try !isDoubled([quotedName(copy.name)], in: link) else { return nil }
                let alias = quotedName("link of \(column.name)")
                let match = "\(alias).\(quotedName(copy.name)) = n.\(quotedName(key[0].after.name))"
                return Origin(
                    table: link, alias: alias, join: " LEFT JOIN \(link.later) AS \(alias) ON \(match)",
                    columns: columns, words: words, named: named)
            }
        }
    }

    /// Returns, by column of a table, the words of the values that it got by the value that is gone, and the columns in whose
    /// values that stands.
    private func words(in other: Catalog.Table) -> ([String: Set<String>], named: Set<String>) {
        let partners = provenance.partners(of: column.name, of: table, in: other)
        var (words, named): ([String: Set<String>], Set<String>) = ([:], [])
        for column in other.storedColumns {
            let names = provenance.end.columns.names(ofColumn: column.name, in: other.name)
            let all = names.reduce(into: Set<String>()) { $0.formUnion(partners.words[$1] ?? []) }
            if !all.isEmpty { words[column.name.foldedASCII] = all }
            if !partners.named.isDisjoint(with: names) { named.insert(column.name.foldedASCII) }
        }
        return (words, named)
    }

    /// Whether several rows of a table have the same key.
    private func isDoubled(_ keys: [String], in parent: Catalog.Table) throws -> Bool {
        if Set(keys) == Set(parent.primaryKey.map { quotedName($0.name) }) { return false }
        let isKnown = keys.map { "\($0) IS NOT NULL" }.joined(separator: " AND ")
        return try connection.count(
            """
            SELECT EXISTS (SELECT 1 FROM \(parent.later) WHERE \(isKnown)
            GROUP BY \(keys.joined(separator: ", ")) HAVING count(*) > 1)
            """) > 0
    }
}

extension [TableMatch.ColumnPair] {
    /// Returns the pairs of a table's primary key; nil if it has none, or some of it is missing.
    func key(of table: Catalog.Table) -> [TableMatch.ColumnPair]? {
        let key = filter { $0.before.keyPosition > 0 }
        return !key.isEmpty && key.count == table.primaryKey.count ? key : nil
    }
}
