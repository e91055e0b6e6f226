import CSQLite

/// The settings of a connection, applied before anything else runs on it.
///
///     var settings = ConnectionSettings()
///     settings.readOnly = true
///     settings.collations = [CollationStub(name: "de_DE", order: .nocase)]
///     let database = try await NIODriver().open(.live(path: "app.db"), settings: settings)
public struct ConnectionSettings: Sendable {
    /// `PRAGMA foreign_keys`. Both engines turn it on for every connection.
    public var foreignKeys = true
    /// Whether `"text"` that names nothing is read as a string literal
    /// (https://www.sqlite.org/quirks.html#dblquote). Nil for the engine's default: GRDB turns it off, and on
    /// SwiftNIO it is as the library was built.
    public var doubleQuotedStrings: Bool?
    /// Whether writes are refused.
    public var readOnly = false
    /// How long to wait for another connection's lock.
    public var busyTimeout: Duration = .seconds(5)
    /// Whether statements that write the schema or shadow tables by hand are refused: for connections on
    /// which only Drydock's own SQL writes.
    public var isDefensive = false
    /// Nil for SQLite's own limits.
    public var limits: ConnectionLimits? = ConnectionLimits()
    public var functions: [FunctionStub] = []
    public var collations: [CollationStub] = []
    /// What migrations use and the library may lack.
    package var standIns = StandIns()
    /// Functions for the program's own statements.
    package var computed: [ComputedFunction] = []
    /// The source of `random()` and `randomblob()`; nil for SQLite's own.
    public var random: RandomSource?
    /// SQL to run once, when the connection is open.
    public var setup: [String] = []
    /// Polled every ``progressInterval`` virtual-machine instructions, and while a statement is compiled;
    /// `true` interrupts the statement.
    public var interrupt: (@Sendable () -> Bool)?
    /// The limit on SQLite's memory in this process, in bytes, at which statements of this connection fail, asked at each
    /// allocation; nil for ``SQLiteLibrary/limitMemory(to:)``. A test can refuse any allocation with it.
    package var memoryLimit: (@Sendable () -> Int)?
    /// Where statements of files are noted while they run.
    public var statements: StatementLog?

    /// Whether the engine may follow transactions, as ``OpenDatabase/changes(every:)`` needs. It must not where a commit
    /// is made to fail: SQLite then has called the commit hook of a RELEASE and stays in the transaction, which GRDB
    /// does not expect.
    public var followsTransactions = true

    /// Whether prepared statements are kept for the next use of the same SQL: for a connection on which nothing changes the
    /// schema.
    package var keepsStatements = false

    /// Whether the engine may keep account of what each statement reads and writes, as ``OpenDatabase/changes(every:)`` needs.
    /// It takes time whenever a statement is compiled.
    package var followsStatements = true

    /// The number of instructions between two polls of ``interrupt``: a few hundred microseconds of work.
    public static let progressInterval: Int32 = 20_000

    public init() {}
}

/// A stand-in for an SQL function that an app registers, so that its migrations can run.
public struct FunctionStub: Sendable, Hashable, Codable {
    public enum Result: Sendable, Hashable, Codable {
        case constant(SQLValue)
        /// The argument at this index, counted from zero.
        case argument(Int)
    }

    public var name: String
    /// The number of arguments; nil for any number.
    public var argumentCount: Int?
    public var result: Result

    public init(name: String, argumentCount: Int?, result: Result) {
        self.name = name
        self.argumentCount = argumentCount
        self.result = result
    }

    /// Why SQLite would refuse the function; nil if it would not
    /// (https://www.sqlite.org/c3ref/create_function.html).
    public var fault: String? {
        if name.isEmpty || name.utf8.count > 255 { return "a function's name has 1 to 255 bytes" }
        guard let argumentCount else { return nil }
        return (0...127).contains(argumentCount) ? nil : "a function takes 0 to 127 arguments"
    }
}

/// A stand-in for a collation that an app registers.
public struct CollationStub: Sendable, Hashable, Codable {
    public enum Order: String, Sendable, Hashable, CaseIterable, Codable {
        case binary, nocase, rtrim
    }

    public var name: String
    public var order: Order

    public init(name: String, order: Order) {
        self.name = name
        self.order = order
    }
}
