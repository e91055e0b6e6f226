import Drydock
import SQLiteSchema

/// Renders a report in the Test Anything Protocol, version 13 (https://testanything.org/tap-version-13-specification.html),
/// which every harness reads: a line for each step and rule, and below what failed or warns the finding as YAML.
package struct TAPRenderer: ReportRenderer {
    package let name = "tap"
    package let isForPeople = true

    package init() {}

    package func render(_ report: Report, _ options: RenderOptions) -> String {
        let suites = CheckSuite.suites(of: report)
        var text = "TAP version 13\n1..\(suites.reduce(0) { $0 + $1.cases.count })\n"
        var number = 0
        for suite in suites {
            for test in suite.cases {
                number += 1
                text += line(test, number, in: suite) + diagnostics(test, options)
            }
        }
        return text
    }

    package func renderFailure(_ error: RequestError, of command: String, _ options: RenderOptions) -> String?
    {
        "TAP version 13\nBail out! \(VisibleText.line(error.description))\n"
    }

    private func line(_ test: CheckCase, _ number: Int, in suite: CheckSuite) -> String {
        let title = "\(number) - " + escaped(suite.name + ": " + test.name)
        return switch test.outcome {
        case .passed: "ok \(title)\n"
        case .failed: "not ok \(title)\n"
        case .skipped(let reason): "ok \(title) # SKIP \(VisibleText.line(reason))\n"
        }
    }

    /// Escapes the character that begins a directive.
    private func escaped(_ text: String) -> String {
        VisibleText.line(text).replacing("\\", with: "\\\\").replacing("#", with: "\\#")
    }

    /// Returns a YAML document with what was found.
    private func diagnostics(_ test: CheckCase, _ options: RenderOptions) -> String {
        guard let (first, message) = test.first(options) else { return "" }
        var text = "  ---\n  severity: \(first.severity.rawValue)\n  rule: \(first.rule.rawValue)\n"
        text += "  message: \(quoted(message))\n"
        if let place = first.place {
            text += "  file: \(quoted(place.file))\n"
            if let line = place.line { text += "  line: \(line)\n" }
        }
        if test.outcome == .passed, test.seconds > 0 { text += "  seconds: \(test.seconds)\n" }
        let lines = test.blocks(options.plain).joined().split(separator: "\n")
        text += "  detail: |\n"
        // A bar keeps each line from beginning a command, and from ending the document.
        for line in lines { text += "    | \(VisibleText.line(String(line)))\n" }
        return text + "  ...\n"
    }

    /// Returns a scalar in double quotes.
    private func quoted(_ text: String) -> String {
        let plain = VisibleText.line(text)
        return "\"" + plain.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }
}
