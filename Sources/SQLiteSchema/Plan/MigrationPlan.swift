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

    public var steps: [Step] = []
    /// What is lost when the plan runs, a line each; such a plan needs its user's leave.
    public var losses: [String] = []
    /// What differs and no migration can change, such as the page size.
    public var leftOver: [String] = []

    public var isEmpty: Bool { steps.isEmpty }

    /// The plan as a migration file.
    public var text: String {
        steps.map { step in
            let comments = (["-- \(step.explanation)"] + step.declarations.map { "-- drydock: \($0)" })
            return (comments + step.statements.map { $0 + ";" }).joined(separator: "\n") + "\n"
        }.joined(separator: "\n")
    }
}

/// Which of SQLite's ALTER TABLE statements may be used, by the version that must run the plan
/// (https://www.sqlite.org/changes.html).
public struct AlterSupport: Sendable, Hashable {
    public var renamesColumns: Bool
    public var dropsColumns: Bool

    /// - Parameter version: as in `3.24`; the micro part is optional.
    /// - Returns: nil when it is no version of SQLite 3.
    public init?(version: String) {
        let parts = version.split(separator: ".", omittingEmptySubsequences: false).map { Int($0) }
        guard (2...3).contains(parts.count), parts[0] == 3, let minor = parts[1],
            parts.allSatisfy({ $0 != nil })
        else { return nil }
        renamesColumns = minor >= 25
        dropsColumns = minor >= 35
    }

    /// Everything that SQLite 3.35 and later have.
    public static let current = AlterSupport(renamesColumns: true, dropsColumns: true)

    /// ADD COLUMN and RENAME TO alone: what cannot be done with them is a rebuild.
    public static let oldest = AlterSupport(renamesColumns: false, dropsColumns: false)

    private init(renamesColumns: Bool, dropsColumns: Bool) {
        self.renamesColumns = renamesColumns
        self.dropsColumns = dropsColumns
    }
}
