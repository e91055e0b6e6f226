/// An ordinary table (https://www.sqlite.org/lang_createtable.html).
public struct Table: Sendable, Hashable {
    public var name: String
    /// The columns in their order.
    public var columns: [Column]
    public var primaryKey: PrimaryKey?
    public var uniques: [UniqueConstraint]
    public var checks: [CheckConstraint]
    public var foreignKeys: [ForeignKey]
    public var isWithoutRowid: Bool
    public var isStrict: Bool

    public init(
        name: String, columns: [Column], primaryKey: PrimaryKey? = nil, uniques: [UniqueConstraint] = [],
        checks: [CheckConstraint] = [], foreignKeys: [ForeignKey] = [], isWithoutRowid: Bool = false,
        isStrict: Bool = false
    ) {
        self.name = name
        self.columns = columns
        self.primaryKey = primaryKey
        self.uniques = uniques
        self.checks = checks
        self.foreignKeys = foreignKeys
        self.isWithoutRowid = isWithoutRowid
        self.isStrict = isStrict
    }

    /// Returns the column with a name, in any case.
    public func column(_ name: String) -> Column? {
        let folded = name.foldedASCII
        return columns.first { $0.name.foldedASCII == folded }
    }

    public func affinity(of column: Column) -> Affinity {
        Affinity(declaredType: column.declaredType, strict: isStrict)
    }
}

extension Table {
    /// The column that is an alias of the rowid, if there is one.
    ///
    /// Its type is exactly INTEGER and it is the only column of the primary key. `INTEGER PRIMARY KEY DESC`
    /// is not an alias, because of an old bug that SQLite keeps
    /// (https://www.sqlite.org/lang_createtable.html#rowids_and_the_integer_primary_key).
    public var rowidAlias: Column? {
        guard !isWithoutRowid, let key = primaryKey, key.terms.count == 1, let term = key.terms.first,
            !(key.isOfColumn && term.isDescending), let column = column(term.column),
            column.declaredType.foldedASCII == "integer"
        else { return nil }
        return column
    }

    /// A name of the rowid where no column is an alias of it; nil where there is none, or columns hide all its names.
    public var hiddenRowid: String? {
        guard !isWithoutRowid, rowidAlias == nil else { return nil }
        return ["rowid", "_rowid_", "oid"].first { column($0) == nil }
    }

    /// Returns the collation that compares a key's term, in upper case: the term's own, the column's, or
    /// BINARY.
    public func collation(of term: KeyTerm) -> String {
        (term.collation ?? column(term.column)?.collation ?? "BINARY").uppercasedASCII
    }

    /// The terms of the primary key with their collations and without duplicates, as SQLite stores them;
    /// empty if there is no key.
    public var effectivePrimaryKey: [KeyTerm] { effectiveTerms(keyTerms) }

    /// The terms of the primary key. SQLite drops the COLLATE of a single INTEGER column when it creates a
    /// WITHOUT ROWID table (`convertToWithoutRowidTable` of build.c).
    var keyTerms: [KeyTerm] {
        guard let key = primaryKey else { return [] }
        guard isWithoutRowid, !key.isOfColumn, key.terms.count == 1, let term = key.terms.first,
            column(term.column)?.declaredType.foldedASCII == "integer"
        else { return key.terms }
        return [KeyTerm(column: term.column, isDescending: term.isDescending)]
    }

    /// Returns terms with their collations and without duplicates.
    public func effectiveTerms(_ terms: [KeyTerm]) -> [KeyTerm] {
        var seen: Set<[String]> = []
        return terms.compactMap { term in
            let collation = collation(of: term)
            guard seen.insert([term.column.foldedASCII, collation]).inserted else { return nil }
            return KeyTerm(column: term.column, collation: collation, isDescending: term.isDescending)
        }
    }

    /// Returns whether NULL is refused: by NOT NULL, or as part of the key of a WITHOUT ROWID or STRICT table
    /// (https://www.sqlite.org/withoutrowid.html, https://www.sqlite.org/stricttables.html).
    public func isNotNull(_ column: Column) -> Bool {
        if column.notNull != nil { return true }
        guard isWithoutRowid || isStrict, rowidAlias?.name != column.name else { return false }
        let folded = column.name.foldedASCII
        return primaryKey?.terms.contains { $0.column.foldedASCII == folded } ?? false
    }

    /// The UNIQUE constraints for which SQLite creates an index: each set of terms once, without those that
    /// the primary key's index covers.
    public var effectiveUniques: [UniqueConstraint] {
        func key(_ terms: [KeyTerm]) -> [[String]] {
            effectiveTerms(terms).map { [$0.column.foldedASCII, $0.collation ?? ""] }
        }
        var result: [UniqueConstraint] = []
        var places: [[[String]]: Int] = [:]
        let primary = rowidAlias == nil && primaryKey != nil ? key(keyTerms) : nil
        for unique in uniques {
            let key = key(unique.terms)
            if key == primary { continue }
            if let place = places[key] {
                result[place].onConflict = result[place].onConflict ?? unique.onConflict
                result[place].name = result[place].name ?? unique.name
            } else {
                places[key] = result.count
                result.append(unique)
            }
        }
        return result
    }
}
