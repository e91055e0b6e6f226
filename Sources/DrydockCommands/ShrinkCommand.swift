import ArgumentParser
import Drydock
import DrydockReport
import Foundation
import SQLiteSchema

struct ShrinkCommand: DrydockSubcommand {
    static let help = CommandHelp(
        name: "shrink",
        abstract: "Write the smallest reproduction of a finding.",
        usage: "[OPTIONS] [SNAPSHOT...] -o FOLDER",
        about: """
            Replays snapshots up to the first step with the finding, and searches for the
            fewest rows, tables, indexes, columns and statements that still show it. Values
            that the finding does not need are replaced, so that the result can be shared.
            FOLDER gets finding.sql, which shows the finding in plain sqlite3, and
            Migrations/ and Snapshots/, on which drydock verify reports it.
            """,
        examples: """
            drydock shrink -o found                          the first error
            drydock shrink Snapshots/v3.sqlite --rule rows-lost --table pet -o found
            drydock shrink --from-report verify.json -o found
            sqlite3 < found/finding.sql                      see it happen
            """,
        common: """
            output rule table migration from-report search-time keep-values migrations
            migration-format snapshots format
            """,
        note: """
            What verify finds only with --rollback, --crash, --crash-writes or
            --sqlite-library needs the same option here.
            """,
        exitStatus: """
            0  written, and drydock verify reports the finding there
            1  written, but drydock verify does not report it there
            2  nothing was written: there is no such finding, or FOLDER exists
            64 bad usage
            130 interrupted; once the search has begun, what it found is written
            """)

    @Argument(help: SnapshotsOptions.snapshots, completion: .file())
    var snapshots: [String] = []

    @Option(
        name: [.customShort("o"), .customLong("output")],
        help: ArgumentHelp("The folder to create; it must not exist.", valueName: "folder"),
        completion: .directory)
    var output: String

    @Option(
        help: ArgumentHelp("The rule of the finding.", default: "any error's"), transform: Self.rule)
    var rule: Rule?

    @Option(help: "The table of the finding.")
    var table: String?

    @Option(help: "The migration of the finding.")
    var migration: String?

    @Option(
        name: .customLong("from-report"),
        help: ArgumentHelp("Take the first error of a JSON report of verify.", valueName: "file"),
        completion: .file(extensions: ["json"]))
    var report: String?

    @Option(
        name: .customLong("search-time"),
        help: ArgumentHelp(
            "How long the search may take; 90s, 5m, or none for no limit. Ctrl-C keeps the best result so far.",
            default: RunLimit(ShrinkRequest(VerifyRequest(), folder: "").timeout).text, valueName: "time"))
    var searchTime: RunLimit?

    @Flag(name: .customLong("keep-values"), help: "Replace no values.")
    var keepValues = false

    @OptionGroup var source: MigrationsOptions

    @OptionGroup var snapshotsOptions: SnapshotsOptions

    @OptionGroup var checks: CheckOptions

    @OptionGroup var redaction: RedactOptions

    @OptionGroup var limits: LimitOptions

    @OptionGroup var tool: ToolOptions

    @OptionGroup var stubs: StubOptions

    @OptionGroup var engines: EngineOptions

    @Option(help: OutputFormat.humanOrJSON, completion: .list(Self.formats))
    var format: String?

    private static let formats = ["human", "json"]

    private static func rule(_ name: String) throws -> Rule {
        if let rule = Rule(named: name) { return rule }
        throw ValidationError(
            "there is no rule '\(name)'"
                + (nearestName(to: name, in: Rule.allCases.map(\.rawValue)).map { "; did you mean '\($0)'?" }
                    ?? "; 'drydock lint --list-rules' shows them"))
    }

    func validate() throws {
        if output.isEmpty { throw ValidationError("-o needs the name of a folder") }
        if report != nil, rule != nil || table != nil || migration != nil {
            throw ValidationError(
                "--from-report says which finding it is: leave out --rule, --table and --migration")
        }
        guard let format, !Self.formats.contains(format) else { return }
        throw ValidationError(
            "there is no format '\(format)' of shrink; choose one of: \(Self.formats.joined(separator: ", "))"
        )
    }

    /// The folder without the slash that a shell's completion adds.
    private var folder: String {
        output.count > 1 && output.hasSuffix("/") ? String(output.dropLast()) : output
    }

