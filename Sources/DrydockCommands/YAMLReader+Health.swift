import Drydock
import SQLiteSchema
import Yams

extension YAMLReader {
    private static let healthKeys = ["budget", "slice", "baseline", "without", "thresholds"]

    /// Reads the settings under `health:`.
    func health(_ node: Node) throws -> HealthConfig {
        var config = HealthConfig()
        for (key, value) in try mapping(node, "health") {
            let word = try string(key, "a key")
            switch word.foldedKey {
            case "budget":
                config.budget = try parsed(value, word, "a duration such as 5s or 2m", TimeLimit.init)
            case "slice": config.slice = try parsed(value, word, "a duration such as 250ms", TimeLimit.init)
            case "baseline": config.baseline = try string(value, word)
            case "without": config.without = try list(value).map { try check($0) }
            case "thresholds":
                for (name, range) in try mapping(value, word) {
                    config.thresholds[try check(name)] = try threshold(range)
                }
            default:
                let nearest = nearestName(to: word, in: Self.healthKeys)
                throw fault(
                    key,
                    "'\(word)' is no key of health"
                        + (nearest.map { "; did you mean '\($0)'?" }
                            ?? ", which are: \(Self.healthKeys.joined(separator: ", "))"))
            }
        }
        return config
    }

    private func check(_ node: Node) throws -> String {
        try parsed(node, "health", "a check: \(HealthChecks.names.joined(separator: ", "))") {
            HealthChecks.names.contains($0) ? $0 : nil
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
            case let other: throw fault(key, "'\(other)' is no key of a threshold: warning, critical")
            }
        }
        return threshold
    }

    private func range(_ node: Node) throws -> AlertRange {
        try parsed(node, "thresholds", "a range such as 10, 10:, ~:10 or 10:20", AlertRange.init)
    }
}
