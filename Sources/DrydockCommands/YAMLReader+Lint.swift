import Drydock
import SQLiteSchema
import Yams

extension YAMLReader {
    /// Reads `lint:`, the project's settings of single rules.
    func lint(_ node: Node) throws -> [Rule: LintSeverity] {
        var severities: [Rule: LintSeverity] = [:]
        for (key, value) in try mapping(node, "lint") {
            let word = try string(key, "a key")
            guard word == "rules" else { throw fault(key, "'\(word)' is no key of lint: rules") }
            for (name, severity) in try mapping(value, "rules") {
                let text = try string(name, "a rule")
                let names = Rule.ofLint.map(\.rawValue)
                guard let rule = Rule.ofLint.first(where: { $0.rawValue == text }) else {
                    throw fault(
                        name,
                        "'\(text)' is not a rule of drydock lint"
                            + (nearestName(to: text, in: names).map { "; did you mean '\($0)'?" }
                                ?? ", which are: \(names.joined(separator: ", "))"))
                }
                // YAML reads a bare `off` as false, which is what the user means.
                let isOff = severity.scalar?.string == "off" || severity.bool == false
                severities[rule] = isOff ? .off : try choice(severity, text)
            }
        }
        return severities
    }
}
