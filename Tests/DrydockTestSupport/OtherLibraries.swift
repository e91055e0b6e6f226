import Drydock
import Foundation
import Testing

@testable import DrydockLibraries
@testable import DrydockReplay

/// Other builds of SQLite, in the folders that DRYDOCK_SQLITE_LIBRARIES names, separated by colons; each library in the
/// folder or in one of its own there, as docs/libraries.md makes them.
enum OtherLibraries {
    static let reason = Comment(
        rawValue: "it needs other builds of SQLite, in the folders that DRYDOCK_SQLITE_LIBRARIES names")

    /// Ascending by version.
    static let all: [SQLiteBuild] = {
        let names = ProcessInfo.processInfo.environment["DRYDOCK_SQLITE_LIBRARIES"] ?? ""
        var builds: [SQLiteBuild] = []
        for folder in names.split(separator: ":").map(String.init) {
            let files = FileManager.default
            for name in (try? files.contentsOfDirectory(atPath: folder)) ?? [] {
                let path = "\(folder)/\(name)/libsqlite3.so.0"
                // The folder has the version's name.
                guard SQLiteVersion(name) != nil, files.fileExists(atPath: path) else { continue }
                builds.append(SQLiteBuild(path: path, version: name, sourceID: ""))
            }
        }
        return builds.sorted { ($0.number ?? SQLiteVersion(0)) < ($1.number ?? SQLiteVersion(0)) }
    }()

    /// Those on which migrations can be run.
    static let usable = all.filter { $0.number.map { $0 >= SQLiteBuild.oldest } ?? false }

    /// The builds of releases. 3.52.0 was withdrawn, and what it brought counts as new in 3.53.0.
    static let released = usable.filter { $0.version != "3.52.0" }

    /// The history of a goose project after its first migration.
    static let goose = """
        CREATE TABLE goose_db_version(id INTEGER PRIMARY KEY AUTOINCREMENT, version_id INTEGER NOT NULL, is_applied INTEGER NOT NULL, tstamp TIMESTAMP DEFAULT (datetime('now')));
        INSERT INTO goose_db_version(version_id, is_applied) VALUES (0, 1), (1, 1);
        """
}
