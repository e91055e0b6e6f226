import Drydock
import DrydockReport

/// The table of settings. A new one is a row here, and an option of the commands that it names.
extension Setting {
    static let all = [
        project, command, limits, checks, output, declared, tool, lint, health, masks,
    ].flatMap(\.self)

    private static func rows(_ rows: any SettingRow...) -> [Setting] { rows.map(\.setting) }

    private static let replays: [Reader] = [.verify, .migrate]
    private static let reports: [Reader] = [.verify, .lint, .lock, .migrate]
    private static let migrationReaders: [Reader] = [
        .verify, .lint, .lock, .migrate, .diff, .schema, .new, .snapshot,
    ]

    // MARK: - What is read

    private static let project = rows(migrations, snapshots, lock, migrationFormat, upTo, engine, cache)

    static let migrations = ValueSetting(
        "migrations", flag: "migrations", [.verify, .lint, .lock, .migrate, .new, .snapshot],
        "The folder of migrations.",
        standard: "what is found", valueName: "folder", string)
    static let snapshots = ValueSetting(
        "snapshots", flag: "snapshots", [.verify, .lint, .lock, .snapshot], "The folder of snapshots.",
        standard: SnapshotsOptions.usualName, valueName: "folder", string)
    static let lock = ValueSetting(
        "lock", flag: "lock", reports + [.snapshot], "The lock.", standard: "drydock.lock beside drydock.yml",
        valueName: "path", string)
    static let migrationFormat = ValueSetting(
        "migrationFormat", flag: "migration-format", migrationReaders,
        "The migrations' format, such as goose or prisma; recognised if it is not named. One of: "
            + MigrationFormats.names.joined(separator: ", ") + ".", valueName: "format",
        word(of: MigrationFormats.names))
    static let upTo = ValueSetting(
        "upTo", flag: "up-to", replays, "The last migration to run.", standard: "the newest",
        valueName: "migration", string)

    static let engine = ValueSetting<ReplayEngines>(
        "engine", flag: "engine", Reader.allCases,
        "What opens databases: grdb (GRDB.swift) or nio (SQLite on SwiftNIO); in verify also all, where both must "
            + "have the same result for every step.", standard: "grdb", valueName: "engine"
    ) { try $0.choice($1, $2) }
    static let cache = ValueSetting(
        "cache", flag: "cache", [.verify, .lock, .snapshot],
        "Remember the faults of snapshots between runs, in the user's cache folder.",
        standard: "true",
        truth)

    // MARK: - The project's own command

    private static let command = rows(
        migrateCommand, migrateDatabase, migrateEnvironment, migrateWritable, migrateFolder, migrateList,
        migrateHistory)

    static let migrateCommand = Setting(
        "migrate.command", flag: "migrate-command", [.verify],
        "The project's own command that migrates the database in $DRYDOCK_DATABASE; verify runs it on private copies "
            + "of the snapshots.", valueName: "command", text(\.migrate.command))
    static let migrateDatabase = Setting(
        "migrate.database", flag: "migrate-database", [.verify],
        "How the command gets the path: in another variable ($DATABASE_PATH), or as a URL in DATABASE_URL "
            + "(sqlite:///$DRYDOCK_DATABASE).", standard: "$DRYDOCK_DATABASE", valueName: "variable",
        parsed(\.migrate.database, ProjectCommandConfig.passing) { ProjectCommand.Passing($0) })
    static let migrateEnvironment = Setting(
        "migrate.environment", flag: "migrate-environment", [.verify],
        "Variables for the command, in which $DRYDOCK_DATABASE stands for the path; may be repeated.",
        valueName: "name=value", own(\.migrate.environment) { try $0.texts($1, $2) })
    static let migrateWritable = Setting(
        "migrate.writable", flag: "migrate-writable", [.verify],
        "What the command may write beside the copy and temporary files; may be repeated.",
        standard: "nothing, where the system can enforce that", valueName: "path",
        own(\.migrate.writable) { reader, value, key in
            try reader.list(value).map { try reader.string($0, key) }
        })
    static let migrateFolder = Setting(
        "migrate.folder", flag: "migrate-folder", [.verify], "The folder in which the command runs.",
        standard: "that of drydock.yml", valueName: "folder", text(\.migrate.folder))
    static let migrateList = Setting(
        "migrate.list", flag: "migrate-list", [.verify],
        "A command that prints the names of the migrations, one per line; the migrations then run one at a time, each "
            + "named in $DRYDOCK_MIGRATION.", standard: "all at once", valueName: "command",
        text(\.migrate.list))
    static let migrateHistory = Setting(
        "migrate.history", flag: "migrate-history", [.verify],
        "A query that returns the names of the migrations that a database has applied.",
        standard: "by the table of a known tool", valueName: "query",
        own(\.migrate.history) { try $0.commandHistory($1, $2) })

