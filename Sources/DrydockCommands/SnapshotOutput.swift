import ArgumentParser
import DatabaseEngine
import Drydock
import Foundation

/// What the commands below `drydock snapshot` share.
enum SnapshotOutput {
    /// The usual seed of the rows.
    static let seed = Int(SubsetRequest(database: "", output: "").seed)

    static let formats = ["human", "json"]

    /// - Throws: `ValidationError` for a format that they do not print.
    static func check(_ format: String?) throws {
        guard let format, !formats.contains(format) else { return }
        throw ValidationError(
            "there is no format '\(format)'; choose one of: \(formats.joined(separator: ", "))")
    }

    /// The version of SQLite that runs.
    static var library: String { SQLiteLibrary.version }

    static var today: String { Date().formatted(.iso8601.year().month().day()) }

    /// Adds where a snapshot comes from to the lock, if there is one.
    /// - Returns: Notes on why it was not added: the snapshot is there all the same.
    static func record(_ origin: LockedOrigin, of snapshot: String, in lock: String) -> [String] {
        do {
            return try Lock.record(origin, of: snapshot, in: lock).map {
                ["\($0), so nothing records where the snapshot comes from"]
            } ?? []
        } catch {
            return ["\(lock) does not say where the snapshot comes from: \(error)"]
        }
    }
}
