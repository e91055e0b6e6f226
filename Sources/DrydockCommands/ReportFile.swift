import ArgumentParser
import Drydock
import DrydockReport
import Foundation
import Synchronization

/// A report to be written to a file: `FORMAT=PATH`.
struct ReportFile: ExpressibleByArgument, Equatable {
    var format: String
    var path: String

    init?(argument: String) {
        guard let (format, path) = argument.splitOnce("="), !path.isEmpty,
            Self.formats.contains(format)
        else { return nil }
        self.format = format
        self.path = path
    }

    /// The formats of a report, and `sql`, whose path is a folder of scripts.
    static let formats = ReportRenderers.all.names + [CounterexampleScripts.name]

    /// Whether the path is a folder, with a script for each finding that generated rows show.
    var isFolder: Bool { format == CounterexampleScripts.name }

    static let help = ArgumentHelp(
        "Write a report to a file as well; the file is replaced at once. May be repeated.",
        valueName: "format=path")

    /// - Throws: `ValidationError` that names the formats.
    static func parsed(_ argument: String) throws -> ReportFile {
        guard let file = ReportFile(argument: argument) else {
            throw fault(of: argument, formats: formats)
        }
        return file
    }

    /// Returns what is wrong with a `FORMAT=PATH`.
    static func fault(of argument: String, formats: [String]) -> ValidationError {
        let list = formats.joined(separator: ", ")
        guard let (format, path) = argument.splitOnce("=") else {
            return ValidationError("write FORMAT=PATH, with one of these formats: \(list)")
        }
        guard formats.contains(format) else {
            return ValidationError("there is no format '\(format)'; choose one of: \(list)")
        }
        return ValidationError("no path follows '\(format)=\(path)'")
    }

    /// Refuses a path of a migration, a snapshot, the lock or the configuration, since what is read is never written, and
    /// one that cannot be written, before the work is done.
    /// - Throws: RequestError.
    func check(against request: VerifyRequest, _ config: ConfigFile) throws {
        let target = target
        if let database = SnapshotFile.database(ofSidecar: target), FolderListing.exists(database) {
            throw RequestError(
                .settingInvalid,
                "the report '\(path)' would be read as part of the database '\(database)'; give it another path"
            )
        }
        if isFolder { return try checkFolder(request) }
        try checkIsWritable()
        guard FolderListing.exists(path) else { return }
        let folders = [
            request.command == nil ? request.migrations.folder : nil, request.snapshots.folder,
        ].compactMap(\.self).map(FolderListing.realPath)
        let files =
            (request.snapshots.paths + (request.snapshots.listed?.paths ?? [])
            + [request.lock, config.source].compactMap(\.self))
            .map(FolderListing.realPath)
        if files.contains(target) || folders.contains(where: { target.hasPrefix($0 + "/") }) {
            throw RequestError(
                .settingInvalid,
                "the report would overwrite '\(path)', which the command reads; give it another path")
        }
    }

    /// Whether nothing is there but what may be an earlier report: no database, and no file of a project that Drydock reads.
    var mayHoldReport: Bool {
        let target = target
        // A pipe holds nothing from before, and reading it would wait for what nobody writes.
        guard !isFolder, !FolderListing.isSpecial(path), SnapshotFile.database(ofSidecar: target) == nil
        else { return false }
        let ending = PathParts.name(of: target).split(separator: ".").last.map { $0.lowercased() } ?? ""
        guard !["sql", "db", "sqlite", "sqlite3", "yml", "yaml", "lock"].contains(ending) else {
            return false
        }
        let start = try? FileHandle(forReadingAtPath: target)?.read(upToCount: 16)
        return start != Data("SQLite format 3\u{0}".utf8)
    }

    /// Whether the command line names the same file for something else than a report.
    func isNamedOtherwise(in arguments: [String]) -> Bool {
        let target = target
        return arguments.indices.contains { index in
            let argument = arguments[index]
            guard !argument.hasPrefix("--report="), index == 0 || arguments[index - 1] != "--report" else {
                return false
            }
            return [argument, argument.splitOnce("=")?.1].compactMap(\.self).contains {
                FolderListing.exists($0) && FolderListing.realPath($0) == target
            }
        }
    }

    /// The file that is written: where the path leads through links, also to a file that is not there yet.
    var target: String {
        guard !FolderListing.exists(path) else { return FolderListing.realPath(path) }
        var target = path
        // As many links as Linux follows.
        for _ in 0..<40 {
            target = FolderListing.realPath(PathParts.folder(of: target)) + "/" + PathParts.name(of: target)
            guard let next = try? FileManager.default.destinationOfSymbolicLink(atPath: target) else { break }
            target = next.hasPrefix("/") ? next : PathParts.folder(of: target) + "/" + next
        }
        return target
    }

    /// Returns a path without links, also of a folder that is still to be made.
    private static func resolved(_ path: String) -> String {
        guard !FolderListing.exists(path), let name = path.split(separator: "/").last.map(String.init) else {
            return FolderListing.realPath(path)
        }
        let parent = PathParts.folder(of: path)
        return parent == path ? path : resolved(parent) + "/" + name
    }

    private func checkFolder(_ request: VerifyRequest) throws {
        let target = Self.resolved(path)
        let folders = [
            request.command == nil ? request.migrations.folder : nil, request.snapshots.folder,
        ].compactMap(\.self).map(Self.resolved)
        guard !folders.contains(where: { target == $0 || target.hasPrefix($0 + "/") }) else {
            throw RequestError(
                .settingInvalid,
                "scripts would be written to '\(path)', which is among what is verified; name another folder")
        }
        if FolderListing.exists(target), !FolderListing.isFolder(target) {
            throw RequestError(
                .notWritable, "'\(path)' is a file, and \(format)=PATH takes a folder; name a folder")
        }
    }

