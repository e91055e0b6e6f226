import DrydockFindings
import Foundation

/// Where runs that had no time for everything stopped, so that the next goes on from there.
struct HealthProgress: Sendable {
    /// A check, or the first of its tables that is still to be looked at.
    struct Place: Codable, Sendable, Equatable {
        var check: String
        /// Empty for the first table; nil for the check as a whole.
        var table: String?
        /// Where in that table, when part of it was looked at.
        var range: HealthRange.Place?
    }

    private struct File: Codable {
        var formatVersion = 1
        var places: [String: Place]
    }

    private(set) var places: [String: Place] = [:]

    init() {}

    /// - Throws: ``RequestError``; a file that is not there says to begin at the beginning.
    static func load(_ path: String) throws -> HealthProgress {
        guard FolderListing.exists(path) else { return HealthProgress() }
        var progress = HealthProgress()
        do {
            let bytes = try FolderListing.contents(of: path)
            progress.places = try JSONDecoder().decode(File.self, from: Data(bytes)).places
        } catch {
            throw RequestError("'\(path)' does not say where a run stopped: \(error); remove it")
        }
        return progress
    }

    func place(of database: String) -> Place? { places[FolderListing.realPath(database)] }

    /// What is known after a run; databases that were not asked keep their place.
    func after(_ databases: [DatabaseHealth]) -> HealthProgress {
        var result = self
        for health in databases where health.trouble == nil || !health.notReached.isEmpty {
            let missed = health.notReached.first { $0.reason.hasPrefix(HealthRun.timeIsOver) }
            let hasTables = missed.map { HealthChecks.named($0.check)?.isDivisible ?? false } ?? false
            result.places[FolderListing.realPath(health.path)] = missed.map {
                Place(
                    check: $0.check, table: $0.table ?? (hasTables ? "" : nil), range: $0.place)
            }
        }
        return result
    }

    /// - Throws: ``RequestError``.
    func write(to path: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        do {
            try AtomicFile.write(Array(encoder.encode(File(places: places))) + [10], to: path)
        } catch {
            throw RequestError("'\(path)' cannot be written: \(error)")
        }
    }
}
