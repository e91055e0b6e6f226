/// Opens SQLite databases; the one thing of a SQLite library that the core knows.
///
/// Asynchronous outside, synchronous inside: a closure is handed a ``Connection`` that it uses
/// without awaiting. That fits GRDB's dispatch queues and a thread pool alike, and keeps a
/// transaction from being interleaved with anything else.
public protocol Engine: Sendable {
    /// The name that the command line and reports use, such as `grdb`.
    var name: String { get }

    /// Opens a database.
    /// - Throws: ``EngineError`` when SQLite cannot open it or a setup statement fails.
    func open(_ location: DatabaseLocation, settings: ConnectionSettings) async throws -> any OpenDatabase

    /// Throws where the time for the work is up: what was left out for it may look like nothing at all.
    /// - Throws: ``EngineError``.
    func checkTime() throws
}

extension Engine {
    public func checkTime() throws {}
}

/// A database that an engine has opened.
public protocol OpenDatabase: Sendable {
    /// Runs a closure with exclusive use of the writing connection, outside any transaction.
    /// - Throws: whatever the closure throws.
    func withConnection<Result: Sendable>(
        _ body: @escaping @Sendable (any Connection) throws -> Result
    ) async throws -> Result

    /// Runs a closure inside one read transaction, concurrently with others where the engine can.
    func read<Result: Sendable>(
        _ body: @escaping @Sendable (any Connection) throws -> Result
    ) async throws -> Result

    /// Runs those migrations that `grdb_migrations` does not have, as GRDB's `DatabaseMigrator` does: creates
    /// that table when it is missing, and runs each body in an immediate transaction of its own, records
    /// the identifier, and commits.
    /// - Returns: those that ran.
    /// - Throws: ``EngineError`` when two have one name, or a statement or the deferred foreign-key check
    ///   fails; the transaction of that migration is rolled back.
    func migrate(_ migrations: [EngineMigration]) async throws -> [EngineMigration.Ran]

    /// Closes every connection. Calls after it throw.
    func close() async throws
}

extension OpenDatabase {
    /// Runs one migration, unless it was applied before.
    public func apply(_ migration: EngineMigration) async throws {
        _ = try await migrate([migration])
    }
}

/// One migration as an engine runs it.
public struct EngineMigration: Sendable {
    /// When foreign keys are enforced while a migration runs.
    public enum ForeignKeyChecks: Sendable {
        /// Not while it runs; the whole database is checked before the commit. GRDB's default.
        case deferred
        /// By every statement, as SQLite does with `PRAGMA foreign_keys = ON`.
        case immediate
        /// Not at all. Drydock asks for this to tell an old violation from a new one.
        case disabled
    }

    public var identifier: String
    public var foreignKeyChecks: ForeignKeyChecks
    public var body: @Sendable (any Connection) throws -> Void

    public init(
        identifier: String,
        foreignKeyChecks: ForeignKeyChecks = .deferred,
        body: @escaping @Sendable (any Connection) throws -> Void
    ) {
        self.identifier = identifier
        self.foreignKeyChecks = foreignKeyChecks
        self.body = body
    }

    /// A migration that ran.
    public struct Ran: Sendable, Hashable {
        public var identifier: String
        /// What was executed, where the engine runs something of its own in the body's place, such as a closure
        /// of an app; nil where it ran the body.
        public var statements: [String]?

        public init(_ identifier: String, statements: [String]? = nil) {
            self.identifier = identifier
            self.statements = statements
        }
    }
}

/// Where a database lives.
public enum DatabaseLocation: Sendable, Hashable {
    /// A private database in memory.
    case memory
    /// A `file:` URI (https://www.sqlite.org/uri.html), such as an overlay's with its `vfs` parameter.
    case uri(String)
    /// The path of a file that other programs may have open. Its journal mode is never changed.
    case live(path: String)

    /// The name to open it with. A path that looks like a URI or like `:memory:` stays a path.
    package var name: String {
        switch self {
        case .memory: ":memory:"
        case .uri(let uri): uri
        case .live(let path): path.hasPrefix("/") || path.hasPrefix("./") ? path : "./" + path
        }
    }
}
