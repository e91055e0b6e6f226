import ArgumentParser
import Foundation

/// The program that measures Drydock and its peers on the same files and prints medians and ratios.
@main struct Benchmark: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "Benchmark",
        abstract: "Measure Drydock beside sqlite3, sqldiff and cmp, in turn, on the same files.",
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

    func run() throws {
        let root = FileManager.default.currentDirectoryPath
        let path = { (path: String) in path.hasPrefix("/") ? path : root + "/" + path }
        let database = BenchmarkDatabase(folder: path(folder) + "/\(size)", megabytes: size)
        let tasks = BenchmarkTasks.all(path(drydock), database).filter { task in
            only.map { task.name.contains($0) } ?? true
        }
        guard !tasks.isEmpty else { throw ValidationError("no task has '\(only ?? "")' in its name") }
        let needingNone = [SchemaTask.name, LintTask.name, OperatorTasks.manyTables]
        if tasks.contains(where: { !needingNone.contains($0.name) }) { try database.make() }
        var results: [TaskResult] = []
        for task in tasks {
            FileHandle.standardError.write(Data("\(task.name) ...\n".utf8))
            let result = try task.measure(rounds: rounds)
            print(result.table)
            results.append(result)
        }
        guard let json else { return }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        try encoder.encode(results).write(to: URL(fileURLWithPath: json))
    }
}

/// The registry of the tasks.
enum BenchmarkTasks {
    static func all(_ drydock: String, _ database: BenchmarkDatabase) -> [BenchmarkTask] {
        [SchemaTask.task, LintTask(drydock: drydock, folder: database.folder + "/LintMigrations").task]
            + VerifyTasks(drydock: drydock, database: database).all
            + DataDiffTasks(drydock: drydock, database: database).all
            + OperatorTasks(drydock: drydock, database: database).all
    }
}
