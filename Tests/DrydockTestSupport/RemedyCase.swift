import Drydock
import Testing

/// A migration that fails, the message about it, and the migration that follows the advice, which passes.
struct RemedyCase: Sendable, CustomTestStringConvertible {
    var name: String
    var schema: String
    var rows: String
    var step: String
    var rule: Rule
    /// The end of the message, without values of rows.
    var redacted: String?
    var message: String
    var help: String
    /// The line that is named; nil where that is tested elsewhere.
    var line: Int?
    /// Creates the corrected step from what the help proposes.
    var remedied: @Sendable (Finding) -> String

    init(
        _ name: String, schema: String, rows: String = "", _ step: String, rule: Rule = .migrationFailed,
        says message: String, redacted: String? = nil, help: String = "",
        line: Int? = nil, remedied: @escaping @Sendable (Finding) -> String
    ) {
        (self.name, self.schema, self.rows, self.step, self.rule) = (name, schema, rows, step, rule)
        (self.message, self.redacted, self.help, self.remedied) = (message, redacted, help, remedied)
        self.line = line
    }

    var testDescription: String { name }

    func check(_ configure: @Sendable (inout VerifyRequest) -> Void = { _ in }) async throws {
        let report = try await Scenario(schema, rows: rows, steps: step).verify { configure(&$0) }
        let finding = try #require(
            report.findings.first { $0.rule == rule && $0.severity == .error },
            "\(report.findings.map(\.line))")
        #expect(finding.message.hasSuffix(message), "\(finding.message)")
        #expect(!finding.message.contains("\n"))
        if let redacted {
            #expect(finding.sentence.withoutValues.hasSuffix(redacted), "\(finding.sentence.withoutValues)")
        }
        #expect(help.isEmpty || finding.help.contains(help), "\(finding.help)")
        if let line { #expect(finding.place?.line == line) }
        let better = remedied(finding)
        let second = try await Scenario(schema, rows: rows, steps: better).verify { configure(&$0) }
        #expect(
            second.rules(.error).isEmpty && second.rules(.warning).isEmpty,
            "\(better)\n\(second.findings.map(\.line))\n\(second.findings.map(\.help))")
    }
}

extension Finding {
    /// The SQL that the help proposes.
    var proposedSQL: String {
        indented.filter { !$0.hasPrefix("-- drydock:") }.joined(separator: "\n") + "\n"
    }

    /// The declarations that the help proposes.
    var proposedDeclarations: String {
        indented.filter { $0.hasPrefix("-- drydock:") }.joined(separator: "\n") + "\n"
    }

    private var indented: [String] {
        help.split(separator: "\n").filter { $0.hasPrefix("  ") }.map { String($0.dropFirst(2)) }
    }
}
