import Drydock
import Yams

extension YAMLReader {
    /// `health: thresholds:`, the ranges of single checks.
    func thresholds(_ node: Node, _ key: String) throws -> [String: HealthThreshold] {
        var thresholds: [String: HealthThreshold] = [:]
        for (name, range) in try mapping(node, key) { thresholds[try check(name)] = try threshold(range) }
        return thresholds
    }

    /// The name of a check.
    func check(_ node: Node) throws -> String {
        try parsed(node, "health", "a check: \(HealthChecks.names.joined(separator: ", "))") {
            HealthChecks.fault(ofName: $0) == nil ? HealthChecks.identifier($0) : nil
        }
    }

    /// Reads a range for warnings, or `{warning: RANGE, critical: RANGE}`.
    private func threshold(_ node: Node) throws -> HealthThreshold {
        guard node.mapping != nil else { return HealthThreshold(warning: try range(node)) }
        var threshold = HealthThreshold()
        for (key, value) in try mapping(node, "thresholds") {
            switch try string(key, "a key") {
            case "warning": threshold.warning = try range(value)
            case "critical": threshold.critical = try range(value)
            case let other:
                throw fault(key, Self.unknown(other, in: "a threshold", ["warning", "critical"]))
            }
        }
        return threshold
    }

    private func range(_ node: Node) throws -> AlertRange {
        try parsed(node, "thresholds", "a range such as 10, 10:, ~:10 or 10:20", AlertRange.init)
    }
}
