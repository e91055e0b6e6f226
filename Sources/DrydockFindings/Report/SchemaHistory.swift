import SQLiteSchema

/// The history of the schema: what each migration did to it on an empty database.
public struct SchemaHistory: Sendable {
    public struct Migration: Sendable {
        public var name: String
        public var file: String
        /// Whether the lock or a snapshot shows that users have it; nil where there is neither.
        public var isReleased: Bool?

        public init(name: String, file: String, isReleased: Bool? = nil) {
            (self.name, self.file, self.isReleased) = (name, file, isReleased)
        }
    }

    public struct Version: Sendable {
        /// The migration that led to it; several where the states between them are not known.
        public var migrations: [Migration]
        /// The differences from the version before, without quiet ones and without settings.
        public var changes: [SchemaChange]
        /// The tables that the changes touch, and those beside them.
        public var excerpt: SchemaExcerpt

        public init(migrations: [Migration], changes: [SchemaChange], excerpt: SchemaExcerpt) {
            (self.migrations, self.changes, self.excerpt) = (migrations, changes, excerpt)
        }
    }

    /// The oldest first.
    public var versions: [Version] = []
    /// The schema of the last of them.
    public var schema = Schema()
    /// The migrations after it, for which no schema is known.
    public var unknown: [Migration] = []
    /// Why the schema is not known further.
    public var failure: String?

    public init() {}
}
