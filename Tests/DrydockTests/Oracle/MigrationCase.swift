import Drydock

@testable import DrydockTestSupport

/// A database, and migrations of it with known meaning.
struct MigrationCase {
    /// How the migrations run.
    enum Tool: String, CaseIterable {
        /// GRDB's migrator: foreign keys off, all of them checked before the commit.
        case drydock
        /// GRDB's migrator with a declaration that foreign keys are enforced.
        case immediate
        /// One transaction per file, foreign keys off.
        case golangMigrate = "golang-migrate"
        /// One transaction per file, foreign keys on.
        case custom
        /// No transaction, foreign keys on: the files' own PRAGMA takes effect.
        case customWithout = "custom without a transaction"
        /// One transaction for all files, foreign keys on.
        case customTogether = "custom in one transaction"

        /// The tools that a seed picks from; some cases of ``custom`` become ``customTogether``.
        static let picked: [Tool] = allCases.filter { $0 != .customTogether }

        var enforces: Bool {
            self == .immediate || self == .custom || self == .customWithout || self == .customTogether
        }
        var hasTransaction: Bool { self != .customWithout }
    }

    /// What the declarations of a file allow to go.
    struct Exemptions {
        /// The ids of tables.
        var tables: Set<Int> = []
        /// The ids of columns that may go or change.
        var columns: Set<Int> = []
        /// The ids of those that may go.
        var drops: Set<Int> = []
        /// Conditions of rows that may go, by table id.
        var rows: [Int: [String]] = [:]
    }

    struct File {
        var declarations: [String] = []
        var statements: [String] = []
        var exemptions = Exemptions()
        /// The error with which SQLite refuses the file.
        var failure: String?

        var text: String {
            (declarations.map { "-- drydock: \($0)\n" } + statements.map { "\($0);\n" }).joined()
        }
    }

    let seed: UInt64
    var tool = Tool.drydock
    var pragmas: [String] = []
    /// The first migration, which the snapshot has applied.
    var schema: [String] = []
    var rows: [String] = []
    var files: [File] = []

    func identifier(_ file: Int) -> String {
        switch tool {
        case .drydock, .immediate: "v\(file + 2)"
        default: "\(file + 2)"
        }
    }

    private func path(_ number: Int) -> String {
        switch tool {
        case .drydock, .immediate: "v\(number).sql"
        case .golangMigrate: "\(number)_x.up.sql"
        case .custom, .customWithout, .customTogether: "\(number).sql"
        }
    }

    private var history: String {
        switch tool {
        case .drydock, .immediate:
            "CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY); INSERT INTO grdb_migrations VALUES ('v1');\n"
        case .golangMigrate:
            "CREATE TABLE schema_migrations (version uint64,dirty bool); CREATE UNIQUE INDEX version_unique ON schema_migrations (version); INSERT INTO schema_migrations VALUES (1, 0);\n"
        case .custom, .customWithout, .customTogether:
            "CREATE TABLE applied(version TEXT PRIMARY KEY); INSERT INTO applied VALUES ('1');\n"
        }
    }

    private static let customFiles = #"(?<version>[0-9]+)\.sql"#
    private static let customSetup = "CREATE TABLE IF NOT EXISTS applied(version TEXT PRIMARY KEY)"
    private static let customRecord = "INSERT INTO applied VALUES (:version)"

    /// The SQL that creates the snapshot.
    var snapshotSQL: String {
        (pragmas + schema + rows).map { "\($0);\n" }.joined() + history
    }

    private var migrations: [(path: String, text: String)] {
        let first = (path: path(1), text: schema.map { "\($0);\n" }.joined())
        return [first]
            + files.enumerated().map { number, file in
                let mode = tool == .immediate ? "-- drydock: foreign-keys immediate\n" : ""
                return (path(number + 2), mode + file.text)
            }
    }

    func write() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        for (path, text) in migrations { try folder.write("Migrations/\(path)", text) }
        try folder.write("Snapshots/.keep", "")
        let database = try PlainDatabase(folder.file("Snapshots/s.sqlite"))
        try database.execute((pragmas + ["PRAGMA synchronous = OFF; BEGIN"]).joined(separator: ";"))
        try database.execute((schema + rows).joined(separator: ";\n") + ";" + history + "COMMIT")
        return folder
    }

    private var transaction: ToolPolicy.Transaction {
        switch tool {
        case .customWithout: .none
        case .customTogether: .all
        default: .each
        }
    }

    func configure(_ request: inout VerifyRequest) {
        switch tool {
        case .drydock, .immediate: request.migrations.format = "drydock"
        case .golangMigrate: request.migrations.format = "golang-migrate"
        case .custom, .customWithout, .customTogether:
            var custom = CustomFormat(
                files: Self.customFiles, query: "SELECT version FROM applied",
                policy: ToolPolicy(transaction: transaction, foreignKeys: true))
            custom.historyTable = "applied"
            custom.setup = [Self.customSetup]
            custom.record = [Self.customRecord]
            request.migrations.format = "custom"
            request.migrations.options.custom = custom
        }
    }

    /// A shell script that reproduces the case.
    var script: String {
        var text = "# seed \(seed), \(tool.rawValue)\nmkdir -p Migrations Snapshots\n"
        for (path, sql) in migrations { text += "cat > Migrations/\(path) <<'SQL'\n\(sql)SQL\n" }
        text += "sqlite3 Snapshots/s.sqlite <<'SQL'\n\(snapshotSQL)SQL\n"
        switch tool {
        case .drydock, .immediate: text += "drydock verify --migration-format drydock\n"
        case .golangMigrate: text += "drydock verify --migration-format golang-migrate\n"
        case .custom, .customWithout, .customTogether:
            text += """
                cat > drydock.yml <<'YML'
                migrationFormat: custom
                transaction: \(transaction.rawValue)
                foreignKeys: true
                custom:
                  files: '\(Self.customFiles)'
                  history:
                    table: applied
                    query: SELECT version FROM applied
                    setup: \(Self.customSetup)
                    record: \(Self.customRecord)
                YML
                drydock verify

                """
        }
        return text
    }
}
