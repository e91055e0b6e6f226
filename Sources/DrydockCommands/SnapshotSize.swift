import ArgumentParser
import DatabaseEngine
import Drydock
import DrydockReport
import SQLiteSchema

/// How large a compressed snapshot may become, such as `500MB`; `none` for no limit.
struct SnapshotSize: ExpressibleByArgument, Equatable {
    /// Nil for no limit.
    var bytes: Int?

    static let standard = SnapshotSize(bytes: CompressedFile.standardLimit)
    /// What a valid value is.
    static let expected = "a size such as 500MB or 16GB, or none"

    /// - Throws: `ValidationError` that says what a valid value is.
    static func parsed(_ argument: String) throws -> SnapshotSize {
        guard let limit = SnapshotSize(argument: argument) else {
            throw ValidationError("'\(argument)' is not \(expected)")
        }
        return limit
    }

    /// The limit as people write it.
    var text: String { byteText(bytes) }

    private init(bytes: Int?) { self.bytes = bytes }

    init?(argument: String) {
        guard argument != "none" else { return }
        guard let size = byteCount(argument), size > 0 else { return nil }
        bytes = size
    }
}