    // MARK: - Limits

    private static let limits = rows(jobs, timeout, memory, snapshotSize)

    static let jobs = ValueSetting(
        "jobs", flag: "jobs", [.verify, .health, .migrate],
        "How many run at once; in verify snapshots, otherwise databases.",
        standard: "one per core", valueName: "count"
    ) { try $0.positive($1, $2) }
    static let timeout = ValueSetting(
        "timeout", flag: "timeout", migrationReaders,
        "How long one snapshot (verify), the rehearsal (migrate) or the whole command may take, such as 90s, 5m or "
            + "1h, or none for no limit.", standard: RunLimit.standard.text, valueName: "duration",
        value(RunLimit.expected) { RunLimit(argument: $0) })
    static let memory = ValueSetting(
        "memory", flag: "memory", migrationReaders,
        "How much memory SQLite may take, at least 16MB, such as 512MB or 4GB, or none for no limit.",
        standard: MemoryLimit.standard.text, valueName: "size",
        value(MemoryLimit.expected) { MemoryLimit(argument: $0) })
    static let snapshotSize = ValueSetting(
        "snapshotSize", flag: "snapshot-size", migrationReaders,
        "How large a compressed snapshot may become when it is decompressed, such as 500MB or 16GB, or none for no "
            + "limit.", standard: SnapshotSize.standard.text, valueName: "size",
        value(SnapshotSize.expected) { SnapshotSize(argument: $0) })

    // MARK: - What is checked

    private static let checks = rows(
        strict, fullCheck, rollback, crash, crashWrites, crashStates, sqliteLibraries, probe, probeRows,
        probeSeed, released)

    static let strict = ValueSetting("strict", flag: "strict", reports, "Fail on warnings too.", truth)
    static let fullCheck = ValueSetting(
        "fullCheck", flag: "full-check", replays,
        "After a replay, check the integrity of the whole database, not only of what changed.",
        truth)
    static let rollback = ValueSetting(
        "rollback", flag: "rollback", [.verify], "Undo every step and run it again.", truth)
    static let crash = ValueSetting(
        "crash", flag: "crash", [.verify],
        "Start the tool again on every state that a kill, a full disk or a lock leaves.", truth)
    static let crashWrites = ValueSetting(
        "crashWrites", flag: "crash-writes", [.verify],
        "The same for power cuts between any two writes.", truth)
    static let crashStates = ValueSetting(
        "crashStates", flag: "crash-states", [.verify], "How many of these states are tried for each step.",
        standard: "\(VerifyRequest().checks.crashStates)", valueName: "count"
    ) { try $0.positive($1, $2) }

    static let sqliteLibraries = Setting(
        "sqliteLibraries", flag: "sqlite-library", [.verify],
        "A file of another SQLite library, on which every step is repeated; may be repeated.",
        valueName: "path",
        own(\.sqliteLibraries) { reader, value, key in
            try reader.list(value).map { try reader.string($0, key) }
        })

