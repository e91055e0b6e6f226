import Drydock
import SQLiteSchema
import Yams

extension YAMLReader {
    /// `lint: rules:`, what a project says of single rules.
    func severities(_ node: Node, _ key: String) throws -> [Rule: LintSeverity] {
        var severities: [Rule: LintSeverity] = [:]
        for (name, severity) in try mapping(node, key) {
            let text = try string(name, "a rule")
            let names = Rule.ofLint.map(\.rawValue)
            guard let rule = Rule(named: text), Rule.ofLint.contains(rule) else {
                throw fault(
                    name,
                    "'\(text)' is not a rule of drydock lint"
                        + (nearestName(to: text, in: names).map { "; did you mean '\($0)'?" }
                            ?? ", which are: \(names.joined(separator: ", "))"))
            }
            // YAML reads a bare `off` as false, as people do who write it.
            let isOff = severity.scalar?.string == "off" || severity.bool == false
            severities[rule] = isOff ? .off : try choice(severity, text)
        }
        return severities
    }
}
