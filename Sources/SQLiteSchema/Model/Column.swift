/// A column of a table (https://www.sqlite.org/lang_createtable.html).
///
/// PRIMARY KEY, UNIQUE, CHECK and REFERENCES in its definition are stored with the table's constraints, where
/// they mean the same.
public struct Column: Sendable, Hashable {
    /// A NOT NULL constraint.
    public struct NotNull: Sendable, Hashable {
        public var name: String?
        public var onConflict: ConflictResolution?

        public init(name: String? = nil, onConflict: ConflictResolution? = nil) {
            self.name = name
            self.onConflict = onConflict
        }
    }

    /// The expression of a generated column (https://www.sqlite.org/gencol.html).
    public struct Generated: Sendable, Hashable {
        public var expression: SQLFragment
        public var isStored: Bool

        public init(expression: SQLFragment, isStored: Bool = false) {
            self.expression = expression
            self.isStored = isStored
        }
    }

    public var name: String
    /// The declared type with one space between its words; empty if there is none.
    public var declaredType: String
    public var notNull: NotNull?
    /// The declared collation; nil is BINARY.
    public var collation: String?
    public var defaultValue: DefaultValue?
    public var generated: Generated?

    public init(
        name: String, declaredType: String = "", notNull: NotNull? = nil, collation: String? = nil,
        defaultValue: DefaultValue? = nil, generated: Generated? = nil
    ) {
        self.name = name
        self.declaredType = declaredType
        self.notNull = notNull
        self.collation = collation
        self.defaultValue = defaultValue
        self.generated = generated
    }

    /// The affinity in a table that is not STRICT; `Table.affinity(of:)` handles both.
    public var affinity: Affinity { Affinity(declaredType: declaredType) }
}
