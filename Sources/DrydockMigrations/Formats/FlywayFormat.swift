import DatabaseEngine
import DrydockFiles
import DrydockFindings
import Foundation
import SQLiteSchema

extension ToolProfile {
    static let flyway = ToolProfile(
        FlywayFormat(),
        leaves: [.name("V1__x.sql", isOne: isVersioned)],
        namedBy: [.exists("flyway.toml"), .exists("flyway.conf"), .word("flyway", in: "pom.xml")]
            + ProjectSign.gradle("flyway") + ProjectSign.atlas("flyway"),
        tables: [
            "flyway_schema_history": [
                "installed_rank", "version", "description", "type", "script", "checksum", "installed_on",
                "execution_time", "success",
            ]
        ],
        history: CommandHistory(
            "flyway_schema_history", ["version", "installed_rank", "success"],
            """
            SELECT version FROM flyway_schema_history WHERE success AND version IS NOT NULL ORDER BY installed_rank
            """),
        places: [.below("src/main/resources/db/migration")])

    /// Returns whether a file has one of Flyway's and refinery's names.
    private static func isVersioned(_ file: String) -> Bool {
        guard file.hasSuffix(".sql"), let range = file.range(of: "__") else { return false }
        let version = file[..<range.lowerBound]
        return version == "R"
            || ["V", "U"].contains(version.first) && version.dropFirst().first?.isNumber == true
    }
}

/// Flyway (https://documentation.red-gate.com/fd), its SQL migrations on SQLite.
///
/// - `V<version>__<description>.sql` runs once, in the order of the versions; parts are separated by `.` or `_`.
///   `R__<description>.sql` runs after them, by description, whenever its checksum has changed. `U<version>__…`
///   undoes a version. Folders in the folder are read too. `V….java` and `.kt` are code ("Migrations").
/// - `${name}` is replaced everywhere, comments included, and one without a value is an error ("Placeholders").
/// - `afterMigrate.sql` and the like are callbacks, which are not run here ("Callbacks").
/// - Each file runs in one transaction with its bookkeeping ("Migration transaction handling"), unless `FILE.conf`
///   beside it says `executeInTransaction=false`. A file with no statements but `PRAGMA foreign_keys` runs without
///   one. A file that mixes them with others is refused (flyway-core, SQLiteParser.java,
///   `detectCanExecuteInTransaction`; ParserSqlScript.java), unless `flyway.mixed` is set: then it runs without
///   (DbMigrate.java, `isMixed`).
/// - Flyway's parser takes BEGIN for a block that only END closes, even where it begins a transaction: a file with
///   BEGIN and COMMIT is refused as an "Incomplete statement" (SQLiteParser.java, `adjustBlockDepth`; Parser.java).
/// - sqlite-jdbc leaves foreign keys off and double-quoted strings on.
/// - `flyway_schema_history(installed_rank, version, description, type, script, checksum, …, success)`, or the table
///   that `flyway.table` names. `type` is SQL, or another word for what is not in an SQL file
///   (CoreMigrationType.java). The checksum is CRC-32 of the lines without their endings (ChecksumCalculator.java). A
///   different checksum, a version below the newest applied one, and a failed migration each stop `migrate`, which
///   validates first.
public struct FlywayFormat: NamedHistory {
    public let name = "flyway"
    public var historyTable: String? = "flyway_schema_history"
    public let historyColumns: Set<String> = [
        "installed_rank", "version", "description", "type", "script", "checksum", "installed_by",
        "installed_on", "execution_time", "success",
    ]
    public let policy = ToolPolicy(foreignKeys: false, late: .refuse)
    public let checksums = ChecksumScope.own

    public init() {}

