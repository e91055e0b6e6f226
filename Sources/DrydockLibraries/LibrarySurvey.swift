import DrydockFiles
import DrydockFindings
import DrydockReplay
import Foundation

/// Finds out what library files are, without loading them into this process: a file may be anything.
package struct LibrarySurvey: Sendable {
    /// See ``LibraryProcess/program``.
    package let program: String?

    package init(program: String? = nil) { self.program = program }

    /// Returns what a file says of itself.
    /// - Throws: ``SQLiteBuildFault``.
    package func describe(_ path: String) async throws -> SQLiteBuild {
        guard FileManager.default.fileExists(atPath: path) else { throw SQLiteBuildFault.missing }
        // The loader would wait for what is written to a pipe.
        guard !FolderListing.isSpecial(path) else {
            throw SQLiteBuildFault.notLoadable("it is not a regular file")
        }
        let answer = try await ask(.describe(path: FolderListing.realPath(path)), loading: nil)
        if let fault = answer.fault { throw fault }
        guard var build = answer.described else { throw SQLiteBuildFault.notSQLite }
        build.path = path
        return build
    }

    /// Returns what a file says of itself, once a process has shown that it runs on it.
    /// - Throws: ``SQLiteBuildFault``.
    package func usable(_ path: String) async throws -> SQLiteBuild {
        let build = try await describe(path)
        try await tryOut(build)
        return build
    }

    /// Checks that a process runs on a library, as one does that repeats a step.
    /// - Throws: ``SQLiteBuildFault``.
    package func tryOut(_ build: SQLiteBuild) async throws {
        guard let number = build.number, number >= SQLiteBuild.oldest else {
            throw SQLiteBuildFault.tooOld(build)
        }
        let answer = try await ask(.identify, loading: build.path)
        try LibraryProcess.check(answer, is: build)
    }

    /// Returns the libraries in files that a user named, once each has been tried; a library with two names only once.
    /// - Throws: ``RequestError``.
    package func builds(_ paths: [String]) async throws -> [SQLiteBuild] {
        var builds: [String: SQLiteBuild] = [:]
        for path in paths {
            do {
                let file = FolderListing.realPath(path)
                if builds[file] == nil { builds[file] = try await usable(path) }
            } catch let fault as SQLiteBuildFault {
                throw RequestError(
                    fault == .missing ? .notFound : .unreadable,
                    "the SQLite library '\(path)' \(fault.text); 'drydock libraries FOLDER' lists those that can be used"
                )
            }
        }
        return paths.compactMap { builds.removeValue(forKey: FolderListing.realPath($0)) }
    }

    private func ask(_ job: LibraryJob, loading library: String?) async throws -> LibraryJob.Answer {
        let deadline = ContinuousClock.now + .seconds(60)
        do {
            let process = try LibraryProcess(program: program)
            defer { process.folder.delete() }
            let end = try await process.run(job, loading: library) { ContinuousClock.now >= deadline }
            switch end {
            case .answered(let answer): return answer
            case .stopped: throw SQLiteBuildFault.noProcess("it does not end")
            case .signalled(let signal, _): throw SQLiteBuildFault.noProcess("ended by signal \(signal)")
            case .silent(let lines):
                throw SQLiteBuildFault.noProcess(lines.last ?? "it ended without an answer")
            }
        } catch let fault as FileFault {
            throw SQLiteBuildFault.noProcess(fault.description)
        }
    }
}

extension LibraryProcess {
    /// Checks that a process had the library that it was to load.
    /// - Throws: ``SQLiteBuildFault/notTaken(path:version:)``.
    package static func check(_ answer: LibraryJob.Answer, is build: SQLiteBuild) throws {
        let own = answer.library
        guard own.version == build.version, own.sourceID == build.sourceID,
            own.path == FolderListing.realPath(build.path)
        else { throw SQLiteBuildFault.notTaken(path: own.path, version: own.version) }
    }
}
