import ArgumentParser
import Drydock
import Foundation

struct NewCommand: DrydockSubcommand {
    static let help = CommandHelp(
        name: "new",
        abstract: "Write the next migration file, empty or from a diff.",
        usage: "[OPTIONS] NAME",
        about: """
            Writes the next migration file. Its name continues those of the folder: v12_...
            after v11_..., 0007_... after 0006_....
            """,
        examples: """
            drydock new add_threads                         an empty migration
            drydock new add_threads --from-diff schema.sql  with the SQL that leads there
            """,
        common: "migrations migration-format from-diff allow-loss",
        exitStatus: """
            0  written
            2  not written
            64 bad usage
            """)

    @Argument(help: ArgumentHelp("What the migration does, in a few words.", valueName: "name"))
    var name: String

    @OptionGroup var source: MigrationsOptions

    @Option(
        help: ArgumentHelp(
            "The schema that the migration must lead to: a database, a .sql file or a folder.",
            valueName: "new"), completion: .file())
    var fromDiff: String?

    @Flag(help: "Allow SQL that loses a table or a column; the file declares the loss.")
    var allowLoss = false

    @OptionGroup var tool: ToolOptions

    @OptionGroup var engines: EngineOptions

    @OptionGroup var stubs: StubOptions

    @OptionGroup var limits: LimitOptions

    func validate() throws {
        let isPlain = name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "-" || $0 == " " }
        guard isPlain, name.contains(where: { $0.isLetter || $0.isNumber }) else {
            throw ValidationError("a migration's name has letters, digits, '_' and '-'")
        }
    }

    func run() async throws {
        try await limits.run(stubs, FailureOutput(Self.self)) { config, limits in
            let folder = try source.place(config).path
            let format = try MigrationFolder.format(of: folder)
            guard format == DrydockFormat().name else {
                throw RequestError(
                    .settingInvalid,
                    "the migrations in '\(folder)' are \(format)'s; make the file with that tool, and the SQL with "
                        + "drydock diff --sql")
            }
            let identifiers = try MigrationFolder.identifiers(in: folder)
            let words = name.replacing(" ", with: "_")
            guard let next = MigrationFolder.nextName(after: identifiers, words: words) else {
                throw RequestError(
                    .settingInvalid,
                    "'\(identifiers.last ?? "")' has no number to continue from; name the next file yourself")
            }
            let path = folder + "/" + next + ".sql"
            let text =
                try await fromDiff.map { try await planned(folder, to: $0, config, limits) } ?? "-- \(name)\n"
            guard !FileManager.default.fileExists(atPath: path) else {
                throw RequestError(.notWritable, "'\(path)' already exists")
            }
            do {
                try text.write(toFile: path, atomically: true, encoding: .utf8)
            } catch {
                throw RequestError(
                    .notWritable, "'\(path)' cannot be written: \(FolderListing.describe(error))")
            }
            Terminal.write(path + "\n")
        }
    }

    func request(from folder: String, to target: String, _ config: ConfigFile) throws -> DiffRequest {
        var request = DiffRequest(
            from: try config.source(folder, source.migrationFormat, tool),
            to: try config.source(target, source.migrationFormat, tool))
        (request.functions, request.collations) = stubs.stubs(config)
        request.wantsPlan = true
        request.allowsLoss = allowLoss
        return request
    }

    private func planned(
        _ folder: String, to target: String, _ config: ConfigFile, _ limits: CommandLimits
    ) async throws -> String {
        let request = try request(from: folder, to: target, config)
        let report = try await SchemaComparer(engine: limits.engine(engines.driver(config))).run(request)
        if let refusal = report.findings.first {
            Terminal.complain(refusal.message, help: refusal.help)
            throw ExitCode(2)
        }
        guard let diff = report.diff, let plan = diff.plan, !plan.isEmpty else {
            throw RequestError(
                .refused,
                "'\(folder)' already leads to the schema of '\(target)': there is nothing to migrate")
        }
        let keysAreOff = try MigrationFolder.runsWithForeignKeysOff(folder)
        let notes = (keysAreOff ? [] : [plan.caution.joined(separator: " ")]) + plan.notes
        for note in notes where !note.isEmpty { Terminal.note(note) }
        for rename in diff.renames.open { Terminal.note(rename.openNote) }
        return plan.text(foreignKeysAreOff: keysAreOff)
    }
}

extension Optional {
    /// Maps with a closure that awaits.
    fileprivate func map<Result>(_ transform: (Wrapped) async throws -> Result) async rethrows -> Result? {
        guard let self else { return nil }
        return try await transform(self)
    }
}
