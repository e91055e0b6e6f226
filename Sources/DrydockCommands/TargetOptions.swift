import ArgumentParser
import DatabaseEngine
import Drydock
import Foundation

/// Lists of databases, besides those that a command names.
struct ListOptions: ParsableArguments {
    @Option(
        name: .customLong("from"),
        help: ArgumentHelp(
            "A list of databases, or - for standard input; one path per line, paths separated by NUL as 'find -print0' writes them, or a manifest from 'drydock manifest'. May be repeated.",
            valueName: "file"), completion: .file())
    var files: [String] = []

    @Option(
        name: .customLong("from-query"),
        help: ArgumentHelp(
            "A database and a query that returns paths: 'app.sqlite: SELECT path FROM tenant'. May be repeated.",
            valueName: "database: query"))
    var queries: [String] = []

    /// What a command says that has neither names nor lists.
    static let noDatabase = "no database is named"

    var isEmpty: Bool { files.isEmpty && queries.isEmpty }

    func validate() throws {
        if files.count(where: { $0 == "-" }) > 1 {
            throw ValidationError("standard input can be read only once, but --from - is given twice")
        }
        if let query = queries.first(where: { !$0.contains(": ") }) {
            throw ValidationError(
                "'\(query)' is not a database and a query; write --from-query 'app.sqlite: SELECT path FROM tenant'"
            )
        }
    }

    /// Returns the databases that are named and listed.
    /// - Parameter usual: those that are meant where none is.
    /// - Throws: `RequestError`.
    func list(
        _ names: [String], usual: (() throws -> [String])? = nil, on engine: any Engine
    ) async throws -> TargetList {
        var list = TargetList()
        // Only what has snapshots takes dumps.
        try list.add(names: names, takesSnapshots: usual != nil)
        for file in files {
            let isInput = file == "-"
            let bytes: [UInt8]
            do {
                bytes = try isInput ? rest(of: .standardInput) : contents(of: file)
            } catch {
                throw RequestError(.notFound, "'\(file)' cannot be read: \(error)")
            }
            try list.add(file: isInput ? "standard input" : "'\(file)'", bytes)
        }
        for query in queries { try await list.add(query: query, on: engine) }
        if let usual, names.isEmpty, isEmpty { list.add(try usual()) }
        try list.refuseLookAlikes()
        return list
    }

    /// Reads a file, or the pipe that a shell makes of `<(command)`.
    private func contents(of file: String) throws -> [UInt8] {
        guard FolderListing.isSpecial(file), let pipe = FileHandle(forReadingAtPath: file) else {
            return try FolderListing.contents(of: file)
        }
        return try rest(of: pipe)
    }

    private func rest(of handle: FileHandle) throws -> [UInt8] { Array(try handle.readToEnd() ?? Data()) }
}

/// Which part of the databases, and where their results are noted.
struct TargetOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Only this part of the databases, such as 2/8; auto takes it from the variables of the service that runs the job. 'drydock merge' combines the parts into one report.",
            valueName: "i/n"))
    var shard: String?

    @Option(
        help: ArgumentHelp(
            "Record each result here, and resume after a kill; finished databases are skipped, unless they or the settings have changed.",
            valueName: "path"), completion: .file())
    var resume: String?

    static let databases = ArgumentHelp(
        "Databases; in quotes, patterns such as 'data/*.sqlite'.", valueName: "database")

    /// Whether an option that only applies to many databases is given, even with a single database.
    var isOfMany: Bool { shard != nil || resume != nil }

    func validate() throws {
        if let shard, shard != "auto" { try Self.usage { () throws(ShardFault) in _ = try Shard(shard) } }
    }

    private static func usage<Result>(_ body: () throws(ShardFault) -> Result) throws -> Result {
        do { return try body() } catch { throw ValidationError(error.description) }
    }

    /// Returns the databases, and which of them are this run's.
    /// - Throws: `RequestError`, and `ValidationError` where `auto` finds no shard.
    func targets(
        _ names: [String], _ lists: ListOptions, usual: (() throws -> [String])? = nil, on engine: any Engine
    ) async throws -> Targets {
        let list = try await lists.list(names, usual: usual, on: engine)
        let chosen = try shard.map { text in
            try Self.usage { () throws(ShardFault) in
                text == "auto"
                    ? try ShardEnvironment.shard(in: ProcessInfo.processInfo.environment) : try Shard(text)
            }
        }
        if chosen != nil { Self.tellBazel() }
        return Targets(list: list, shard: chosen, resume: resume)
    }

    /// Tells Bazel that the command knows about shards, which it takes from a file that is touched
    /// (https://bazel.build/reference/test-encyclopedia).
    private static func tellBazel() {
        guard let path = ProcessInfo.processInfo.environment["TEST_SHARD_STATUS_FILE"], !path.isEmpty else {
            return
        }
        _ = FileManager.default.createFile(atPath: path, contents: nil)
    }
}

/// The databases of a run: a list, and the part of it that this run does.
struct Targets: Sendable {
    let list: TargetList
    let shard: Shard?
    /// The file that results are noted in.
    let resume: String?
    /// The places of this run's databases in the list.
    let indices: [Int]

    init(list: TargetList, shard: Shard? = nil, resume: String? = nil) {
        (self.list, self.shard, self.resume) = (list, shard, resume)
        indices = shard?.indices(of: list.weights) ?? Array(list.paths.indices)
    }

    var paths: [String] { indices.map { list.paths[$0] } }

    /// Returns where results are kept: for a run that goes on with a file, or for the part of a shard; nil for neither.
    /// - Parameter settings: what the results depend on besides their database.
    /// - Throws: `RequestError` if the file cannot be used.
    func kept(settings: String) throws -> KeptResults? {
        if let resume { return try KeptResults(file: resume, settings: settings) }
        return shard.map { _ in KeptResults() }
    }

    /// Returns what the merge of the shards needs of this one; nil for a run of the whole list.
    func part(_ kept: KeptResults, settings: String) -> ReportPart? {
        guard let shard else { return nil }
        var part = ReportPart(
            version: DrydockCommand.version, shard: shard.number, of: shard.count, list: list.digest,
            listCount: list.paths.count, settings: settings,
            arguments: Array(CommandLine.arguments.dropFirst()))
        var results = kept.results
        part.databases = indices.compactMap { index in
            let path = list.paths[index]
            return results.removeValue(forKey: path).map { .init(index: index, path: path, result: $0) }
        }
        part.others = results
        return part
    }
}
