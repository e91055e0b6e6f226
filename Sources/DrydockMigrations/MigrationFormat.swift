import DrydockFindings
import DatabaseEngine

/// How a tool names, orders, splits, wraps and records migrations.
///
/// A format is one file, which also has the ``ToolProfile`` of its tool.
public protocol MigrationFormat: Sendable {
    /// The name that the command line and drydock.yml use.
    var name: String { get }

    /// The table in which applied migrations are recorded; left out of conservation and of schemas. Nil if the
    /// version is in `PRAGMA user_version`.
    var historyTable: String? { get }

    /// Further tables that the tool keeps for itself; also left out.
    var otherTables: [String] { get }

    /// The app's own tables in which the tool keeps something too: everything in them is data except what it records.
    var sharedTables: [String] { get }

    /// The query that a project gives for its history; nil if the tool has its own table.
    var historyQuery: String? { get }

    /// The name that messages use for the place where all migrations are.
    var home: String { get }

    var policy: ToolPolicy { get }

    /// Whether the app hands the tool a connection, or its address, so that the app's own source says whether foreign keys
    /// are enforced.
    var runsOnAppsConnection: Bool { get }

    /// What the tool's checksums cover, which decides whether it minds an edited comment.
    var checksums: ChecksumScope { get }

    /// The statements that create the history table, as the tool would if it is missing.
    var historySetup: [Bookkeeping] { get }

    /// How users of the tool run a migration with foreign keys off, in a sentence or two.
    var foreignKeysOffAdvice: String { get }

    /// Returns whether a database's history is this tool's.
    func owns(_ facts: HistoryFacts) -> Bool

    /// Returns why a folder is this tool's, from its files; nil if it is not.
    func evidence(in folder: FolderFiles) -> FolderEvidence?

    /// Returns the format as the project's configuration of the tool sets it for a folder.
    func configured(for folder: FolderFiles) -> any MigrationFormat

    /// Endings of the files that are meant to be its migrations, in lower case.
    var fileEndings: [String] { get }

    /// Whether it also reads the folders in the folder: those that hold a migration, or every one.
    var readsSubfolders: Bool { get }
    var readsEverySubfolder: Bool { get }

    /// Returns whether a file that the tool does not run has a meaning for it.
    func knows(_ file: String) -> Bool

    /// How a file must be named, or listed, so that the tool runs it, in a sentence.
    var namingAdvice: String { get }

    /// Reads a folder.
    /// - Throws: ``RequestError`` if the folder as a whole cannot be read. A file that cannot be read is a migration
    ///   with a fault.
    func load(folder: FolderFiles, options: FormatOptions) throws -> MigrationSet

    /// Returns what a database has applied, or nil if that is unknown.
    func history(_ connection: any Connection, of set: MigrationSet) throws -> AppliedHistory?
}

extension MigrationFormat {
    public var otherTables: [String] { [] }
    public var sharedTables: [String] { [] }
    public var historyQuery: String? { nil }
    public var home: String { "the folder" }
    public var runsOnAppsConnection: Bool { false }
    public var historySetup: [Bookkeeping] { [] }
    public var checksums: ChecksumScope { .none }
    public func configured(for folder: FolderFiles) -> any MigrationFormat { self }
    public var fileEndings: [String] { [".sql"] }
    public var readsSubfolders: Bool { readsEverySubfolder }
    public var readsEverySubfolder: Bool { false }
    public var namingAdvice: String { "" }
    public func knows(_ file: String) -> Bool { false }
    public var foreignKeysOffAdvice: String {
        "Turn them off on the app's connection before the tool opens its transaction, and say so with 'foreignKeys: "
            + "false' in drydock.yml."
    }

    /// Whether a database's version is in `PRAGMA user_version`.
    package var usesUserVersion: Bool {
        historyQuery.map { $0.foldedASCII.contains(HeaderMark.userVersion.rawValue) } ?? (historyTable == nil)
    }

    /// The tables that are not part of the app's schema.
    package var ownTables: [String] {
        let shared = sharedTables.map(\.foldedASCII)
        return ([historyTable].compactMap(\.self) + otherTables).filter { !shared.contains($0.foldedASCII) }
    }
}

/// A format with a tool that can keep its history in a table with another name.
public protocol NamedHistory: MigrationFormat {
    var historyTable: String? { get set }

    /// The columns by which such a table is recognised, folded; empty if another table may well have them too.
    var historyColumns: Set<String> { get }
}

extension NamedHistory {
    public var historyColumns: Set<String> { [] }

    /// The table's name in SQL.
    var quotedHistory: String { quotedName(historyTable ?? "") }

    /// Returns the same format with another name for the table.
    func keepingHistory(in table: String) -> any MigrationFormat {
        var format = self
        format.historyTable = table
        return format
    }
}

/// What a tool compares to detect a changed file.
public enum ChecksumScope: Sendable, Hashable {
    /// The tool keeps no checksum, or never reads it again.
    case none
    /// Every byte of the file.
    case bytes
    /// Something that the tool computes from the file: ``Migration/checksum``.
    case own
}

/// A project's settings for its migrations.
public struct FormatOptions: Sendable {
    /// What the app substitutes at run time, by the text that it replaces: `${name}` if the key is a bare name.
    public var placeholders: [String: String] = [:]
    public var transaction: ToolPolicy.Transaction?
    public var foreignKeys: Bool?
    public var doubleQuotedStrings: Bool?
    /// The name of the history table, if the tool was configured to use a different one.
    public var historyTable: String?
    /// Whether Flyway is configured so that a file may mix statements which need no transaction with others.
    public var mixed: Bool?
    public var base: SchemaBase?
    public var custom: CustomFormat?

    public init() {}
}

/// What a folder's files show about its format.
public struct FolderEvidence: Sendable {
    public enum Strength: Int, Sendable, Comparable {
        /// It has files that the tool would ignore: only a history makes it this tool's.
        case possible
        /// Numbered SQL files, which several tools have.
        case names
        /// A layout that only one or two tools have.
        case layout
        /// What a tool writes into a folder: a journal, a lock file, annotations.
        case marker
        /// The project's configuration of the tool names the folder: what another tool left in it only generated the files.
        case configured

        public static func < (a: Strength, b: Strength) -> Bool { a.rawValue < b.rawValue }
    }

    public var strength: Strength
    /// Where the sign is: a file, or FILE:LINE.
    public var place: String
    /// The sign itself, such as "-- +goose Up".
    public var sign: String

    public init(_ strength: Strength, _ sign: String, at place: String) {
        self.strength = strength
        self.sign = sign
        self.place = place
    }
}