    /// Writes a script for each finding that generated rows show; the folder is created where it is missing. Scripts of
    /// earlier runs are deleted, since what they show may be fixed; other files are left as they are.
    /// - Throws: RequestError.
    func writeScripts(of report: Report) throws {
        do {
            let scripts = CounterexampleScripts.scripts(of: report)
            for file in FolderListing.entries(in: path) ?? [] where Self.isScript("\(path)/\(file.name)") {
                try FileManager.default.removeItem(atPath: "\(path)/\(file.name)")
            }
            guard !scripts.isEmpty else { return }
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            for script in scripts {
                try Data(script.text.utf8).write(
                    to: URL(fileURLWithPath: freePath(script.fileName)), options: .withoutOverwriting)
            }
        } catch {
            throw RequestError(
                .notWritable, "the scripts in '\(path)' cannot be written: \(FolderListing.describe(error))")
        }
    }

    /// Whether a file is a script that Drydock wrote, as its first line says.
    private static func isScript(_ path: String) -> Bool {
        guard path.hasSuffix(".sql"),
            let kind = try? FileManager.default.attributesOfItem(atPath: path)[.type] as? FileAttributeType,
            kind == .typeRegular, let handle = FileHandle(forReadingAtPath: path)
        else { return false }
        defer { try? handle.close() }
        let mark = Data((CounterexampleScripts.mark + "\n").utf8)
        return (try? handle.read(upToCount: mark.count)) == mark
    }

    /// Returns a path that no file has.
    private func freePath(_ name: String) -> String {
        let stem = name.dropLast(".sql".count)
        var number = 1
        var candidate = "\(path)/\(name)"
        var status = stat()
        // A link to nothing is a file too.
        while lstat(candidate, &status) == 0 {
            number += 1
            candidate = "\(path)/\(stem)-\(number).sql"
        }
        return candidate
    }

    /// Refuses a path that cannot be written, before the work is done.
    /// - Throws: RequestError.
    func checkIsWritable() throws {
        let target = target
        guard let reason = obstacle(target, in: PathParts.folder(of: target)) else { return }
        let isOld =
            FolderListing.exists(target)
            && ![FolderListing.isFolder, FolderListing.isSpecial].contains { $0(target) }
        throw RequestError(
            .notWritable,
            "the report '\(path)' cannot be written: \(reason)" + (isOld ? Self.stillOld : ""))
    }

    private static let stillOld = "; the old report is still there"

    private func obstacle(_ target: String, in folder: String) -> String? {
        if FolderListing.isFolder(target) { return "it is a folder" }
        if FolderListing.exists(target) {
            return access(target, W_OK) == 0 ? nil : Self.refusal(errno, "this user may not write it")
        }
        if !FolderListing.isFolder(folder) { return "there is no folder '\(folder)'" }
        return access(folder, W_OK) == 0
            ? nil : Self.refusal(errno, "this user may not write to '\(folder)'")
    }

    /// Returns why the system refuses to write, by its error number.
    /// - Parameter denied: what is said where this user lacks the permission.
    static func refusal(_ code: Int32, _ denied: String) -> String {
        [EACCES, EPERM].contains(code) ? denied : FolderListing.describe(code)
    }

    /// Writes the files of a report and prints it. The files come first, since the process ends where standard output cannot
    /// be written, and they would keep an old report; one that fails does not keep the report from being printed.
    /// - Parameter done: what was done to databases, which every error says too.
    /// - Throws: what the closures throw.
    static func write(
        after done: String? = nil, _ files: () throws -> Void, thenPrint print: () throws -> Void
    ) throws {
        Terminal.note(done: done)
        let written = Result(catching: files)
        do {
            try print()
            try written.get()
        } catch let error as RequestError {
            throw error.adding(done)
        }
    }

    private static let written = Mutex<Set<String>>([])

    /// Whether this process has written the file: it holds no old report, and no failure takes the place of what it holds.
    var isWritten: Bool { Self.written.withLock { $0.contains(target) } }

    /// Writes each file, also those behind one that fails.
    /// - Throws: the first error of the closure.
    static func writeEach<File>(_ files: [File], _ write: (File) throws -> Void) throws {
        let results = files.map { file in Result { try write(file) } }
        for result in results { try result.get() }
    }

    /// Replaces a regular file atomically where its folder can be written, so that nobody reads half of it; writes into
    /// anything else.
    /// - Throws: RequestError.
    func write(_ text: String) throws {
        let target = target
        try write(text, to: target)
        Self.written.withLock { _ = $0.insert(target) }
    }

    private func write(_ text: String, to target: String) throws {
        let kind = try? FileManager.default.attributesOfItem(atPath: target)[.type] as? FileAttributeType
        let isFile = kind == nil || kind == .typeRegular
        let isReplaced = isFile && access(PathParts.folder(of: target), W_OK) == 0
        do {
            if isReplaced { return try AtomicFile.write(Array(text.utf8), to: target) }
            let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: target))
            defer { try? handle.close() }
            if isFile { try handle.truncate(atOffset: 0) }
            try handle.write(contentsOf: Data(text.utf8))
        } catch {
            let reason = (error as? FileFault)?.description ?? FolderListing.describe(error)
            let rest = isReplaced && kind != nil ? Self.stillOld : ""
            throw RequestError(.notWritable, "the report '\(path)' cannot be written: \(reason)\(rest)")
        }
    }
}
