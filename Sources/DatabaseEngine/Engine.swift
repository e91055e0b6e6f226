/// An engine that opens SQLite databases; all that the core knows of a SQLite library.
///
/// Asynchronous outside, synchronous inside: a closure receives a ``Connection`` and uses it without
/// awaiting. That fits GRDB's dispatch queues and a thread pool alike, and no other work comes between the
/// statements of a transaction.
///
///     let database = try await engine.open(.live(path: "app.db"), settings: ConnectionSettings())
///     let count = try await database.read { try $0.firstRow("SELECT count(*) FROM t") { $0.integer(0) } }
///     try await database.close()
public protocol Engine: Sendable {
    /// The name that the command line and reports use, such as `grdb`.
    var name: String { get }

    /// Opens a database.
    /// - Throws: ``EngineError`` if SQLite cannot open it or a setup statement fails.
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
    /// - Throws: what the closure throws; ``EngineError`` (SQLITE_MISUSE) if it leaves a transaction open.
    func withConnection<Result: Sendable>(
        _ body: @escaping @Sendable (any Connection) throws -> Result
    ) async throws -> Result

    /// Runs a closure inside one read transaction, concurrently with others if the engine can.
    /// - Throws: what the closure throws.
    func read<Result: Sendable>(
        _ body: @escaping @Sendable (any Connection) throws -> Result
    ) async throws -> Result

    /// Runs those migrations that `grdb_migrations` does not list, as GRDB's `DatabaseMigrator` does: creates
    /// that table if it is missing, runs each body in a separate immediate transaction, records the
    /// identifier, and commits.
    /// - Returns: the migrations that ran.
    /// - Throws: ``EngineError`` if two have the same name, or if a statement or the deferred foreign-key
    ///   check fails; the transaction of that migration is rolled back.
    func migrate(_ migrations: [EngineMigration]) async throws -> [EngineMigration.Ran]

    /// Observes commits from now on, whichever connection makes them.
    ///
    /// This database's own commits are reported with their tables, after they are durable; those of other connections
    /// and processes once `PRAGMA data_version` shows them.
    /// - Parameter interval: how often to look for what others have committed. Looking takes a read lock for as long as
    ///   two pragmas last, and does not wait for one.
    /// - Throws: ``EngineError`` if the database is closed or cannot be read.
    func changes(every interval: Duration) async throws -> DatabaseChanges

    /// Closes every connection. Later calls throw, and ``changes(every:)`` ends.
    func close() async throws
}

extension OpenDatabase {
    /// Runs one migration, unless it is already applied.
    /// - Throws: ``EngineError`` as ``migrate(_:)`` does.
    public func apply(_ migration: EngineMigration) async throws {
        _ = try await migrate([migration])
    }

    /// Observes commits from now on, and looks ten times a second for those of others.
    /// - Throws: ``EngineError`` as ``changes(every:)`` does.
    public func changes() async throws -> DatabaseChanges {
        try await changes(every: .milliseconds(100))
    }
}

/// One migration as an engine runs it.
public struct EngineMigration: Sendable {
    /// When foreign keys are enforced while a migration runs.
    public enum ForeignKeyChecks: Sendable {
        /// Not enforced while it runs; the whole database is checked before the commit. GRDB's default.
        case deferred
        /// By every statement, as SQLite does with `PRAGMA foreign_keys = ON`.
        case immediate
        /// Not enforced or checked. Drydock uses this to distinguish an old violation from a new one.
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
        /// The statements that were executed, if the engine ran something else in place of the body, such as
        /// a closure of an app; nil if it ran the body.
        public var statements: [String]?

        public init(_ identifier: String, statements: [String]? = nil) {
            self.identifier = identifier
            self.statements = statements
        }
    }
}

/// The location of a database.
public enum DatabaseLocation: Sendable, Hashable {
    /// A private database in memory.
    case memory
    /// A `file:` URI (https://www.sqlite.org/uri.html), such as that of an overlay with its `vfs` parameter.
    case uri(String)
    /// The path of a file that other programs may have open. Its journal mode is never changed.
    case live(path: String)

    /// The name to open the database with. A path that looks like a URI or like `:memory:` stays a path.
    package var name: String {
        switch self {
        case .memory: ":memory:"
        case .uri(let uri): uri
        case .live(let path): path.hasPrefix("/") || path.hasPrefix("./") ? path : "./" + path
        }
    }
}
