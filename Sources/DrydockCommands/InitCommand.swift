import ArgumentParser
import Drydock
import Foundation
import SQLiteSchema

struct InitCommand: DrydockSubcommand {
    static let help = CommandHelp(
        name: "init",
        abstract: "Write drydock.yml, and with --ci a CI job.",
        usage: "[OPTIONS]",
        about: """
            Writes drydock.yml, which names the folder of migrations and their format, and
            lists every other setting as a comment. Creates Snapshots/ for databases of
            released versions. Nothing that exists is overwritten. In a terminal, verify and
            lint are then run once.
            """,
        examples: """
            drydock init                   drydock.yml and Snapshots/
            drydock init --ci github       also .github/workflows/drydock.yml
            drydock init --ci gitlab       also .gitlab-ci.yml, or what to add to it
            drydock init -m db/migrations  where there are several folders of migrations
            drydock init --dry-run         show the files without writing them
            """,
        common: "migrations migration-format ci dry-run run",
        exitStatus: """
            0  written
            1  something is left to you: a file already exists, or it is not clear
               which migrations or which tool is meant
            2  a file cannot be written, or the folder that is named has no migrations
            64 bad usage
            """)

    @OptionGroup var source: MigrationsOptions

    @Option(
        help: ArgumentHelp(
            "Write a job: \(CIJob.allCases.map(\.rawValue).joined(separator: " or ")).", valueName: "service")
    )
    var ci: CIJob?

    @Flag(help: "Show what would be written, and write nothing.")
    var dryRun = false

    @Flag(
        inversion: .prefixedNo,
        help: ArgumentHelp("Run verify and lint at the end.", default: "in a terminal"))
    var run: Bool?

    func run() async throws {
        let failure = FailureOutput(Self.self)
        var isComplete = false
        var (runs, isOpen) = (false, false)
        try await failure.run {
            let found = try await FoundMigrations(named: source.migrations, format: source.migrationFormat)
            try checkPlace(found)
            let known = ConfigPlace.find()
            let files = try files(found, known)
            let isWritten = try write(files)
            if let known, known != ConfigFile.defaultPath {
                Terminal.show("\(known) applies here, so no other was written\n")
            }
            say(found)
            isComplete = isWritten && found.isDecided && known == nil
            if case .refused(_, let error) = found { isOpen = !error.choices.isEmpty }
            if case .folder = found { runs = !dryRun && (run ?? Terminal.outputIsTerminal) }
        }
        if runs { try await runOnce() }
        if !dryRun { sayNext(runs, isOpen: isOpen) }
        if !isComplete { throw ExitCode(1) }
    }

    /// Refuses the folder of migrations itself: what is written would be among them.
    private func checkPlace(_ found: FoundMigrations) throws {
        guard found.path == ".", source.migrations == nil, !FolderListing.exists(".git") else { return }
        throw RequestError(
            .settingInvalid,
            "the migrations are in this folder itself; run 'drydock init' in the project's folder, such as the one "
                + "above: cd .. && drydock init")
    }

    // MARK: - Files

    private func files(_ found: FoundMigrations, _ known: String?) throws -> [NewFile] {
        var files: [NewFile] = []
        if known == nil || known == ConfigFile.defaultPath {
            files.append(NewFile(path: ConfigFile.defaultPath, text: ConfigTemplate(found: found).text))
        }
        // A folder of snapshots that is there is the user's.
        let usual = SnapshotsOptions.usualName
        if !FolderListing.isFolder(usual) {
            files.append(NewFile(path: usual + "/README.md", text: Self.readme))
        }
        guard let ci else { return files }
        let (root, folder) = Self.repository()
        files.append(NewFile(path: root.isEmpty ? ci.path : root + "/" + ci.path, text: ci.text(in: folder)))
        return files
    }

    /// Returns the root of the Git repository relative to the working folder, and the working folder relative to it; both
    /// empty where they are the same, or there is no repository.
    private static func repository() -> (root: String, folder: String) {
        let folders = ProjectFolders.upwards(from: ".")
        guard let here = folders.first, let root = folders.last, folders.count > 1,
            FolderListing.exists(root + "/.git")
        else { return ("", "") }
        let prefix = root == "/" ? root : root + "/"
        return (ProjectFolders.relative(levels: folders.count - 1), String(here.dropFirst(prefix.count)))
    }

