import ArgumentParser
import Foundation

/// The program that measures Drydock and its peers on the same files and prints medians and ratios.
@main struct Benchmark: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "Benchmark",
        abstract:
            "Measure Drydock beside sqlite3, sqldiff, sqlite3_analyzer and cmp, in turn, on the same files.",
        discussion: """
            The databases are made from a seed. Every contender of a task runs once unmeasured, so that files are \
            in the cache, and then in turn with the others. sqlite3, sqldiff and sqlite3_analyzer must be there \
            (Debian's sqlite3 and sqlite3-tools). Build with -c release; the figures of a debug \
            build mean nothing.
            """)

    @Option(help: "Measured rounds of each task.") var rounds = 5
    @Option(help: "About how large the databases are, in megabytes.") var size = 500
    @Option(help: "Where the databases are made and kept.", completion: .directory)
    var folder = ".build/benchmark"
    @Option(help: "The drydock to measure.", completion: .file()) var drydock = ".build/release/drydock"
    @Option(help: "Only tasks whose name has this in it.") var only: String?
    @Option(help: "Write the figures as JSON too.", completion: .file()) var json: String?
    @Option(help: "Write a page of them too, with how the costs grow.", completion: .file()) var page: String?

    func validate() throws {
        if page != nil, only != nil {
            throw ValidationError("--page is for all tasks; leave --only out, or write --json")
        }
    }

    func run() throws {
        let root = FileManager.default.currentDirectoryPath
        let path = { (path: String) in path.hasPrefix("/") ? path : root + "/" + path }
        let database = BenchmarkDatabase(folder: path(folder) + "/\(size)", megabytes: size)
        let tasks = BenchmarkTasks.all(path(drydock), database, root).filter { task in
            only.map { task.name.contains($0) } ?? true
        }
        guard !tasks.isEmpty else { throw ValidationError("no task has '\(only ?? "")' in its name") }
        let needingNone = [SchemaTask.name, LintTask.name, OperatorTasks.manyTables, OperatorTasks.start]
        if tasks.contains(where: { !needingNone.contains($0.name) && !$0.name.hasPrefix("fleet") }) {
            try database.make()
        }
        var results: [TaskResult] = []
        for task in tasks {
            note(task.name)
            FileCache.drop(database.folder)
            let result = try task.measure(rounds: rounds)
            print(result.text)
            // A run that is stopped has shown what it measured, to a file too.
            fflush(nil)
            results.append(result)
        }
        if let json {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
            try encoder.encode(results).write(to: URL(fileURLWithPath: json))
        }
        guard let page else { return }
        note("growth")
        let growth = [
            try Growth.ofSize(path(drydock), path(folder)), try Growth.ofTables(path(drydock), path(folder)),
        ]
        let text = BenchmarkPage(drydock: path(drydock), results: results, growth: growth, rounds: rounds)
        try text.text().write(toFile: path(page), atomically: true, encoding: .utf8)
    }

    private func note(_ name: String) {
        FileHandle.standardError.write(Data("\(name) ...\n".utf8))
    }
}

/// The registry of the tasks.
enum BenchmarkTasks {
    static func all(
        _ drydock: String, _ database: BenchmarkDatabase, _ root: String
    ) -> [BenchmarkTask] {
        [SchemaTask.task, LintTask(drydock: drydock, folder: database.folder + "/LintMigrations").task]
            + VerifyTasks(drydock: drydock, database: database).all
            + DataDiffTasks(drydock: drydock, database: database).all
            + OperatorTasks(drydock: drydock, database: database).all
            + SnapshotTasks(drydock: drydock, database: database).all
            + FleetTasks(drydock: drydock, folder: database.folder, root: root).all
    }
}
