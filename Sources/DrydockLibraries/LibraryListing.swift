import DrydockFiles
import DrydockFindings
import DrydockReplay
import Foundation

/// The SQLite libraries in a folder.
package struct LibraryListing: Sendable {
    package struct Entry: Sendable {
        package var path: String
        /// What it says of itself; nil if it is not a library that can be asked.
        package var build: SQLiteBuild?
        /// Why steps cannot be repeated on it.
        package var fault: SQLiteBuildFault?
    }

    package var entries: [Entry] = []

    package init() {}

    /// Looks at the libraries in a folder and in the folders in it, as a build of several versions leaves them, or at a
    /// single file. A library under several names is listed once.
    /// - Throws: ``RequestError`` if there is nothing there.
    package mutating func add(_ path: String, _ survey: LibrarySurvey) async throws {
        var seen = Set(entries.map { FolderListing.realPath($0.path) })
        let files = try Self.files(in: path)
        if files.isEmpty {
            throw RequestError(
                .notFound,
                "there is no SQLite library in '\(path)': no file is called libsqlite3.so or like it")
        }
        for file in files where seen.insert(FolderListing.realPath(file)).inserted {
            var entry = Entry(path: file)
            do {
                let build = try await survey.describe(file)
                entry.build = build
                try await survey.tryOut(build)
            } catch let fault as SQLiteBuildFault {
                entry.fault = fault
            }
            entries.append(entry)
        }
        entries.sort {
            ($0.build?.number ?? SQLiteVersion(0), $0.path) < ($1.build?.number ?? SQLiteVersion(0), $1.path)
        }
    }

    private static func files(in path: String) throws -> [String] {
        guard FolderListing.isFolder(path) else {
            guard FileManager.default.fileExists(atPath: path) else {
                throw RequestError(.notFound, "there is no folder or file '\(path)'")
            }
            return [path]
        }
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: path).sorted()
        } catch {
            throw RequestError(.unreadable, "the folder '\(path)' cannot be read")
        }
        return names.flatMap { name -> [String] in
            let place = path.hasSuffix("/") ? path + name : "\(path)/\(name)"
            if isLibrary(name) { return [place] }
            guard FolderListing.isFolder(place) else { return [] }
            let inside = (try? FileManager.default.contentsOfDirectory(atPath: place)) ?? []
            return inside.filter(isLibrary).sorted().map { "\(place)/\($0)" }
        }
    }

    private static func isLibrary(_ name: String) -> Bool {
        name.hasPrefix("libsqlite3") && (name.contains(".so") || name.hasSuffix(".dylib"))
    }
}
