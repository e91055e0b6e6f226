import DrydockFindings

/// The rules about a database, each in a file of its own. This is the one place where one is registered.
package enum StateRules {
    /// Checked for every state. A fault that a state has and the one before it had not is a finding of the step
    /// between them.
    package static let all: [any StateRule] = [
        ForeignKeyRule(), SearchIndexRule(), ViewRule(), TableReadableRule(),
    ]
}

/// A rule about what a database is.
package protocol StateRule: Sendable {
    var rule: Rule { get }
    /// - Throws: ``EngineError`` when the rule cannot be held; it is then listed as not checked.
    func faults(in view: StateView) throws -> [Fault]
    /// What the rule cannot say of a state, each with its reason.
    func notChecked(in view: StateView) -> [String]
}

extension StateRule {
    package func notChecked(in view: StateView) -> [String] { [] }
}
