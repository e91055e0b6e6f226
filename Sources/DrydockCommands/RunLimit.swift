import ArgumentParser
import DatabaseEngine
import Drydock
import DrydockReport
import SQLiteSchema

/// A duration, or `none` for no limit.
struct RunLimit: ExpressibleByArgument, Equatable {
    /// Nil for no limit.
    var duration: Duration?

    static let standard = RunLimit(.seconds(600))

    init(_ duration: Duration?) { self.duration = duration }

    init?(argument: String) {
        guard argument != "none" else { return }
        guard let limit = TimeLimit(argument: argument) else { return nil }
        duration = limit.duration
    }

    /// The limit as people write it.
    var text: String { duration?.written ?? "none" }
}
