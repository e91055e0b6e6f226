import Drydock
import Foundation
import Testing

@testable import DrydockCommands

/// The table of settings: each key has its effect in each command that the table names, and in no other.
@Suite struct SettingTests {
    /// How a setting is said in drydock.yml and on the command line.
    struct Example: CustomTestStringConvertible {
        var setting: Setting
        var yaml: String
        var arguments: [String]

        init(_ row: any SettingRow, _ yaml: String, _ arguments: String...) {
            (self.setting, self.yaml, self.arguments) = (row.setting, yaml, arguments)
        }

        var testDescription: String { setting.key }
    }

    /// A folder that exists, since lint reads only such.
    private static let folder = FileManager.default.temporaryDirectory.path
    /// A script that exists, since diff reads only such.
    private static let script = #filePath

    static let examples = [
        Example(Setting.migrations, "migrations: elsewhere", "--migrations", "elsewhere"),
        Example(Setting.snapshots, "snapshots: \(folder)", "--snapshots", folder),
        Example(Setting.lock, "lock: other.lock", "--lock", "other.lock"),
        Example(Setting.migrationFormat, "migration-format: goose", "--migration-format", "goose"),
        Example(Setting.upTo, "up-to: v7", "--up-to", "v7"),
        Example(Setting.engine, "engine: nio", "--engine", "nio"),
        Example(Setting.cache, "cache: false", "--no-cache"),
        Example(Setting.migrateCommand, "migrate: {command: make}", "--migrate-command", "make"),
        Example(
            Setting.migrateDatabase, "migrate: {command: true, database: $DB}", "--migrate-database", "$DB"),
        Example(
            Setting.migrateEnvironment, "migrate: {command: true, environment: {A: b}}",
            "--migrate-environment",
            "A=b"),
        Example(
            Setting.migrateWritable, "migrate: {command: true, writable: [log]}", "--migrate-writable", "log"),
        Example(Setting.migrateFolder, "migrate: {command: true, folder: app}", "--migrate-folder", "app"),
        Example(Setting.migrateList, "migrate: {command: true, list: ls}", "--migrate-list", "ls"),
        Example(
            Setting.migrateHistory, "migrate: {command: true, history: SELECT 1}", "--migrate-history",
            "SELECT 1"),
        Example(Setting.jobs, "jobs: 77", "--jobs", "77"),
        Example(Setting.timeout, "timeout: 77s", "--timeout", "77s"),
        Example(Setting.memory, "memory: 77MB", "--memory", "77MB"),
        Example(Setting.snapshotSize, "snapshot-size: 77kB", "--snapshot-size", "77kB"),
        Example(Setting.strict, "strict: true", "--strict"),
        Example(Setting.fullCheck, "full-check: true", "--full-check"),
        Example(Setting.rollback, "rollback: true", "--rollback"),
        Example(Setting.crash, "crash: true", "--crash"),
        Example(Setting.crashWrites, "crash_writes: true", "--crash-writes"),
        Example(Setting.crashStates, "crash_states: 7", "--crash-states", "7"),
        Example(Setting.sqliteLibraries, "sqlite-libraries: a.so", "--sqlite-library", "a.so"),
        Example(Setting.probe, "probe: true", "--probe"),
        Example(Setting.probeRows, "probe-rows: 7", "--probe-rows", "7"),
        Example(Setting.probeSeed, "probe-seed: 7", "--probe-seed", "7"),
        Example(Setting.released, "released: true", "--all"),
        Example(Setting.format, "format: json", "--format", "json"),
        Example(
            Setting.report, "report: [json=a.json, json=b.json]", "--report", "json=a.json", "--report",
            "json=b.json"),
        Example(
            Setting.redact, "redact: \(!VerifySettings.isCI)",
            VerifySettings.isCI ? "--no-redact" : "--redact"),
        Example(Setting.quiet, "quiet: true", "--quiet"),
        Example(Setting.verbose, "verbose: true", "--verbose"),
        Example(Setting.declarations, "declarations: {v2: drops table a}", "--declare", "v2:drops table a"),
        Example(Setting.functions, "functions: {half: {argument: 0}}", "--function", "half=$0"),
        Example(Setting.collations, "collations: {local: nocase}", "--collation", "local=nocase"),
        Example(Setting.base, "base: base.sql", "--base", "base.sql"),
        Example(Setting.transaction, "transaction: none", "--transaction", "none"),
        Example(Setting.historyTable, "history-table: done", "--history-table", "done"),
        Example(Setting.mixed, "mixed: true", "--mixed"),
        Example(Setting.foreignKeys, "foreign_keys: true", "--foreign-keys"),
        Example(Setting.doubleQuotedStrings, "doubleQuotedStrings: false", "--no-double-quoted-strings"),
        Example(Setting.placeholders, "placeholders: {name: note}", "--placeholder", "name=note"),
        Example(Setting.custom, "custom: {files: '(?<version>[0-9]+)[.]sql', history: {query: select 1}}"),
        Example(Setting.sqlite, "sqlite: ios-15", "--sqlite", "ios-15"),
        Example(Setting.rules, "lint: {rules: {positional-copy: off}}", "--rule", "positional-copy=off"),
        Example(Setting.budget, "health: {budget: 5s}", "--budget", "5s"),
        Example(Setting.slice, "health: {slice: 77ms}", "--slice", "77ms"),
        Example(Setting.baseline, "health: {baseline: known.json}", "--baseline", "known.json"),
        Example(Setting.without, "health: {without: [freelist]}", "--without", "freelist"),
        Example(
            Setting.thresholds, "health: {thresholds: {freelist: {warning: 40, critical: 70}}}", "--warning",
            "freelist=40", "--critical", "freelist=70"),
        Example(Setting.mask, "mask: [a.b, a.c]", "--mask", "a.b, a.c"),
        Example(Setting.unmasked, "unmasked: [a.b, a.c]", "--unmasked", "a.b,a.c"),
        Example(Setting.maskAuto, "mask-auto: true", "--mask-auto"),
        Example(Setting.strictMask, "strict-mask: true", "--strict-mask"),
    ]

