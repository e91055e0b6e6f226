import DrydockFindings
import DrydockMigrations
import DatabaseEngine
import SQLiteSchema

/// Searches for the values of a dropped column in a table that its rows now reference: each value is stored once, and
/// every row has the key of its value.
///
/// A value counts as found where the join from the row itself leads to it; names prove nothing.
struct ReferencedValues {
    let connection: any Connection
    let after: Catalog
    let provenance: Provenance
    /// The table before the step, and the table that has its rows after it.
    let table: Catalog.Table
    let later: Catalog.Table
    let pairs: [TableMatch.ColumnPair]

    /// Columns of the later table, and the columns of another table that they reference.
    private struct Reference {
        var columns: [String]
        var parent: Catalog.Table
        var parentColumns: [String]
        var isDeclared: Bool
    }

    private static let candidateLimit = 50

    /// Returns the column that has the values, and the path to it.
    /// - Parameter filled: tables into which statements inserted rows of this one.
    func home(of column: Catalog.Column, filled: [Catalog.Table]) throws -> String? {
        guard column.keyPosition == 0, !identity.isEmpty else { return nil }
        for reference in references(for: column, filled) {
            let copied = provenance.columns(for: column.name, of: table, in: reference.parent)
            let others = reference.isDeclared ? reference.parent.storedColumns : []
            var seen = Set(reference.parentColumns.map(\.foldedASCII))
            let candidates = (copied + others).filter { seen.insert($0.name.foldedASCII).inserted }
            for candidate in candidates.prefix(Self.candidateLimit) {
                guard try isFound(column, candidate, by: reference) else { continue }
                let path = "\(quotedIfNeeded(reference.parent.name)).\(quotedIfNeeded(candidate.name))"
                let way = reference.columns.map { "\(quotedIfNeeded(later.name)).\(quotedIfNeeded($0))" }
                return "\(path), to which \(way.joined(separator: ", ")) \(way.count == 1 ? "leads" : "lead")"
            }
        }
        return nil
    }

    /// The columns that identify rows: the key, or otherwise all columns.
    private var identity: [TableMatch.ColumnPair] {
        let key = pairs.filter { $0.before.keyPosition > 0 }
        if table.primaryKey.isEmpty { return pairs }
        return key.count == table.primaryKey.count ? key : []
    }

    /// Returns the references of new columns, or of columns that a statement filled from the dropped one.
    private func references(for column: Catalog.Column, _ filled: [Catalog.Table]) -> [Reference] {
        let fresh = later.storedColumns.filter { other in
            provenance.end.areMentionedTogether(column.name, other.name)
                && !pairs.contains { $0.before.keyPosition > 0 && $0.after.name == other.name }
                || !pairs.contains { $0.after.name == other.name }
        }.map(\.name.foldedASCII)
        let declared = later.foreignKeys.compactMap { key -> Reference? in
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
                    provenance.end.columns.isCopied(own, of: later.name, to: $0.name, of: parent.name)
                }
                return (keys + copies).map {
                    Reference(columns: [own], parent: parent, parentColumns: [$0.name], isDeclared: false)
                }
            }
        }
        return (declared + undeclared.prefix(Self.candidateLimit)).filter { $0.parent.name != later.name }
    }

    private func isFound(
        _ column: Catalog.Column, _ candidate: Catalog.Column, by reference: Reference
    ) throws -> Bool {
        do {
            return try holds(column, candidate, reference)
        } catch let error as EngineError where error.isOfExpression {
            return false
        }
    }

    /// Whether every remaining row leads to its old value. Lost rows are reported elsewhere.
    private func holds(
        _ column: Catalog.Column, _ candidate: Catalog.Column, _ reference: Reference
    ) throws -> Bool {
        let (old, new) = ("main.\(quotedName(table.name))", Self.place(later))
        let parent = Self.place(reference.parent)
        let value = quotedName(column.name)
        let keys = reference.parentColumns.map(quotedName)
        // A duplicate key does not lead to one row.
        let doubles =
            "SELECT 1 FROM \(parent) GROUP BY \(keys.joined(separator: ", ")) HAVING count(*) > 1 AND "
            + keys.map { "\($0) IS NOT NULL" }.joined(separator: " AND ")
        guard try !isAny(doubles) else { return false }
        let known = identity.map { "o.\(quotedName($0.before.name))" }
        let knownLater = identity.map { "n.\(quotedName($0.after.name))" }
        let join = zip(keys, reference.columns).map { "p.\($0) = n.\(quotedName($1))" }
            .joined(separator: " AND ")
        let before =
            "SELECT \(Self.exact(known + ["o.\(value)"])), count(*) FROM \(old) AS o WHERE o.\(value) IS NOT NULL"
        let groups = Self.exact(known + ["o.\(value)"])
        let candidateName = "p.\(quotedName(candidate.name))"
        let laterGroups = Self.exact(knownLater + [candidateName])
        let missing = """
            \(before) GROUP BY \(groups)
            EXCEPT SELECT \(laterGroups), count(*) FROM \(new) AS n JOIN \(parent) AS p ON \(join) GROUP BY \(laterGroups)
            """
        guard try isAny("SELECT 1 FROM \(old) AS o WHERE o.\(value) IS NOT NULL") else { return false }
        if try !isAny(missing) { return true }
        guard !table.primaryKey.isEmpty else { return false }
        // Every missing value must belong to a lost row: the others are found.
        let gone = """
            SELECT \(Self.exact(known)) FROM \(old) AS o WHERE o.\(value) IS NOT NULL
            EXCEPT SELECT \(Self.exact(knownLater)) FROM \(new) AS n
            """
        let (missingCount, goneCount) = (try count(missing), try count(gone))
        let all = try count("SELECT 1 FROM \(old) AS o WHERE o.\(value) IS NOT NULL")
        return missingCount == goneCount && goneCount < all
    }

    private static func place(_ table: Catalog.Table) -> String {
        "\(TableComparison.afterSchema).\(quotedName(table.name))"
    }

    /// Returns expressions of the values with their storage classes, which compare values exactly as stored.
    private static func exact(_ columns: [String]) -> String {
        columns.map { "typeof(\($0)), \($0) COLLATE BINARY" }.joined(separator: ", ")
    }

    private func isAny(_ sql: String) throws -> Bool {
        try connection.firstRow("SELECT EXISTS (\(sql))") { $0.integer(0) == 1 } ?? false
    }

    private func count(_ sql: String) throws -> Int {
        try connection.firstRow("SELECT count(*) FROM (\(sql))") { Int($0.integer(0)) } ?? 0
    }
}
