import Drydock

/// The error that is thrown in addition to the issues, so that a test runner that loses issues still fails the test.
public struct MigrationsNotVerified: Error, Sendable, CustomStringConvertible {
    /// The report with all findings.
    public let report: Report

    public var description: String {
        let errors = report.findings.filter { $0.severity == .error }
        let causes = errors.map { finding in
            finding.rule.rawValue + (finding.migration.map { " in \($0)" } ?? "")
        }
        var seen: Set<String> = []
        let list = causes.filter { seen.insert($0).inserted }.joined(separator: ", ")
        return "the migrations are not verified: \(list)"
    }
}