    public var historySetup: [Bookkeeping] {
        [
            Bookkeeping(
                """
                CREATE TABLE IF NOT EXISTS \(quotedHistory) (
                    "installed_rank" INT NOT NULL PRIMARY KEY,
                    "version" VARCHAR(50),
                    "description" VARCHAR(200) NOT NULL,
                    "type" VARCHAR(20) NOT NULL,
                    "script" VARCHAR(1000) NOT NULL,
                    "checksum" INT,
                    "installed_by" VARCHAR(100) NOT NULL,
                    "installed_on" TEXT NOT NULL DEFAULT (strftime('%Y-%m-%d %H:%M:%f','now')),
                    "execution_time" INT NOT NULL,
                    "success" BOOLEAN NOT NULL
                )
                """),
            Bookkeeping(
                "CREATE INDEX IF NOT EXISTS \(quotedName((historyTable ?? "") + "_s_idx")) ON \(quotedHistory) (\"success\")"
            ),
        ]
    }

    public var foreignKeysOffAdvice: String {
        """
        sqlite-jdbc has them off unless the app turns them on: have Flyway migrate through a URL without \
        foreign_keys=true, and say so with 'foreignKeys: false' in drydock.yml. Otherwise write 'executeInTransaction=false' \
        into the file's .conf, PRAGMA foreign_keys = OFF as its first statement and PRAGMA foreign_keys = ON as its last, \
        without a BEGIN, which Flyway cannot parse there: each statement is then committed by itself.
        """
    }

    public let namingAdvice =
        "A migration is called V2__description.sql, or R__description.sql where it is repeated."
    public let readsEverySubfolder = true

    /// Returns whether a file is named like a baseline, which stands for migrations that are in the folder
    /// (https://documentation.red-gate.com/fd/baseline-migrations-273973336.html).
    public func knows(_ file: String) -> Bool {
        PathParts.name(of: file).wholeMatch(of: /[BU]\d+(?:[._]\d+)*__.+\.sql/) != nil
    }

    public func owns(_ facts: HistoryFacts) -> Bool {
        facts.has(historyTable ?? "", "installed_rank", "version", "script")
    }

    public func evidence(in folder: FolderFiles) -> FolderEvidence? {
        guard let file = folder.descendants().first(where: { Script($0) != nil }) else { return nil }
        // Another tool's folder that happens to hold such files in its subfolders is not Flyway's.
        let isOwn = folder.sqlFiles.isEmpty || folder.sqlFiles.contains { Script($0) != nil }
        return FolderEvidence(isOwn ? .layout : .possible, "V1__description.sql", at: folder.file(file))
    }

    public func load(folder: FolderFiles, options: FormatOptions) throws -> MigrationSet {
        let policy = policy(options)
        var reader = MigrationReader(folder, options)
        reader.holdsPlaceholders = true
        let isMixed = options.mixed ?? FlywayConfig(around: folder).isMixed
        let scripts = folder.descendants().compactMap { Script($0) }
        let undos = Dictionary(
            scripts.filter { $0.kind == .undo }.map { ($0.version, $0.file) },
            uniquingKeysWith: { first, _ in first })
        var migrations: [Migration] = []
        for script in scripts.filter({ $0.kind == .versioned }).sorted(by: Script.precedes)
            + scripts.filter({ $0.kind == .repeatable }).sorted(by: { $0.description < $1.description })
        {
            var migration =
                script.isCode
                ? Migration(identifier: script.identifier, path: folder.file(script.file))
                : reader.migration(script.identifier, in: script.file, policy) { source in
                    try Self.sections(
                        source, folder.text(script.file + ".conf"),
                        isMixed: isMixed || policy.transaction == .none)
                }
            migration.companion = folder.file(script.file + ".conf")
            migration.isCode = script.isCode
            if script.kind == .repeatable { migration.order = .repeatable }
            if !script.isCode {
                let checksum = Self.checksum(of: folder.file(script.file))
                migration.checksum = String(checksum)
                migration.record = [record(script, checksum)]
                migration.unfinishedMark = unfinishedMark(script, checksum)
            }
            migration.unrecord = [
                Bookkeeping(
                    "DELETE FROM \(quotedHistory) WHERE version = ?", [SQLValue(script.version)])
            ]
            migration.down = reader.down(in: undos[script.version], of: script.identifier)
            migrations.append(migration)
        }
        for file in folder.descendants() where Self.isCallback(file) {
            reader.note(
                Finding(
                    .fileLeftOut, .warning,
                    "\(folder.file(file)) is a callback, which Flyway runs before or after migrations; it was not run here",
                    help: "What it does to rows was not checked.", place: .init(file: folder.file(file))))
        }
        return MigrationSet(
            folder: folder.path, format: self, policy: policy, migrations: migrations,
            findings: reader.findings)
    }