    static let probe = ValueSetting(
        "probe", flag: "probe", [.verify],
        "Replay generated rows too; --no-probe never does.",
        standard: "where there is no snapshot", truth)
    static let probeRows = ValueSetting(
        "probeRows", flag: "probe-rows", [.verify], "The least number of rows for each table.",
        standard: "\(ProbeOptions().rowCount)",
        valueName: "count"
    ) { try $0.positive($1, $2, upTo: ProbeOptions.rowCounts.upperBound) }
    static let probeSeed = ValueSetting(
        "probeSeed", flag: "probe-seed", [.verify],
        "The seed of the generated values: the same seed gives the same rows.",
        standard: "\(ProbeOptions().seed)",
        valueName: "number"
    ) { try $0.positive($1, $2) }
    static let released = ValueSetting(
        "released", flag: "all", [.verify],
        "Check released migrations with generated rows too, not only those that the lock does not have.",
        truth)

    // MARK: - What is shown

    private static let output = rows(format, report, redact, quiet, verbose)

    static let format = ValueSetting(
        "format", flag: "format", reports,
        OutputFormat.meaning(OutputFormat.names(ReportRenderers.all)), standard: OutputFormat.standard,
        valueName: "format",
        word(of: OutputFormat.names(ReportRenderers.all)))
    static let report = Setting(
        "report", flag: "report", reports,
        "Write a report to a file as well; may be repeated. For verify also sql=FOLDER: a script for each finding that "
            + "generated rows show.",
        valueName: "format=path",
        own(\.reports) { reader, value, key in
            try reader.list(value).map {
                try reader.parsed($0, key, "FORMAT=PATH") { ReportFile(argument: $0) }
            }
        })
    static let redact = ValueSetting(
        "redact", flag: "redact", [.verify, .lock, .migrate, .diff],
        "Show keys and shapes instead of values.",
        standard: "where CI is set", truth)
    static let quiet = ValueSetting(
        "quiet", flag: "quiet", reports + [.health], "Show only what is wrong.", truth)
    static let verbose = ValueSetting(
        "verbose", flag: "verbose", reports + [.health], "Show everything: every step, notes and figures.",
        truth)

    // MARK: - What the project declares

    static let declared = rows(declarations, functions, collations)

    static let declarations = Setting(
        "declarations", flag: "declare", [.verify, .lint, .migrate],
        "A declaration for a migration that cannot be edited; may be repeated.",
        valueName: "migration:declaration"
    ) { reader, value, _, file in try file.readDeclarations(value, reader) }
    static let functions = Setting(
        "functions", flag: "function", Reader.allCases,
        "A stand-in for an SQL function that the app registers: NAME, NAME=VALUE or NAME=$0 for its first argument; "
            + "may be repeated.", valueName: "name=value",
        own(\.functions) { reader, value, _ in try reader.functions(value) })
    static let collations = Setting(
        "collations", flag: "collation", Reader.allCases,
        "A stand-in for a collation that the app registers: NAME or NAME=binary|nocase|rtrim; may be repeated.",
        valueName: "name=order", own(\.collations) { reader, value, _ in try reader.collations(value) })

    // MARK: - What a folder of another tool's migrations does not say

    static let tool = rows(
        base, transaction, historyTable, mixed, foreignKeys, doubleQuotedStrings, placeholders, custom)

    static let base = Setting(
        "base", flag: "base", migrationReaders,
        "What exists before the first migration: a database or a .sql file.", valueName: "path",
        parsed(\.options.base, "a path") { SchemaBase(path: $0) })
    static let transaction = Setting(
        "transaction", flag: "transaction", migrationReaders,
        "Which migrations run in one transaction: each, all or none.", standard: "as the tool does",
        valueName: "policy",
        own(\.options.transaction) { try $0.choice($1, $2) })
    static let historyTable = Setting(
        "historyTable", flag: "history-table", migrationReaders,
        "The table in which the tool keeps its history.", standard: "the tool's own", valueName: "name",
        text(\.options.historyTable))
    static let mixed = Setting(
        "mixed", flag: "mixed", migrationReaders, "Flyway is configured with mixed.",
        standard: "as its files say", bool(\.options.mixed))
    static let foreignKeys = Setting(
        "foreignKeys", flag: "foreign-keys", migrationReaders,
        "Enforce foreign keys; in Drydock's own format GRDB decides.", standard: "as the tool does",
        bool(\.options.foreignKeys))
    static let doubleQuotedStrings = Setting(
        "doubleQuotedStrings", flag: "double-quoted-strings", migrationReaders,
        "Read double-quoted text as a string.", standard: "as the tool does",
        bool(\.options.doubleQuotedStrings))
    static let placeholders = Setting(
        "placeholders", flag: "placeholder", migrationReaders,
        "The value that the app substitutes for ${NAME}; may be repeated.", valueName: "name=value",
        own(\.options.placeholders) { try $0.texts($1, $2) })
    static let custom = Setting(
        "custom", flag: nil, migrationReaders, "A format that the project describes itself.",
        own(\.options.custom) { reader, value, _ in try reader.custom(value) })

