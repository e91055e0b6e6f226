import Foundation

/// Whether tests run their thousands, or the few that a build has time for.
enum Soak {
    static let isOn = ProcessInfo.processInfo.environment["DRYDOCK_SOAK"] == "1"

    /// How many rounds of a property.
    static func rounds(_ few: Int, _ many: Int) -> Int { isOn ? many : few }
}
