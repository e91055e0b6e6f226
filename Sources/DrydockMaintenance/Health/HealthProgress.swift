import DrydockFiles
import DrydockFindings
import Foundation

/// Where runs without time for everything stopped, so that the next run continues from there.
struct HealthProgress: Sendable {
    /// A check, or the first of its tables that is still to be checked.
    struct Place: Codable, Sendable, Equatable {
        var check: String
        /// Empty for the first table; nil for the check as a whole.
        var table: String?
        /// Where in that table, if part of it was checked.
        var range: HealthRange.Place?
    }

    private struct File: Codable {
        var formatVersion = 1
        var places: [String: Place]
    }

    private(set) var places: [String: Place] = [:]

    init() {}

    /// - Throws: ``RequestError``. A file that does not exist means to start at the beginning.
    static func load(_ path: String) throws -> HealthProgress {
        guard FolderListing.exists(path) else { return HealthProgress() }
        if FolderListing.isFolder(path) || FolderListing.isSpecial(path) {
            throw RequestError(
                .settingInvalid, "'\(path)' is not a file; --continue takes the path of a file to write")
        }
        var progress = HealthProgress()
        do {
            let bytes = try FolderListing.contents(of: path)
            progress.places = try JSONDecoder().decode(File.self, from: Data(bytes)).places
        } catch {
            throw RequestError(
                .unreadable,
                "'\(path)' does not say where a run stopped: \(error); --continue takes the path of a new file, or of one from "
                    + "an earlier run")
        }
        return progress
    }

    func place(of database: String) -> Place? { places[FolderListing.realPath(database)] }

    /// Returns the progress after a run; databases that it did not check keep their place.
    func after(_ databases: [CheckedDatabase]) -> HealthProgress {
        var result = self
        for health in databases where health.trouble == nil || !health.notReached.isEmpty {
            let missed = health.notReached.first { $0.cause == .time }
            let hasTables = missed.map { HealthChecks.of($0.rule)?.isDivisible ?? false } ?? false
            result.places[FolderListing.realPath(health.path)] = missed.map {
                Place(
                    check: $0.rule.rawValue, table: $0.table ?? (hasTables ? "" : nil), range: $0.place)
            }
        }
        return result
    }

    /// - Throws: ``RequestError``.
    func write(to path: String) throws {
        do {
            try AtomicFile.write(jsonDocument(File(places: places)) + [10], to: path)
        } catch {
            throw RequestError(.notWritable, "'\(path)' cannot be written: \(error)")
        }
    }
}