    // MARK: - drydock lint

    private static let lint = rows(sqlite, rules)

    static let sqlite = ValueSetting<SQLiteVersion>(
        "sqlite", flag: "sqlite", [.lint],
        "The oldest SQLite, such as 3.24 or android-11; it must run the migrations.",
        standard: "any",
        valueName: "version"
    ) { reader, value, key in
        try reader.parsed(value, key, SQLiteVersion.expectation(for: value.scalar?.string ?? "")) {
            SQLiteVersion($0)
        }
    }
    static let rules = Setting(
        "lint.rules", flag: "rule", [.lint],
        "How a rule counts: off, note, warning or error; may be repeated.", valueName: "rule=severity",
        own(\.lint) { try $0.severities($1, $2) })

    // MARK: - drydock health

    private static let health = rows(budget, slice, baseline, without, thresholds)

    static let budget = Setting(
        "health.budget", flag: "budget", [.health],
        "How long a database may take; a duration such as 5s or 2m.",
        standard: "no limit", valueName: "duration",
        parsed(\.health.budget, "a duration such as 5s or 2m") { TimeLimit(argument: $0) })
    static let slice = Setting(
        "health.slice", flag: "slice", [.health], "How long a read transaction may last.",
        standard: HealthRequest().slice.written,
        valueName: "duration", parsed(\.health.slice, "a duration such as 250ms") { TimeLimit(argument: $0) })
    static let baseline = Setting(
        "health.baseline", flag: "baseline", [.health], "The file of known findings.",
        standard: HealthSettings.defaultBaseline, valueName: "path", text(\.health.baseline))
    static let without = Setting(
        "health.without", flag: "without", [.health], "Leave this check out; may be repeated.",
        valueName: "check",
        own(\.health.without) { reader, value, _ in try reader.list(value).map(reader.check) })
    static let thresholds = Setting(
        "health.thresholds", flag: "warning", [.health],
        "The range outside of which it is a warning; in the notation of monitoring plugins. With --only CHECK the range is "
            + "enough; may be repeated.", valueName: "check=range",
        own(\.health.thresholds) { try $0.thresholds($1, $2) })

    // MARK: - drydock snapshot

    private static let masks = rows(mask, unmasked, maskAuto, strictMask)

    static let mask = Setting(
        "mask", flag: "mask", [.snapshot],
        "A column to mask, or several separated by commas; table.column, table.* for all, or table.column:ordered so that numbers keep their "
            + "order; may be repeated.", valueName: "table.column",
        own(\.mask) { reader, value, key in try reader.list(value).map { try reader.string($0, key) } })
    static let unmasked = Setting(
        "unmasked", flag: "unmasked", [.snapshot],
        "A column that may stay unmasked; table.column, or table.* for all, several separated by commas; may be repeated.",
        valueName: "table.column",
        own(\.unmasked) { reader, value, key in try reader.list(value).map { try reader.string($0, key) } })
    static let maskAuto = ValueSetting(
        "maskAuto", flag: "mask-auto", [.snapshot],
        "Also mask columns that look personal; their name, type or content says so. The others are listed.",
        truth)
    static let strictMask = ValueSetting(
        "strictMask", flag: "strict-mask", [.snapshot],
        "Write nothing if a column is neither masked nor allowed to stay.", truth)
}