    /// - Returns: whether every file was written, or would be.
    private func write(_ files: [NewFile]) throws -> Bool {
        var isComplete = true
        for file in files where !file.exists { try file.check() }
        for file in files {
            let name = VisibleText.line(file.path)
            if file.exists {
                isComplete = false
                Terminal.show("\(name) already exists and was not changed\n")
                if ci == .gitlab, file.path.hasSuffix(CIJob.gitlab.path) {
                    Terminal.show("add this job to it:\n\n\(Self.indented(file.text))\n")
                }
            } else if dryRun {
                Terminal.show("\(name) would be written:\n\n\(Self.indented(file.text))\n")
            } else {
                try file.write()
                Terminal.show("wrote \(name)\n")
            }
        }
        return isComplete
    }

    private static func indented(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { $0.isEmpty ? "" : "    " + $0 }
            .joined(separator: "\n")
    }

    // MARK: - What is found, and what comes next

    private func say(_ found: FoundMigrations) {
        switch found {
        case .folder(let path, let formats):
            let folder = VisibleText.line(path)
            let others = formats.count > 1 ? " (drydock.yml names others that could run them)" : ""
            Terminal.show("migrations: \(folder), as \(formats[0].format)'s\(others)\n")
        case .refused(let path, let error) where error.choices.isEmpty:
            Terminal.note(
                "the migrations in \(VisibleText.line(path)) cannot be read: \(VisibleText.line(error.description))"
            )
        case .refused(let path, let error):
            let list = error.choices.map { "  \($0.format)  (\(VisibleText.line($0.reason)))\n" }
            Terminal.show(
                error:
                    "drydock: note: more than one tool names its files like those in \(VisibleText.line(path)), and the same "
                    + "files would do different things; uncomment the line of yours in drydock.yml, since no other command "
                    + "reads them until then:\n" + list.joined())
        case .several(let candidates):
            let list = candidates.prefix(20).map {
                "  \(VisibleText.line($0.path))  (\(VisibleText.line($0.sign)))\n"
            }
            Terminal.show(
                error:
                    "drydock: note: there are \(candidates.count) folders of migrations: uncomment one in drydock.yml\n"
                    + list.joined())
        case .code(let path, let tool):
            Terminal.show(
                error:
                    "drydock: note: the migrations in \(VisibleText.line(path)) are \(tool.name)'s, which are code: "
                    + "drydock.yml says how Drydock reads them\n")
        case .nothing(let error): Terminal.note("\(error.description)")
        }
    }

    /// Runs verify and lint with what is written; what they find does not decide the status.
    private func runOnce() async throws {
        for (name, command) in [("verify", VerifyCommand.self), ("lint", LintCommand.self)]
            as [(String, any AsyncParsableCommand.Type)]
        {
            Terminal.show("\n$ drydock \(name)\n")
            guard var command = try command.parseAsRoot([]) as? any AsyncParsableCommand else { continue }
            do {
                try await command.run()
            } catch let status as ExitCode {
                if status.rawValue == 130 { throw status }
            }
        }
    }

    private func sayNext(_ hasRun: Bool, isOpen: Bool) {
        let choice =
            isOpen ? "  drydock.yml      uncomment the line of the tool that runs the migrations\n" : ""
        let first =
            choice + (hasRun ? "" : "  drydock verify   replay the migrations, and drydock lint: read them\n")
        Terminal.show(
            "\nNext:\n" + first
                + "  drydock lock     record what is released, so that it cannot change unnoticed\n"
                + "  Snapshots/       put databases of released versions there, with rows in them\n")
        if let ci { Terminal.note(ci.remedy) }
    }

    static let readme = """
        # Snapshots

        Databases as released versions of the app left them, with rows in them: SQLite files, or `.sql` dumps, plain or
        compressed (`.gz`, `.xz`, `.zst`, `.zip`). `drydock verify` runs the pending migrations on each and never writes to it.

        - One for each release is best; one is enough to start. Take it while no program has the database open, or with
          `sqlite3 app.sqlite "VACUUM INTO 'Snapshots/v1.sqlite'"`.
        - The history table of the migration tool must be in it: it says which migrations are still pending.
        - Everybody who has access to the repository can read what is committed here.
        - `drydock lock` records what is released, so that no snapshot changes unnoticed.

        """
}
