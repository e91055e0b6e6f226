import SQLiteSchema

/// A rule that is broken at one place.
public struct Finding: Sendable, Codable {
    public enum Severity: String, Sendable, Codable, Comparable, CaseIterable {
        case note, warning, error

        public static func < (a: Severity, b: Severity) -> Bool {
            a.rank < b.rank
        }

        private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
    }

    /// What qualifies a finding, as reports spell it.
    public struct Tag: RawRepresentable, Sendable, Hashable, Codable {
        public let rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }

        /// The same migration passes if the tables are empty.
        public static let dataDependent = Tag(rawValue: "data-dependent")
        /// It happens on an empty database, so that no new user can install the app.
        public static let freshInstall = Tag(rawValue: "fresh-install")
        /// The snapshot had the fault before anything was replayed.
        public static let preExisting = Tag(rawValue: "pre-existing")
        /// A later pending migration fixes it.
        public static let healed = Tag(rawValue: "healed")
        /// It reports what was not checked.
        public static let notChecked = Tag(rawValue: "not-checked")
        /// It happens only with rows that the constraints allow but that few would expect.
        public static let probe = Tag(rawValue: "probe")
        /// It is about one run and not about the database, so that it cannot be accepted as known.
        public static let ofRun = Tag(rawValue: "of-run")
        /// The file is damaged, which cannot be accepted as known: more damage may have the same words.
        public static let damage = Tag(rawValue: "damage")

        /// It is found only where the migrations are run as the tool of this format does, such as `sqlx`.
        public static func reading(_ format: String) -> Tag { Tag(rawValue: "as-\(format)") }

        /// It was found on another SQLite library, of this version, such as `3.34.1`.
        public static func sqlite(_ version: String) -> Tag { Tag(rawValue: "sqlite-\(version)") }
    }

    public var rule: Rule
    public var severity: Severity
    /// The fact, without a final full stop.
    public var sentence: Sentence
    /// What ``message`` says of the snapshot that it names, so that findings of several snapshots can be compared; nil if
    /// it names none.
    public var fact: String?
    /// What to do about it, with the declarations that it proposes.
    public var advice: Help
    public var snapshot: String?
    /// The live database, for `drydock health`.
    public var database: String?
    public var migration: String?
    public var place: Place?
    public var table: String?
    public var column: String?
    /// The object in the table, for `drydock health`: an index, a key, a trigger, a column.
    public var object: String?
    public var tags: [Tag] = []
    public var evidence: Evidence?
    /// What several findings have in common as their cause, such as `DROP TABLE person in line 3`.
    package var cause: String?
    /// Why it is so, in words that do not depend on which rows show it, such as "replaced" or "UNIQUE constraint failed:
    /// person.email"; nil where the rule says all that is known.
    package private(set) var reason: String?
    /// The statement that the reason names, where that is not the one of ``place``.
    package var reasonPlace: Place?
    /// The formats in which it is found, each of which is a tag; nil for every one.
    package var formats: [String]?
    /// SQLite's extended result code (https://www.sqlite.org/rescode.html), where a statement was refused.
    package var resultCode: Int32?
    /// The rows that show it, where Drydock generated them.
    public var counterexample: Counterexample?
    /// The rewrite that `drydock lint --fix` would make, in the order of the file; empty where it would make none.
    public var edits: [Edit] = []

    public init(
        _ rule: Rule, _ severity: Severity, _ sentence: some SentenceConvertible,
        help: some HelpConvertible = "", migration: String? = nil, place: Place? = nil,
        table: String? = nil, column: String? = nil, tags: [Tag] = [], evidence: Evidence? = nil
    ) {
        self.rule = rule
        self.severity = severity
        self.sentence = sentence.asSentence
        advice = help.asHelp
        self.migration = migration
        self.place = place
        self.table = table
        self.column = column
        self.tags = tags
        self.evidence = evidence
    }

    /// Creates an error.
    public init(
        _ rule: Rule, _ sentence: some SentenceConvertible, help: some HelpConvertible = "",
        migration: String? = nil, place: Place? = nil, table: String? = nil, column: String? = nil,
        tags: [Tag] = [], evidence: Evidence? = nil
    ) {
        self.init(
            rule, .error, sentence, help: help, migration: migration, place: place, table: table,
            column: column, tags: tags, evidence: evidence)
    }

    /// Creates a finding whose message is the snapshot's path and a fact about it.
    package init(
        _ rule: Rule, _ severity: Severity = .error, of snapshot: String, _ fact: String,
        help: some HelpConvertible = "", migration: String? = nil, place: Place? = nil, tags: [Tag] = [],
        evidence: Evidence? = nil
    ) {
        self.init(
            rule, severity, "\(snapshot) \(fact)", help: help, migration: migration, place: place, tags: tags,
            evidence: evidence)
        self.fact = fact
    }

    /// Adds why it is so, beside what is known already.
    package mutating func add(reason more: String?, at place: Place? = nil) {
        guard let more else { return }
        reason = reason.map { "\($0); \(more)" } ?? more
        reasonPlace = place ?? reasonPlace
    }

    /// The fact, with the values of rows that it quotes.
    public var message: String { sentence.text }

    /// What to do about it, as it is shown. Several lines where SQL or a declaration is proposed.
    public var help: String { advice.text }

    /// Where in a file a finding points, and what stands there.
    public struct Place: Sendable, Hashable, Codable {
        public var file: String
        /// Counted from 1; nil if the file as a whole is meant.
        public var line: Int?
        public var column: Int?
        /// The line as written, for quoting.
        public var lineText: String?
        /// The whole statement.
        public var statement: String?
        /// Whether the file is a dump, so that its lines are data.
        public var quotesData = false

        public init(file: String) {
            self.file = file
        }

        /// The start of a statement, or a byte offset inside it.
        public init(_ statement: SQLStatement, offset: Int? = nil) {
            let source = statement.source
            let location = source.location(at: statement.range.lowerBound + (offset ?? 0))
            self.file = source.name
            self.line = location.line
            self.column = location.column
            self.lineText = source.lineText(location.line)
            self.statement = statement.text
        }

        public init(_ source: SQLSource, offset: Int) {
            let location = source.location(at: offset)
            self.file = source.name
            self.line = location.line
            self.column = location.column
            self.lineText = source.lineText(location.line)
        }
    }
}
