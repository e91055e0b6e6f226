/// How many migrations and statements were read.
public struct LintSummary: Sendable {
    public var migrations: Int
    public var statements: Int
    /// The fixes that ``Linter/fix(_:)`` made; nil if none were requested.
    public var fixed: [LintFix]?

    public init(migrations: Int, statements: Int) {
        self.migrations = migrations
        self.statements = statements
    }
}

/// A finding that a rewrite fixed.
public struct LintFix: Sendable {
    public var rule: Rule
    public var migration: String?
    /// What was wrong.
    public var message: String
    /// Where it was written, and the line as it is now.
    public var place: Finding.Place

    public init(_ finding: Finding, place: Finding.Place) {
        rule = finding.rule
        migration = finding.migration
        message = finding.message
        self.place = place
    }
}
