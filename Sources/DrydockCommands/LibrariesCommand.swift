import ArgumentParser
import DatabaseEngine
import Drydock
import DrydockReport

struct LibrariesCommand: DrydockSubcommand {
    static let help = CommandHelp(
        name: "libraries",
        abstract: "List SQLite libraries, for verify --sqlite-library.",
        usage: "[OPTIONS] [FOLDER...]",
        about: """
            Shows the SQLite libraries in a folder and its subfolders: version, source, and
            what each was built with or without. Each library is loaded in a process of its
            own. Without a folder, it shows the library that drydock itself uses.
            """,
        examples: """
            drydock libraries                       the one in use
            drydock libraries ~/sqlite-builds       a folder of builds
            drydock libraries /usr/lib --format json
            """,
        common: "format",
        exitStatus: """
            0  there is a library that can be used
            1  none of them can be used
            2  there is no library, or no such folder
            64 bad usage
            """)

    private static let formats = ["human", "json"]

    @Argument(help: "Folders of libraries, or libraries.", completion: .directory)
    var folders: [String] = []

    @Option(help: ArgumentHelp("human or json.", valueName: "format"), completion: .list(formats))
    var format = "human"

    func validate() throws {
        guard Self.formats.contains(format) else {
            throw ValidationError(
                "there is no format '\(format)'; choose one of: \(Self.formats.joined(separator: ", "))")
        }
    }

    func run() async throws {
        try await FailureOutput(Self.self, format: format).run {
            var listing = LibraryListing()
            let own = SQLiteLibrary.path.map { [$0] } ?? []
            for folder in folders.isEmpty ? own : folders { try await listing.add(folder, LibrarySurvey()) }
            Terminal.write(
                format == "json" ? LibrariesRenderer.json(listing) : LibrariesRenderer.human(listing))
            if listing.entries.allSatisfy({ $0.fault != nil }) { throw ExitCode(1) }
        }
    }
}
