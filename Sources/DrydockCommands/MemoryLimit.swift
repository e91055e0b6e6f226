import ArgumentParser
import DatabaseEngine
import Drydock
import DrydockReport
import SQLiteSchema

/// A size of 16 MB or more as people write it: `512MB`, `4GB`, `4GiB`, or `none`.
struct MemoryLimit: ExpressibleByArgument, Equatable {
    /// Nil for no limit.
    var bytes: Int?

    static let standard = MemoryLimit(bytes: 2 << 30)
    /// With less memory SQLite cannot even open most databases.
    private static let least = 16 << 20
    /// What a valid value is.
    static let expected = "a size of at least 16MB, such as 512MB or 4GB, or none"

    /// - Throws: `ValidationError` that says what a valid value is.
    static func parsed(_ argument: String) throws -> MemoryLimit {
        guard let limit = MemoryLimit(argument: argument) else {
            throw ValidationError("'\(argument)' is not \(expected)")
        }
        return limit
    }

    /// The limit as people write it.
    var text: String { byteText(bytes) }

    private init(bytes: Int?) { self.bytes = bytes }

    init?(argument: String) {
        guard argument != "none" else { return }
        guard let size = byteCount(argument), size >= Self.least else { return nil }
        bytes = size
    }
}
