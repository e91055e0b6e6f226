import SQLiteSchema

/// How two schemas differ, and the SQL between them.
public struct DiffSummary: Sendable {
    public var old: String
    public var new: String
    /// The differences; what is quiet (`SchemaChange.isQuiet`) is among them only if requested.
    public var changes: [SchemaChange]
    public var oldSchema: Schema
    public var newSchema: Schema
    /// Objects that could not be parsed and were compared by tokens.
    public var unparsed: [String] = []
    /// The renames that were assumed without a hint, and those that are possible.
    public var renames = RenameDecision()
    /// Nil if none was requested, or none can be given: the report's findings then say why.
    public var plan: MigrationPlan?
    public var downPlan: MigrationPlan?

    public init(old: String, new: String, changes: [SchemaChange], oldSchema: Schema, newSchema: Schema) {
        (self.old, self.new, self.changes) = (old, new, changes)
        (self.oldSchema, self.newSchema) = (oldSchema, newSchema)
    }

    public var isSame: Bool { changes.isEmpty }
}