    public func history(_ connection: any Connection, of set: MigrationSet) throws -> AppliedHistory? {
        try connection.history(in: historyTable ?? "", columns: "version", "script", "success") {
            var history = AppliedHistory([])
            let now = Dictionary(
                set.migrations.map { ($0.identifier, $0.checksum) }, uniquingKeysWith: { first, _ in first })
            try connection.forEachRow(
                "SELECT version, script, checksum, success, type FROM \(quotedHistory) ORDER BY installed_rank"
            ) { row in
                let type = row.string(4)
                // A row with this type records the creation of the schema itself.
                guard type != "SCHEMA" else { return }
                let isRepeatable = row.isNull(0)
                let identifier = isRepeatable ? row.string(1) : Script.canonical(row.string(0))
                // A migration that has no file, as 'repair' found, or that was undone.
                if type == "DELETE" || type.hasPrefix("UNDO") {
                    history.identifiers.removeAll { $0 == identifier }
                    return
                }
                if type.hasSuffix("BASELINE") {
                    // The migrations that the baseline stands for were applied before.
                    history.identifiers += set.migrations.map(\.identifier).filter {
                        !$0.hasSuffix(".sql") && !naturallyPrecedes(identifier, $0)
                    }
                    return
                }
                if row.integer(3) == 0 { history.refusal = "\(row.string(1)) failed (success is 0)" }
                // Java, Kotlin or a script: if it is kept elsewhere, nothing is missing here.
                if type != "SQL", now[identifier] == nil {
                    if !history.code.contains(identifier) { history.code.append(identifier) }
                    return
                }
                if !history.identifiers.contains(identifier) { history.identifiers.append(identifier) }
                history.checksums[identifier] = row.optionalString(2)
                history.repeats.remove(identifier)
                if isRepeatable, now[identifier] ?? nil != row.optionalString(2) {
                    history.repeats.insert(identifier)
                }
            }
            return history
        }
    }

    // MARK: - Files

    private static func sections(
        _ source: SQLSource, _ config: String?, isMixed: Bool
    ) throws -> MigrationReader.Sections {
        let statements = source.statements()
        if let begin = statements.firstIndex(where: { $0.action == .begin }),
            !statements[begin...].contains(where: { $0.tokens[0].isWord("end", in: source) })
        {
            throw FileProblem(
                "BEGIN opens a block that Flyway reads up to an END, and the file has none: it refuses the file",
                "Remove BEGIN and COMMIT: Flyway opens a transaction itself, unless the file's .conf says otherwise.",
                line: statements[begin].location.line, whenPending: true)
        }
        if config?.contains(/(?m)^\s*executeInTransaction\s*=\s*false\b/) == true {
            return .init(up: statements, transaction: ToolPolicy.Transaction.none)
        }
        let isOpen = statements.map { statement in
            if case .pragma(_, let name, _) = statement.action {
                name.foldedASCII == "foreign_keys"
            } else {
                false
            }
        }
        guard let first = isOpen.firstIndex(of: true) else { return .init(up: statements) }
        guard !isMixed, isOpen.contains(false) else {
            return .init(up: statements, transaction: ToolPolicy.Transaction.none)
        }
        throw FileProblem(
            "PRAGMA foreign_keys stands beside other statements, and Flyway refuses such a file",
            "Put the PRAGMA into a migration of its own, or 'executeInTransaction=false' into \(source.name).conf. "
                + "If the app sets flyway.mixed, so that Flyway runs the file without a transaction, write "
                + "'mixed: true' into drydock.yml.",
            line: statements[first].location.line, whenPending: true)
    }

