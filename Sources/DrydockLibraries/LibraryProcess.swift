import DrydockFiles
import DrydockMigrations
import DrydockReplay
import Foundation

/// A process of this program that has loaded a SQLite library of the user's choice in place of the usual one.
///
/// The program is linked with libsqlite3 dynamically, so the loader takes the file that it finds first under that name: a
/// link in a folder that LD_LIBRARY_PATH names first (ld.so(8)). What it has loaded, the process says itself.
struct LibraryProcess: Sendable {
    /// The path of the program; nil for that of this process.
    let program: String?
    let folder: PrivateFolder

    /// The argument that makes the program do such work, before the folder.
    static let argument = "library-process"
    static let folderName = "drydock-library"
    static let jobFile = "job"
    static let answerFile = "answer"
    private static let linkFolder = "lib"
    private static let linkName = "libsqlite3.so.0"

    /// - Throws: ``FileFault``.
    init(program: String?) throws {
        self.program = program
        folder = try PrivateFolder(named: Self.folderName)
    }

    enum End: Sendable {
        case answered(LibraryJob.Answer)
        /// Stopped, since there is no time left.
        case stopped
        case signalled(Int32, lastLines: [String])
        /// It ended without an answer.
        case silent(lastLines: [String])
    }

    /// - Parameters:
    ///   - library: the file to load; nil for the usual one.
    ///   - mustStop: polled while it works.
    /// - Throws: ``FileFault``.
    func run(
        _ job: LibraryJob, loading library: String?, mustStop: @escaping @Sendable () -> Bool
    ) async throws -> End {
        let files = FileManager.default
        let (path, answer) = (folder.path, folder.path + "/" + Self.answerFile)
        try? files.removeItem(atPath: answer)
        guard
            files.createFile(
                atPath: path + "/" + Self.jobFile, contents: try PropertyListEncoder.ofLibraries.encode(job),
                attributes: [.posixPermissions: 0o600])
        else { throw FileFault("nothing can be written to '\(path)'") }
        // The folder's name marks what it starts, so that all of it can be ended.
        var variables = [
            "DRYDOCK_PROGRAM": try executable(), ProjectCommand.databaseVariable: path,
        ]
        if let library { variables["LD_LIBRARY_PATH"] = try searchPath(to: library) }
        let command =
            #"exec "$DRYDOCK_PROGRAM" \#(Self.argument) "$\#(ProjectCommand.databaseVariable)""#
        let environment = variables
        let outcome = await withCheckedContinuation { continuation in
            // A thread of its own, since it waits: the system's queues have few.
            Thread.detachNewThread {
                let process = ShellProcess(
                    command: command, folder: files.currentDirectoryPath, variables: environment,
                    mustStop: mustStop)
                continuation.resume(returning: Result { try process.run() })
            }
        }
        let ended = try outcome.get()
        switch ended.end {
        case .stopped: return .stopped
        case .signalled(let signal): return .signalled(signal, lastLines: ended.lastLines)
        case .exited:
            guard let bytes = files.contents(atPath: answer),
                let answer = try? PropertyListDecoder().decode(LibraryJob.Answer.self, from: bytes)
            else { return .silent(lastLines: ended.lastLines) }
            if let error = answer.error { return .silent(lastLines: [error]) }
            return .answered(answer)
        }
    }

    private func executable() throws -> String {
        if let program { return program }
        #if os(Linux)
        guard let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe") else {
            throw FileFault("the program's own path is not known")
        }
        return path
        #else
        throw FileFault("other SQLite libraries can be loaded only on Linux")
        #endif
    }

    /// Links to the library under the name that the loader looks for, and returns where it is to look.
    private func searchPath(to library: String) throws -> String {
        let links = folder.path + "/" + Self.linkFolder
        let files = FileManager.default
        try files.createDirectory(atPath: links, withIntermediateDirectories: true)
        let link = links + "/" + Self.linkName
        try? files.removeItem(atPath: link)
        try files.createSymbolicLink(
            atPath: link, withDestinationPath: FolderListing.realPath(library))
        let earlier = ProcessInfo.processInfo.environment["LD_LIBRARY_PATH"] ?? ""
        return earlier.isEmpty ? links : links + ":" + earlier
    }
}

extension PropertyListEncoder {
    static var ofLibraries: PropertyListEncoder {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        return encoder
    }
}
