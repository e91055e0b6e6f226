/// The effect of a violated constraint on its statement (https://www.sqlite.org/lang_conflict.html).
public enum ConflictResolution: String, Sendable, Hashable, CaseIterable {
    case rollback = "ROLLBACK"
    /// SQLite's default.
    case abort = "ABORT"
    case fail = "FAIL"
    case ignore = "IGNORE"
    case replace = "REPLACE"
}

/// One term of a PRIMARY KEY or UNIQUE constraint.
public struct KeyTerm: Sendable, Hashable {
    public var column: String
    /// The collation as written; nil for the column's own.
    public var collation: String?
    public var isDescending: Bool

    public init(column: String, collation: String? = nil, isDescending: Bool = false) {
        self.column = column
        self.collation = collation
        self.isDescending = isDescending
    }
}

/// A PRIMARY KEY, of a column or of the table.
public struct PrimaryKey: Sendable, Hashable {
    public var name: String?
    public var terms: [KeyTerm]
    public var onConflict: ConflictResolution?
    public var isAutoincrement: Bool
    /// Whether it is among a column's constraints. Only there does `INTEGER PRIMARY KEY DESC` not make a
    /// rowid alias (https://www.sqlite.org/lang_createtable.html#rowids_and_the_integer_primary_key).
    public var isOfColumn: Bool

    public init(
        name: String? = nil, terms: [KeyTerm], onConflict: ConflictResolution? = nil,
        isAutoincrement: Bool = false, isOfColumn: Bool = false
    ) {
        self.name = name
        self.terms = terms
        self.onConflict = onConflict
        self.isAutoincrement = isAutoincrement
        self.isOfColumn = isOfColumn
    }
}

/// A UNIQUE constraint, of a column or of the table.
public struct UniqueConstraint: Sendable, Hashable {
    public var name: String?
    public var terms: [KeyTerm]
    public var onConflict: ConflictResolution?
    /// Whether it is among a column's constraints; it means the same there.
    public var isOfColumn: Bool

    public init(
        name: String? = nil, terms: [KeyTerm], onConflict: ConflictResolution? = nil, isOfColumn: Bool = false
    ) {
        self.name = name
        self.terms = terms
        self.onConflict = onConflict
        self.isOfColumn = isOfColumn
    }
}

/// A CHECK constraint, of a column or of the table.
public struct CheckConstraint: Sendable, Hashable {
    public var name: String?
    public var expression: SQLFragment
    /// The column that it is defined with; it means the same elsewhere.
    public var column: String?

    public init(name: String? = nil, expression: SQLFragment, column: String? = nil) {
        self.name = name
        self.expression = expression
        self.column = column
    }
}

/// A FOREIGN KEY, or REFERENCES in a column's definition (https://www.sqlite.org/foreignkeys.html).
public struct ForeignKey: Sendable, Hashable {
    public enum Action: String, Sendable, Hashable, CaseIterable {
        case setNull = "SET NULL"
        case setDefault = "SET DEFAULT"
        case cascade = "CASCADE"
        case restrict = "RESTRICT"
        case noAction = "NO ACTION"
    }

    public var name: String?
    public var columns: [String]
    public var parent: String
    /// nil if it references the parent's primary key.
    public var parentColumns: [String]?
    public var onDelete: Action
    public var onUpdate: Action
    /// The word after MATCH. SQLite stores it and treats every one as SIMPLE.
    public var match: String?
    /// DEFERRABLE INITIALLY DEFERRED; every other form is immediate (section 4.2).
    public var isDeferred: Bool
    /// Whether it is in a column's definition; it means the same elsewhere.
    public var isOfColumn: Bool

    public init(
        name: String? = nil, columns: [String], parent: String, parentColumns: [String]? = nil,
        onDelete: Action = .noAction, onUpdate: Action = .noAction, match: String? = nil,
        isDeferred: Bool = false, isOfColumn: Bool = false
    ) {
        self.name = name
        self.columns = columns
        self.parent = parent
        self.parentColumns = parentColumns
        self.onDelete = onDelete
        self.onUpdate = onUpdate
        self.match = match
        self.isDeferred = isDeferred
        self.isOfColumn = isOfColumn
    }
}
