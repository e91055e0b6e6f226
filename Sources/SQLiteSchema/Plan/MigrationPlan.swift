/// SQL that takes one schema to another, step by step, with what it does to the rows.
public struct MigrationPlan: Sendable, Hashable {
    public struct Step: Sendable, Hashable {
        /// What the step is for, on one line.
        public var explanation: String
        /// Declarations that must stand with it, without `drydock:`.
        public var declarations: [String] = []
        /// Statements without their final `;`.
        public var statements: [String]

        public init(_ explanation: String, declarations: [String] = [], _ statements: [String]) {
            self.explanation = explanation
            self.declarations = declarations
            self.statements = statements
        }
    }

    /// What its reader must know first, a line each, such as what was taken for a rename.
    public var notes: [String] = []
    public var steps: [Step] = []
    /// What is lost when the plan runs, a line each; such a plan needs its user's leave.
    public var losses: [String] = []
    /// What differs and no migration can change, such as the page size.
    public var leftOver: [String] = []
    /// Tables whose DROP TABLE deletes the rows that reference them, or fails, where foreign keys are enforced
    /// (https://www.sqlite.org/foreignkeys.html#fk_schemacommands).
    public var referencedDrops: [String] = []

    public var isEmpty: Bool { steps.isEmpty }

    /// The plan as a migration file.
    public var text: String { text(foreignKeysAreOff: false) }

    /// The plan as a migration file.
    /// - Parameter foreignKeysAreOff: whether what runs it turns foreign keys off and checks them at the end, so
    ///   that nobody must be told to.
    public func text(foreignKeysAreOff: Bool) -> String {
        // A comment ends where its line does, and a name may hold a line break.
        let head = (foreignKeysAreOff ? [] : caution) + notes
        let comments = head.isEmpty ? [] : [head.map { "-- \(VisibleText.line($0))\n" }.joined()]
        let parts = steps.map { step in
            let comments = [step.explanation] + step.declarations.map { "drydock: \($0)" }
            return (comments.map { "-- \(VisibleText.line($0))" } + step.statements.map { $0 + ";" })
                .joined(separator: "\n") + "\n"
        }
        return (comments + parts).joined(separator: "\n")
    }

    /// How the plan must be run, where that matters.
    public var caution: [String] {
        guard !referencedDrops.isEmpty else { return [] }
        return [
            "Run with PRAGMA foreign_keys = OFF in one transaction, then PRAGMA foreign_key_check:",
            "with foreign keys on, rows that reference \(referencedDrops.joined(separator: ", ")) would go or be in the way.",
        ]
    }
}
