import DatabaseEngine
import DrydockFiles
import DrydockMigrations
import DrydockReplay
import DrydockState
import Foundation
import OverlayVFS

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The work of a process that has loaded another SQLite library: reads a job from a folder, and leaves the answer there.
package struct LibraryWork: Sendable {
    package let folder: String
    package let engines: [any Engine]

    /// Does the work if the arguments ask for it.
    /// - Returns: the exit status; nil if the program was started for something else.
    package static func status(
        _ arguments: [String], engines: [@Sendable () -> any Engine]
    ) async -> Int32? {
        guard arguments.count == 2, arguments[0] == LibraryProcess.argument else { return nil }
        return await LibraryWork(folder: arguments[1], engines: engines.map { $0() }).run()
    }

    private func run() async -> Int32 {
        endWithParent()
        let place = { (name: String) in URL(fileURLWithPath: "\(folder)/\(name)") }
        var answer = LibraryJob.Answer(
            library: SQLiteBuild(
                path: FolderListing.realPath(SQLiteLibrary.path ?? ""), version: SQLiteLibrary.version,
                sourceID: SQLiteLibrary.sourceID))
        do {
            let job = try PropertyListDecoder().decode(
                LibraryJob.self, from: Data(contentsOf: place(LibraryProcess.jobFile)))
            try await work(on: job, &answer)
        } catch {
            answer.error = "\(error)"
        }
        do {
            let bytes = try PropertyListEncoder.ofLibraries.encode(answer)
            try bytes.write(to: place(LibraryProcess.answerFile), options: .atomic)
            return 0
        } catch {
            return 1
        }
    }

    /// Ends this process, and deletes its folder, once the one that started it is gone: nobody else would stop it.
    private func endWithParent() {
        let parent = getppid()
        Thread.detachNewThread {
            while getppid() == parent { usleep(200_000) }
            PrivateFolder.delete(folder, named: LibraryProcess.folderName)
            _exit(1)
        }
    }

    private func work(on job: LibraryJob, _ answer: inout LibraryJob.Answer) async throws {
        switch job {
        case .identify: break
        case .describe(let path):
            do {
                answer.described = try LoadedLibrary(path: path).build
            } catch let fault as SQLiteBuildFault {
                answer.fault = fault
            }
        case .run(let batch): answer.outcome = try await RepeatedRun(batch, folder, engines).outcome()
        }
    }
}

/// A library that was loaded only to be asked what it is. None of its other code is used.
private struct LoadedLibrary {
    private typealias Text = @convention(c) () -> UnsafePointer<CChar>?
    private typealias Number = @convention(c) () -> Int32
    private typealias Option = @convention(c) (Int32) -> UnsafePointer<CChar>?

    let build: SQLiteBuild

    /// - Throws: ``SQLiteBuildFault``.
    init(path: String) throws {
        guard let library = dlopen(path, RTLD_LAZY | RTLD_LOCAL) else {
            throw SQLiteBuildFault.notLoadable(
                dlerror().map { String(cString: $0) } ?? "the system does not say why")
        }
        func text(_ name: String) -> String? {
            dlsym(library, name).map { unsafeBitCast($0, to: Text.self) }?().map { String(cString: $0) }
        }
        // The text of the version is a variable, for which the loader takes that of the library that came first.
        let number = dlsym(library, "sqlite3_libversion_number").map {
            unsafeBitCast($0, to: Number.self)()
        }
        guard let number, let source = text("sqlite3_sourceid") else { throw SQLiteBuildFault.notSQLite }
        let version = "\(number / 1_000_000).\(number / 1000 % 1000).\(number % 1000)"
        var options: [String] = []
        if let option = dlsym(library, "sqlite3_compileoption_get").map({ unsafeBitCast($0, to: Option.self) }
        ) {
            while let name = option(Int32(options.count)) { options.append(String(cString: name)) }
        }
        build = SQLiteBuild(path: path, version: version, sourceID: source, options: options.sorted())
    }
}
