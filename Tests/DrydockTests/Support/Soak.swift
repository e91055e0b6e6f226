import Foundation

/// Whether tests run thousands of rounds, or the few that a build has time for.
enum Soak {
    static let isOn = ProcessInfo.processInfo.environment["DRYDOCK_SOAK"] == "1"

    /// Returns the number of rounds of a property test.
    static func rounds(_ few: Int, _ many: Int) -> Int { isOn ? many : few }
}
