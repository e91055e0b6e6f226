/// A difference between two forms of one table.
public enum TableChange: Sendable, Hashable {
    case columnAdded(Column)
    case columnDropped(Column)
    /// Only with a hint: without one it is a dropped and an added column.
    case columnRenamed(from: String, to: String)
    /// The name differs only in ASCII case.
    case columnRespelled(from: String, to: String)
    case column(String, ColumnChange)
    /// The order after dropping and appending columns, and the new schema's order. It matters only for
    /// `SELECT *` and for INSERT without a column list, and is quiet.
    case columnOrder(from: [String], to: [String])

    /// The key's columns or their order; empty if there is no key.
    case primaryKey(from: [String], to: [String])
    /// Collations or directions of the same columns, as SQL.
    case primaryKeyTerms(from: [String], to: [String])
    case primaryKeyConflict(from: ConflictResolution, to: ConflictResolution)
    case autoincrement(Bool)
    /// The column that is the rowid itself: INTEGER PRIMARY KEY, but neither INT PRIMARY KEY nor
    /// INTEGER PRIMARY KEY DESC (https://www.sqlite.org/lang_createtable.html#rowids_and_the_integer_primary_key).
    case rowidAlias(from: String?, to: String?)

    case uniqueAdded(UniqueConstraint)
    case uniqueDropped(UniqueConstraint)
    /// Collations or directions of the same columns, as SQL.
    case uniqueTerms(columns: [String], from: [String], to: [String])
    case uniqueConflict(columns: [String], from: ConflictResolution, to: ConflictResolution)

    case checkAdded(CheckConstraint)
    case checkDropped(CheckConstraint)
    /// The expression of the constraint with this name.
    case checkExpression(name: String, from: SQLFragment, to: SQLFragment)

    case foreignKeyAdded(ForeignKey)
    case foreignKeyDropped(ForeignKey)
    /// A change of the foreign key of these columns.
    case foreignKey(columns: [String], ForeignKeyChange)

    /// The name after CONSTRAINT; `of` is the constraint as SQL.
    case constraintName(of: String, from: String?, to: String?)

    case withoutRowid(Bool)
    case strict(Bool)
}

public enum ColumnChange: Sendable, Hashable {
    /// The declared type; the affinity is the same.
    case declaredType(from: String, to: String)
    /// The declared type and with it the affinity: values may be stored differently.
    case affinity(from: String, to: String)
    case notNull(Bool)
    case notNullConflict(from: ConflictResolution, to: ConflictResolution)
    case notNullName(from: String?, to: String?)
    case collation(from: String, to: String)
    case defaultValue(from: DefaultValue?, to: DefaultValue?)
    /// An ordinary column became a generated one, or the other way round.
    case generated(from: Column.Generated?, to: Column.Generated?)
    case generatedExpression(from: SQLFragment, to: SQLFragment)
    case generatedStorage(isStored: Bool)
}

public enum ForeignKeyChange: Sendable, Hashable {
    case parent(from: String, to: String)
    /// nil if it is the parent's primary key and that is not known.
    case parentColumns(from: [String]?, to: [String]?)
    case onDelete(from: ForeignKey.Action, to: ForeignKey.Action)
    case onUpdate(from: ForeignKey.Action, to: ForeignKey.Action)
    /// nil is SIMPLE.
    case match(from: String?, to: String?)
    case deferred(Bool)
}
