import SQLiteSchema

/// What a database may notice of how a tool runs migrations, apart from the tool's own records: two readings with the same
/// behaviour have the same findings.
struct ToolBehaviour: Hashable {
    private enum ForeignKeys: Hashable {
        case on, off
        /// Off while a migration runs, and checked before its commit.
        case deferred
    }

    /// By migration; empty where no migration depends on it.
    private let foreignKeys: [ForeignKeys]
    private let transactions: [ToolPolicy.Transaction]
    private let doubleQuotedStrings: Bool

    init(of set: MigrationSet) {
        let statements = set.migrations.lazy.flatMap(\.statements)
        let matters = set.dependsOnForeignKeys || statements.contains(where: \.setsConnection)
        foreignKeys =
            matters ? set.migrations.map { $0.isDeferred ? .deferred : $0.foreignKeys ? .on : .off } : []
        transactions = set.migrations.map(\.transaction)
        let quote = UInt8(ascii: "\"")
        doubleQuotedStrings =
            set.policy.readsStrings && statements.contains { $0.text.utf8.contains(quote) }
    }

    /// Returns what says how each of several readings differs from the others; of one, what it does with foreign keys.
    static func words(for sets: [MigrationSet]) -> [@Sendable (ToolPolicy) -> String] {
        let behaviours = sets.map(ToolBehaviour.init)
        func differ(_ part: (ToolBehaviour) -> some Hashable) -> Bool { Set(behaviours.map(part)).count > 1 }
        var words: [@Sendable (ToolPolicy) -> String] = []
        if sets.count == 1 || differ(\.foreignKeys) { words.append(\.foreignKeyWords) }
        if differ(\.doubleQuotedStrings) { words.append(\.stringWords) }
        if differ(\.transactions) { words.append(\.transactionWords) }
        return words
    }
}

extension MigrationSet {
    /// Whether any table may have a foreign key.
    var dependsOnForeignKeys: Bool {
        base != nil
            || migrations.contains { $0.statements.contains { $0.text.foldedASCII.contains("references") } }
    }

    /// Returns the same migrations on connections that enforce foreign keys, or do not.
    func enforcingForeignKeys(_ areEnforced: Bool) -> MigrationSet {
        var set = self
        // A file that says it for itself keeps it.
        for index in migrations.indices where migrations[index].foreignKeys == policy.foreignKeys {
            set.migrations[index].foreignKeys = areEnforced
        }
        set.policy.foreignKeys = areEnforced
        return set
    }

    /// Returns the same migrations as they would run on another tool's connections.
    func run(as other: MigrationSet) -> MigrationSet {
        var set = self
        set.policy = other.policy
        let known = Dictionary(
            other.migrations.map { ($0.path, $0) }, uniquingKeysWith: { first, _ in first })
        for (index, migration) in migrations.enumerated() {
            let like = known[migration.path]
            set.migrations[index].transaction = like?.transaction ?? other.policy.transaction
            set.migrations[index].foreignKeys = like?.foreignKeys ?? other.policy.foreignKeys
            set.migrations[index].isDeferred = like?.isDeferred ?? other.policy.isRunByEngine
        }
        return set
    }
}

extension SQLStatement {
    /// Whether it is about the transaction or the connection, which tools treat differently.
    fileprivate var setsConnection: Bool {
        switch action {
        case .begin, .commit, .rollback, .pragma: true
        default: false
        }
    }
}

extension ToolPolicy {
    /// What the tool's connections do with foreign keys, in words.
    package var foreignKeyWords: String {
        isRunByEngine
            ? "foreign keys off while a migration runs and checked after it"
            : "foreign keys \(foreignKeys ? "on" : "off")"
    }

    /// Whether its SQLite reads double-quoted text that names nothing as a string.
    fileprivate var readsStrings: Bool { doubleQuotedStrings ?? false }

    fileprivate var stringWords: String {
        "double-quoted text that is not a column is \(readsStrings ? "a string" : "an error")"
    }

    fileprivate var transactionWords: String {
        switch transaction {
        case .each: "a transaction for each migration"
        case .all: "one transaction for all migrations"
        case .none: "no transaction"
        }
    }
}

extension FolderEvidence: CustomStringConvertible {
    public var description: String { "\(sign) in \(place)" }
}
