import DrydockFindings
import DatabaseEngine

/// How a tool names, orders, splits, wraps and records migrations.
///
/// A format is one file, registered in ``MigrationFormats/all``.
public protocol MigrationFormat: Sendable {
    /// The name that the command line and drydock.yml use.
    var name: String { get }

    /// The table in which applied migrations are recorded; left out of conservation and of schemas. Nil where
    /// `PRAGMA user_version` says it.
    var historyTable: String? { get }

    /// Tables that the tool keeps for itself beside it; left out alike.
    var otherTables: [String] { get }

    /// Tables of the app's own in which the tool keeps something too: all in them is data but what it records.
    var sharedTables: [String] { get }

    /// The query that a project gives for its history; nil where the tool has a table of its own.
    var historyQuery: String? { get }

    /// What messages call the place where all migrations are.
    var home: String { get }

    var policy: ToolPolicy { get }

    /// What the tool's checksums are of, so that it minds an edited comment.
    var checksums: ChecksumScope { get }

    /// What makes the history table, as the tool would when it is missing.
    var historySetup: [Bookkeeping] { get }

    /// How its users run a migration with foreign keys off, in a sentence or two.
    var foreignKeysOffAdvice: String { get }

    /// Whether a database's history is this tool's.
    func owns(_ facts: HistoryFacts) -> Bool

    /// Why a folder is this tool's, by its files; nil when it is not.
    func evidence(in folder: FolderFiles) -> FolderEvidence?

    /// Endings of the files that are meant to be its migrations, in lower case.
    var fileEndings: [String] { get }

    /// Whether it reads the folders in the folder as well: those that hold a migration, or every one.
    var readsSubfolders: Bool { get }
    var readsEverySubfolder: Bool { get }

    /// Whether a file that it does not run has a meaning of its own to the tool.
    func knows(_ file: String) -> Bool

    /// How a file is named, or listed, so that the tool runs it, in a sentence.
    var namingAdvice: String { get }

    /// Reads a folder.
    /// - Throws: ``RequestError`` when the folder as a whole cannot be read. A file that cannot be read is
    ///   a migration with a fault.
    func load(folder: FolderFiles, options: FormatOptions) throws -> MigrationSet

    /// What a database has applied, or nil when it does not tell.
    func history(_ connection: any Connection, of set: MigrationSet) throws -> AppliedHistory?
}

extension MigrationFormat {
    public var otherTables: [String] { [] }
    public var sharedTables: [String] { [] }
    public var historyQuery: String? { nil }
    public var home: String { "the folder" }
    public var historySetup: [Bookkeeping] { [] }
    public var checksums: ChecksumScope { .none }
    public var fileEndings: [String] { [".sql"] }
    public var readsSubfolders: Bool { readsEverySubfolder }
    public var readsEverySubfolder: Bool { false }
    public var namingAdvice: String { "" }
    public func knows(_ file: String) -> Bool { false }
    public var foreignKeysOffAdvice: String {
        "Turn them off on the app's connection before the tool opens its transaction, and say so with 'foreignKeys: "
            + "false' in drydock.yml."
    }

    /// Whether a database's version is told by `PRAGMA user_version`.
    package var usesUserVersion: Bool {
        historyQuery.map { $0.foldedASCII.contains(HeaderMark.userVersion.rawValue) } ?? (historyTable == nil)
    }

    /// The tables that are no part of the app's schema.
    package var ownTables: [String] {
        let shared = sharedTables.map(\.foldedASCII)
        return ([historyTable].compactMap(\.self) + otherTables).filter { !shared.contains($0.foldedASCII) }
    }
}

/// A format whose tool can be told to keep its history in a table of another name.
public protocol NamedHistory: MigrationFormat {
    var historyTable: String? { get set }

    /// The columns by which such a table is known, folded; empty where another table may well have them too.
    var historyColumns: Set<String> { get }
}

extension NamedHistory {
    public var historyColumns: Set<String> { [] }

    /// The table's name in SQL.
    var quotedHistory: String { quotedName(historyTable ?? "") }

    /// The same with another name.
    func keepingHistory(in table: String) -> any MigrationFormat {
        var format = self
        format.historyTable = table
        return format
    }
}

/// What a tool looks at to see that a released file is what it was.
public enum ChecksumScope: Sendable, Hashable {
    /// It keeps no checksum, or never looks at it again.
    case none
    /// Every byte of the file.
    case bytes
    /// Something that it makes of the file: ``Migration/checksum``.
    case own
}

/// What a project says of its migrations beside the files.
public struct FormatOptions: Sendable {
    /// What the app puts in at run time, by what stands there: `${name}` where the key is a bare name.
    public var placeholders: [String: String] = [:]
    public var transaction: ToolPolicy.Transaction?
    public var foreignKeys: Bool?
    public var doubleQuotedStrings: Bool?
    /// The name of the history table, where the tool was given another than its own.
    public var historyTable: String?
    /// Whether Flyway was told that a file may mix statements which need no transaction with others.
    public var mixed: Bool?
    public var base: SchemaBase?
    public var custom: CustomFormat?

    public init() {}
}

/// What a folder tells by itself.
public struct FolderEvidence: Sendable {
    public enum Strength: Int, Sendable, Comparable {
        /// Files that the tool would leave alone stand among them: only a history makes it this tool's.
        case possible
        /// Numbered SQL files, as several tools have them.
        case names
        /// A layout that one tool or two have.
        case layout
        /// What a tool writes into a folder: a journal, a lock file, annotations.
        case marker

        public static func < (a: Strength, b: Strength) -> Bool { a.rawValue < b.rawValue }
    }

    public var strength: Strength
    /// Where it is to be seen: a file, or FILE:LINE.
    public var place: String
    /// What is to be seen, such as "-- +goose Up".
    public var sign: String

    public init(_ strength: Strength, _ sign: String, at place: String) {
        self.strength = strength
        self.sign = sign
        self.place = place
    }
}