    /// Returns whether a file is a callback, such as `afterMigrate.sql` or `beforeEachMigrate__description.sql`
    /// (https://documentation.red-gate.com/fd/callback-concept-184127466.html).
    private static func isCallback(_ file: String) -> Bool {
        PathParts.name(of: file).wholeMatch(of: /(before|after)[A-Z][A-Za-z]*(__.*)?\.sql/)
            != nil
    }

    /// Returns the CRC-32 of the lines without their endings, as a signed number.
    private static func checksum(of path: String) -> Int32 {
        var bytes = ((try? FolderListing.contents(of: path)) ?? [])[...]
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes = bytes.dropFirst(3) }
        var sum = CRC32()
        sum.update(bytes.filter { $0 != 0x0A && $0 != 0x0D })
        return Int32(bitPattern: sum.value)
    }

    /// Where a file that runs without a transaction fails, a row without success is written, and validation refuses the next
    /// start (DbMigrate.java, `applyMigrations`); `repair` deletes such rows (JdbcTableSchemaHistory.java,
    /// `removeFailedMigrations`).
    private func unfinishedMark(_ script: Script, _ checksum: Int32) -> UnfinishedMark {
        UnfinishedMark(
            failed: [record(script, checksum, isSuccess: false)],
            waysOut: [.init("flyway repair", [Bookkeeping("DELETE FROM \(quotedHistory) WHERE success = 0")])]
        )
    }

    private func record(_ script: Script, _ checksum: Int32, isSuccess: Bool = true) -> Bookkeeping {
        Bookkeeping(
            "INSERT INTO \(quotedHistory) (installed_rank, version, description, type, script, checksum, "
                + "installed_by, installed_on, execution_time, success) SELECT coalesce(max(installed_rank), 0) + 1, ?, ?, "
                + "'SQL', ?, ?, '', strftime('%Y-%m-%d %H:%M:%f', 'now'), 0, ? FROM \(quotedHistory)",
            [
                script.kind == .repeatable ? .null : SQLValue(script.version), SQLValue(script.description),
                SQLValue(script.file), .integer(Int64(checksum)), .integer(isSuccess ? 1 : 0),
            ])
    }
}

/// The name of a Flyway migration.
private struct Script {
    enum Kind { case versioned, repeatable, undo }

    var kind: Kind
    var file: String
    var version: String
    var description: String
    var isCode: Bool

    init?(_ file: String) {
        let name = PathParts.name(of: file)
        guard let first = name.first, "VUR".contains(first),
            let match = name.wholeMatch(of: /([VUR])(\d+(?:[._]\d+)*)?__(.+)\.(sql|java|kt)/)
        else {
            return nil
        }
        let version = match.2.map(String.init)
        guard (match.1 == "R") == (version == nil) else { return nil }
        kind = match.1 == "V" ? .versioned : match.1 == "U" ? .undo : .repeatable
        self.file = file
        self.version = Self.canonical(version ?? "")
        description = String(match.3).replacing("_", with: " ")
        isCode = match.4 != "sql"
    }

    /// The identifier in the history: the version, or the script of a repeatable migration.
    var identifier: String { kind == .repeatable ? file : version }

    /// Returns `1_02` as `1.2`.
    static func canonical(_ version: String) -> String {
        version.split { $0 == "." || $0 == "_" }.map { part in
            let digits = part.drop { $0 == "0" }
            return digits.isEmpty ? "0" : String(digits)
        }.joined(separator: ".")
    }

    static func precedes(_ a: Script, _ b: Script) -> Bool {
        let (x, y) = (a.version.split(separator: "."), b.version.split(separator: "."))
        for (p, q) in zip(x, y) where p != q { return p.count != q.count ? p.count < q.count : p < q }
        return x.count < y.count
    }
}