    /// What is said with a flag, so that it says nothing more than its key.
    private static func company(of setting: Setting, in command: Setting.Reader) -> [String] {
        switch (command, setting.key) {
        // What is said about a command counts where there is one.
        case (.verify, let key) where key.hasPrefix("migrate.") && key != "migrate.command":
            ["--migrate-command", "true"]
        // Which rows are shown: diff compares rows only with --data.
        case (.diff, "redact"): ["--data"]
        // Migrations that the command line names do not belong to this project's snapshots.
        case (.lint, "migrations"): ["--snapshots", folder]
        default: []
        }
    }

    @Test func `there is an example for every setting`() {
        #expect(Self.examples.map(\.setting.key).sorted() == Setting.all.map(\.key).sorted())
        #expect(Set(Setting.all.map(\.path)).count == Setting.all.count)
    }

    /// A command line is parsed once for all keys, since the parser examines the whole command each time.
    @Test(arguments: Setting.Reader.allCases) func `the key has its effect`(_ command: Setting.Reader) throws
    {
        var bare: [[String]: Parsed] = [:]
        for example in Self.examples {
            let (key, more) = (example.setting.key, Self.company(of: example.setting, in: command))
            let parsed = try bare[more] ?? Self.parse(command, more)
            bare[more] = parsed
            let (usual, withKey) = (try request(parsed, ""), try request(parsed, example.yaml))
            guard example.setting.readers.contains(command) else {
                // The project's folder of snapshots is protected from migrate's reports.
                if command != .migrate || key != "snapshots" { #expect(withKey == usual, "it reads \(key)") }
                continue
            }
            #expect(withKey != usual, "it ignores \(key)")
            guard example.setting.flag != nil else { continue }
            let flagged = try Self.parse(command, more + example.arguments)
            let withFlag = try request(flagged, "")
            #expect(withKey == withFlag, "\(key) is not what the flag does")
            // What may be repeated is added up.
            if !example.setting.text.contains("may be repeated") {
                #expect(try request(flagged, example.yaml) == withFlag, "\(key) and the flag together")
            }
        }
    }

    @Test(arguments: [
        ("rule: {}", "'rule' is not a key of drydock.yml; write it as 'lint: rules'"),
        ("declare: a", "'declare' is not a key of drydock.yml; write it as 'declarations'"),
        ("budget: 5s", "'budget' is not a key of drydock.yml; write it as 'health: budget'"),
        ("warning: 5", "'warning' is not a key of drydock.yml; write it as 'health: thresholds'"),
        ("health: {strict: true}", "'strict' is not a key of health; write it as 'strict'"),
        ("health.budget: 5s", "'health.budget' is not a key of drydock.yml"),
        ("health: {zzz: 1}", "'zzz' is not a key of health; its keys are: budget, slice, baseline, without"),
        ("ful-check: true", "'ful-check' is not a key of drydock.yml; did you mean 'fullCheck'?"),
        ("heelth: {}", "'heelth' is not a key of drydock.yml; did you mean 'health'?"),
    ]) func `a key that is not one is refused`(_ text: String, _ message: String) {
        let error = #expect(throws: RequestError.self) { try ConfigFile(text, name: "y") }
        #expect(error?.description.contains(message) == true, "\(error?.description ?? "")")
    }

    /// `DRYDOCK_RECORD=1` writes the table again.
    @Test func `the page has the table`() throws {
        let page = URL(fileURLWithPath: #filePath).appending(path: "../../../docs/settings.md").standardized
        let rows = Setting.all.map { setting in
            "| `\(setting.written)` | \(setting.flag.map { "`--\($0)`" } ?? "") | "
                + setting.readers.map(\.rawValue).joined(separator: ", ")
                + " | \(setting.meaning.replacing("|", with: "\\|")) |"
        }
        let table = (["| key | flag | read by | meaning |", "|---|---|---|---|"] + rows).joined(
            separator: "\n")
        let lines = try String(contentsOf: page, encoding: .utf8).split(
            separator: "\n", omittingEmptySubsequences: false)
        let first = try #require(lines.firstIndex { $0.hasPrefix("| key | flag |") })
        let end = lines[first...].firstIndex { !$0.hasPrefix("|") } ?? lines.endIndex
        if ProcessInfo.processInfo.environment["DRYDOCK_RECORD"] != nil {
            let text = (lines[..<first] + [table[...]] + lines[end...]).joined(separator: "\n")
            try text.write(to: page, atomically: true, encoding: .utf8)
        } else {
            #expect(lines[first..<end].joined(separator: "\n") == table, "record it with DRYDOCK_RECORD=1")
        }
    }

    /// What a command asks for, as text that can be compared, with what drydock.yml says.
    private typealias Parsed = (ConfigFile) throws -> String

    private static func parse(_ command: Setting.Reader, _ arguments: [String]) throws -> Parsed {
        switch command {
        case .verify: try { command in { try verify(command, $0) } }(.parse(arguments))
        case .lint: try { command in { try lint(command, $0) } }(.parse(arguments))
        case .lock: try { command in { try lock(command, $0) } }(.parse(arguments))
        case .migrate: try { command in { try migrate(command, $0) } }(.parse(["live.sqlite"] + arguments))
        case .health: try { command in { try health(command, $0) } }(.parse(["live.sqlite"] + arguments))
        case .diff: try { command in { try diff(command, $0) } }(.parse([script, script] + arguments))
        case .schema: try { command in { try schema(command, $0) } }(.parse([script] + arguments))
        case .new: try { command in { try new(command, $0) } }(.parse(["name"] + arguments))
        case .snapshot: try snapshot(arguments)
        }
    }

    private func request(_ parsed: Parsed, _ yaml: String) throws -> String {
        var config = try ConfigFile(yaml, name: "drydock.yml")
        for migration in config.declarations.keys {
            // Where a declaration stands is all that differs.
            for index in config.declarations[migration, default: []].indices {
                config.declarations[migration]?[index].place = .init(file: "--declare")
            }
        }
        return try parsed(config)
    }

    private static func verify(_ command: VerifyCommand, _ config: ConfigFile) throws -> String {
        try text(VerifySettings(command, config)) + memory(command.limits, config)
    }

    private static func migrate(_ command: MigrateCommand, _ config: ConfigFile) throws -> String {
        try text(MigrateSettings(command, config, command.databases)) + memory(command.limits, config)
    }

    private static func health(_ command: HealthCommand, _ config: ConfigFile) throws -> String {
        try text(HealthSettings(command, config)) + text(command.engines.driver(config))
    }

    private static func lint(_ command: LintCommand, _ config: ConfigFile) throws -> String {
        try text(command.request(config, command.source.place(config))) + command.lockOptions.path(config)
            + text(command.output.options(config)) + text(command.output.files(config))
            + command.output.format(config).name + limits(command.limits, config)
            + text(command.engines.driver(config))
    }

    private static func lock(_ command: LockCommand, _ config: ConfigFile) throws -> String {
        let options = command.output.options(config, redacts: command.redaction.isOn(config))
        return try text(command.request(config, command.source.place(config))) + text(options)
            + text(command.output.files(config))
            + command.output.format(config).name + limits(command.limits, config)
            + text(command.engines.driver(config))
    }

    private static func diff(_ command: DiffCommand, _ config: ConfigFile) throws -> String {
        try text(command.request(config)) + text(command.redaction.isOn(config))
            + limits(command.limits, config) + text(command.engines.driver(config))
    }

    private static func schema(_ command: SchemaCommand, _ config: ConfigFile) throws -> String {
        try text(config.source(command.source, command.migrationFormat, command.tool))
            + text(command.stubs.stubs(config)) + limits(command.limits, config)
            + text(command.engines.driver(config))
    }

    private static func new(_ command: NewCommand, _ config: ConfigFile) throws -> String {
        try text(command.request(from: folder, to: script, config))
            + command.source.place(config).path
            + limits(command.limits, config) + text(command.engines.driver(config))
    }

    /// Each command below it has its own part of the options.
    private static func snapshot(_ arguments: [String]) throws -> Parsed {
        let plain = ["live.sqlite", "-o", "new.sqlite"]
        let (take, list) = (
            try? SnapshotTakeCommand.parse(plain + arguments), try? SnapshotListCommand.parse(arguments)
        )
        #expect(take != nil || list != nil, "\(arguments)")
        let (taken, listed) = (try take ?? .parse(plain), try list ?? .parse([]))
        return { config in
            try text(taken.request(config)) + text(listed.list.request(config))
                + limits(listed.list.limits, config)
                + text((take?.engines ?? listed.list.engines).driver(config))
        }
    }

    private static func limits(_ options: LimitOptions, _ config: ConfigFile) -> String {
        text(options.timeout(config)) + memory(options, config)
    }

    private static func memory(_ options: LimitOptions, _ config: ConfigFile) -> String {
        text(options.memory(config)) + text(options.snapshotSize(config))
    }

    private static func text(_ value: some Any) -> String {
        var text = ""
        dump(value, to: &text)
        return text
    }
}

/// What whole commands make of drydock.yml.
@Suite struct SettingEffectTests {
    @Test(arguments: ["lint", "lock", "verify"]) func `reports are written`(_ command: String) throws {
        let project = try Project()
        try project.write("drydock.yml", "report: [json=out.json]\n")
        _ = try project.run(command)
        let text = try String(contentsOf: project.folder.appending(path: "out.json"), encoding: .utf8)
        #expect(text.contains("\"formatVersion\""))
    }

    @Test(arguments: ["lint", "lock", "verify"])
    func `reports overwrite nothing that is read`(_ command: String) throws {
        let project = try Project()
        try project.write("drydock.yml", "report: json=Migrations/v1.sql\n")
        let result = try project.run(command)
        #expect(result.status == 2 && result.errors.contains("would overwrite"), "\(result.errors)")
        try project.write("drydock.yml", "strict: false\n")
        let own = try project.run(command, "--report", "json=./drydock.yml")
        #expect(own.status == 2 && own.errors.contains("would overwrite './drydock.yml'"), "\(own.errors)")
    }

    @Test func `a report of health overwrites neither drydock.yml nor what is known`() throws {
        let project = try Project()
        try project.write("drydock.yml", "strict: false\n")
        for path in ["drydock.yml", "drydock-health.json"] {
            let result = try project.run(
                "health", "Snapshots/v1.sqlite", "--accept", "--report", "json=\(path)")
            #expect(
                result.status == 2 && result.errors.contains("would overwrite '\(path)'"), "\(result.errors)")
        }
    }

    @Test(arguments: ["full-check", "fullCheck", "full_check"]) func `full-check is read`(_ key: String)
        throws
    {
        let project = try Project()
        try project.write("drydock.yml", "\(key): true\n")
        let result = try project.run("verify")
        #expect(result.status == 0, "\(result.output)\(result.errors)")
    }

    @Test(arguments: ["lock", "lint", "verify", "schema Migrations"])
    func `tools are configured on the command line`(_ command: String) throws {
        let project = try Project(second: "ALTER TABLE email ADD COLUMN ${name} TEXT;")
        let words = command.split(separator: " ").map(String.init)
        let result = try project.run(words + ["--placeholder", "name=note", "--mixed"])
        #expect(result.status != 64, "\(result.errors)")
    }
}
