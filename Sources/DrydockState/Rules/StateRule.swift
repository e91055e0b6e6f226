import DrydockFindings

/// The rules about a database, each in a separate file. This is the only place where they are registered.
package enum StateRules {
    /// The rules checked for every state. A fault of a state that the previous state did not have is a finding of the
    /// step between them.
    package static let all: [any StateRule] = [
        ForeignKeyRule(), SearchIndexRule(), ViewRule(), TableReadableRule(),
    ]
}

/// A rule about the state of a database.
package protocol StateRule: Sendable {
    var rule: Rule { get }
    /// - Throws: ``EngineError`` when the rule cannot be checked; it is then listed as not checked.
    func faults(in view: StateView) throws -> [Fault]
    /// Returns what the rule could not check in a state, each with its reason.
    func notChecked(in view: StateView) -> [NotChecked.Reason]
}

extension StateRule {
    package func notChecked(in view: StateView) -> [NotChecked.Reason] { [] }
}