    func run() async throws {
        let failure = FailureOutput(Self.self, format: format)
        try await failure.run {
            let config = try ConfigFile.load(stubs.config)
            limits.apply(config)
            let request = try request(config)
            let stop = Latch()
            let interruption = Interruption(lastWords: "", unless: { true }) { stop.set() }
            defer { interruption.end() }
            let showsStages = Terminal.errorIsTerminal && format != "json"
            let isOfEngines =
                request.target.rule == .engineDivergence
                || engines.engine == nil && config[Setting.engine] == .all
            let verifier = Verifier(
                engine: isOfEngines ? ReplayEngines.all.first : engines.driver(config),
                comparingWith: isOfEngines ? ReplayEngines.all.other : nil)
            let shrunk: ShrunkFinding
            do {
                shrunk = try await verifier.shrink(request, until: { stop.value }) { stage in
                    if showsStages { Terminal.progress(Self.text(stage)) }
                }
            } catch is CancellationError {
                if showsStages { Terminal.progress("") }
                Terminal.writeError("drydock: interrupted; nothing was written\n")
                throw ExitCode(130)
            }
            if showsStages { Terminal.progress("") }
            let options = RenderOptions.forOutput(redacts: redaction.isOn(config))
            Terminal.show(
                format == "json"
                    ? JSONShrink.text(shrunk, folder: folder, options)
                    : ShrinkText(shrunk: shrunk, folder: folder, options: options).text)
            if stop.value { throw ExitCode(130) }
            if !shrunk.project.isVerified { throw ExitCode(1) }
        }
    }

    private func request(_ config: ConfigFile) throws -> ShrinkRequest {
        var verify = try VerifyCommand.parse([])
        (verify.snapshots, verify.source, verify.snapshotsOptions) = (snapshots, source, snapshotsOptions)
        (verify.limits, verify.tool, verify.stubs) = (limits, tool, stubs)
        verify.checks = checks
        var target = ShrinkTarget(rule: rule, table: table, migration: migration)
        if let report {
            let named = try ReportedFinding.first(in: report)
            target = try named.target(in: report)
            if verify.snapshots.isEmpty, let snapshot = named.snapshot { verify.snapshots = [snapshot] }
        }
        var request = ShrinkRequest(try VerifySettings(verify, config).request, folder: folder)
        request.target = target
        if let searchTime { request.timeout = searchTime.duration }
        request.keepsValues = keepValues
        let path = stubs.config ?? ConfigPlace.find()
        request.files = { finding, format, settings in
            var files = ["drydock.yml": ShrunkConfig.text(of: path, migrationFormat: format, settings)]
            if let example = finding.counterexample {
                files["finding.sql"] = CounterexampleScripts.text(
                    finding, example, mark: "-- Written by drydock shrink")
            }
            return files
        }
        request.verification = { folder in
            // As whoever gets the folder does it: cd FOLDER && drydock verify.
            var plain = try VerifyCommand.parse([])
            plain.stubs.config = folder + "/" + ConfigFile.defaultPath
            return try VerifySettings(plain, ConfigFile.load(plain.stubs.config)).request
        }
        return request
    }

    private static func text(_ stage: ShrinkStage) -> String {
        switch stage {
        case .replaying: "replaying the snapshots"
        case .sampling(let rows): "trying \(counted(rows, "row"))"
        case .dropping(let what, let count): "leaving out unneeded ones of \(count) \(what)"
        case .replacing(let count): "replacing \(counted(count, "value"))"
        case .writing: "writing, and verifying what was written"
        }
    }
}

/// A finding of a JSON report.
private struct ReportedFinding: Decodable {
    var rule: String
    var severity: String
    var snapshot, table, migration: String?

    private struct Document: Decodable {
        var tool: String?
        var command: String?
        var findings: [ReportedFinding]
    }

    /// Returns the first error of a migration on a snapshot, otherwise the first of a snapshot, otherwise any.
    /// - Throws: `RequestError` if the file is not such a report, or has no error.
    static func first(in path: String) throws -> ReportedFinding {
        let bytes: [UInt8]
        do {
            bytes = try FolderListing.contents(of: path)
        } catch {
            throw RequestError(.unreadable, "'\(path)' cannot be read: \(error)")
        }
        guard let document = try? JSONDecoder().decode(Document.self, from: Data(bytes)),
            document.tool == "drydock", document.command == "verify"
        else {
            throw RequestError(
                .unreadable,
                "'\(path)' is not a JSON report of drydock verify; write one with: drydock verify --report json=FILE"
            )
        }
        let errors = document.findings.filter { $0.severity == "error" }
        let ofSnapshots = errors.filter { $0.snapshot != nil }
        guard
            let first = ofSnapshots.first(where: { $0.migration != nil }) ?? ofSnapshots.first ?? errors.first
        else {
            throw RequestError(.notFound, "'\(path)' has no error")
        }
        return first
    }

    /// - Throws: `RequestError` for a rule that this version does not have.
    func target(in path: String) throws -> ShrinkTarget {
        guard let known = Rule(named: rule) else {
            throw RequestError(
                .notFound,
                "'\(path)' was written by a different version of Drydock: there is no rule '\(rule)' here")
        }
        return ShrinkTarget(rule: known, table: table, migration: migration)
    }
}
