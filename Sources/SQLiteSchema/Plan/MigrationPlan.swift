/// SQL that turns one schema into another, step by step, with its effects on the rows.
public struct MigrationPlan: Sendable, Hashable {
    public struct Step: Sendable, Hashable {
        /// The purpose of the step, on one line.
        public var explanation: String
        /// Declarations that the step needs, without `drydock:`.
        public var declarations: [String] = []
        /// Statements without their final `;`.
        public var statements: [String]

        public init(_ explanation: String, declarations: [String] = [], _ statements: [String]) {
            self.explanation = explanation
            self.declarations = declarations
            self.statements = statements
        }
    }

    /// What the reader must know first, one line each, such as a drop and an addition taken for a rename.
    public var notes: [String] = []
    public var steps: [Step] = []
    /// What is lost when the plan runs, one line each; such a plan needs the user's consent.
    public var losses: [String] = []
    /// Differences that no migration can remove, such as the page size.
    public var leftOver: [String] = []
    /// Tables for which DROP TABLE deletes the rows that reference them, or fails, if foreign keys are
    /// enforced (https://www.sqlite.org/foreignkeys.html#fk_schemacommands).
    public var referencedDrops: [String] = []

    public var isEmpty: Bool { steps.isEmpty }

    /// The plan as a migration file, with the ``caution``.
    public var text: String { text(foreignKeysAreOff: false) }

    /// Returns the plan as a migration file.
    /// - Parameter foreignKeysAreOff: whether the runner turns foreign keys off and checks them at the end,
    ///   so that the file needs no ``caution``.
    public func text(foreignKeysAreOff: Bool) -> String {
        // A comment ends at the end of its line, and a name may contain a line break.
        let head = (foreignKeysAreOff ? [] : caution) + notes
        let comments = head.isEmpty ? [] : [head.map { "-- \(VisibleText.line($0))\n" }.joined()]
        let parts = steps.map { step in
            let comments = [step.explanation] + step.declarations.map { "drydock: \($0)" }
            return (comments.map { "-- \(VisibleText.line($0))" } + step.statements.map { $0 + ";" })
                .joined(separator: "\n") + "\n"
        }
        return (comments + parts).joined(separator: "\n")
    }

    /// How the plan must be run, if that matters.
    public var caution: [String] {
        guard !referencedDrops.isEmpty else { return [] }
        return [
            "Run with PRAGMA foreign_keys = OFF in one transaction, then PRAGMA foreign_key_check:",
            "with foreign keys on, rows that reference \(referencedDrops.joined(separator: ", ")) would go or be in the way.",
        ]
    }
}
