import Drydock
import Foundation
import SQLiteSchema

/// Renders a report as JUnit XML, which most services of continuous integration show as test results: a suite for each
/// snapshot, database or file, a case for each step and rule; of many databases a case for each check (``FleetSuite``). It
/// agrees with the schema of Ant's task (https://github.com/windyroad/JUnit-Schema) and with that of Jenkins (junit-10.xsd of
/// its xunit plugin).
package struct JUnitRenderer: ReportRenderer {
    package let name = "junit"

    package init() {}

    package func render(_ report: Report, _ options: RenderOptions) -> String {
        let suites = CheckSuite.suites(of: report)
        return document(
            suites.enumerated().map { suite($1, $0, report, options) }.joined(), report.command)
    }

    package func renderFailure(_ error: RequestError, of command: String, _ options: RenderOptions) -> String?
    {
        let text = error.description + (error.quote.isEmpty ? "" : "\n" + error.quote)
        let test = """
                <testcase name="\(Self.attribute(command))" classname="drydock.\(command)" time="0">
                  <error type="\(error.reason.rawValue)" message="\(Self.attribute(error.description))">\(Self.text(text))</error>
                </testcase>

            """
        let head = head(CheckSuite(name: "drydock \(command)"), 0, (1, 0, 1, 0), options.time, command)
        return document(head + "    <properties/>\n" + test + tail(""), command)
    }

    private func document(_ suites: String, _ command: String) -> String {
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n\(suites)</testsuites>\n"
    }

    private func suite(_ suite: CheckSuite, _ id: Int, _ report: Report, _ options: RenderOptions) -> String {
        let failures = suite.cases.count { $0.outcome == .failed }
        let skipped = suite.cases.count { if case .skipped = $0.outcome { true } else { false } }
        var text = head(suite, id, (suite.cases.count, failures, 0, skipped), options.time, report.command)
        let properties =
            [
                ("tool", "drydock"), ("command", report.command),
                ("verdict", report.hasPassed ? "passed" : "failed"),
            ] + (report.migrationFormat.map { [("migrationFormat", $0)] } ?? [])
            + report.readings.map { ("reading", $0.clause) } + suite.properties
        text += "    <properties>\n"
        for (name, value) in properties {
            text += "      <property name=\"\(Self.token(name))\" value=\"\(Self.attribute(value))\"/>\n"
        }
        text += "    </properties>\n"
        for test in suite.cases { text += self.test(test, in: suite, report, options) }
        let remarks = suite.cases.filter { $0.outcome == .passed }.flatMap { $0.blocks(options.plain) }
        return text + tail(remarks.joined(separator: "\n"))
    }

    /// - Parameter counts: tests, failures, errors and skipped ones.
    private func head(
        _ suite: CheckSuite, _ id: Int, _ counts: (Int, Int, Int, Int), _ time: Double?,
        _ command: String
    ) -> String {
        "  <testsuite name=\"\(Self.token(suite.name))\" package=\"drydock.\(command)\" id=\"\(id)\""
            + " timestamp=\"\(Self.timestamp(time))\" hostname=\"localhost\" tests=\"\(counts.0)\""
            + " failures=\"\(counts.1)\" errors=\"\(counts.2)\" skipped=\"\(counts.3)\""
            + " time=\"\(Self.seconds(suite.seconds))\">\n"
    }

    private func tail(_ output: String) -> String {
        "    <system-out>\(Self.text(output))</system-out>\n    <system-err/>\n  </testsuite>\n"
    }

    /// Returns the name of a class, in which a point ends the name of a package.
    private func className(_ suite: CheckSuite, _ report: Report) -> String {
        Self.token("drydock.\(report.command).\(suite.name.replacing(".", with: "_"))")
    }

    private func test(
        _ test: CheckCase, in suite: CheckSuite, _ report: Report, _ options: RenderOptions
    ) -> String {
        let head =
            "    <testcase name=\"\(Self.token(test.name))\" classname=\"\(className(suite, report))\""
            + " time=\"\(Self.seconds(test.seconds))\""
        switch test.outcome {
        case .passed: return head + "/>\n"
        case .skipped(let reason):
            return head + ">\n      <skipped message=\"\(Self.attribute(reason))\"/>\n    </testcase>\n"
        case .failed:
            let first = test.first(options)
            return head
                + ">\n      <failure type=\"\(first?.finding.rule.rawValue ?? "")\" message=\"\(Self.attribute(first?.line ?? ""))\">"
                + Self.text(test.blocks(options.plain).joined(separator: "\n"))
                + "</failure>\n    </testcase>\n"
        }
    }

    /// Returns a decimal fraction, without an exponent.
    private static func seconds(_ seconds: Double) -> String {
        String(format: "%.3f", locale: Locale(identifier: "en_US_POSIX"), max(0, min(seconds, 1e9)))
    }

    /// Returns the time in UTC, in the form that the schema wants; a report that knows no time began in 1970.
    private static func timestamp(_ time: Double?) -> String {
        var text = Date(timeIntervalSince1970: (time ?? 0).rounded(.down)).ISO8601Format()
        if text.hasSuffix("Z") { text.removeLast() }
        return text
    }

    /// Returns a name that is not empty, without white space at its ends: readers take that away.
    private static func token(_ name: String) -> String {
        let text = attribute(name)
        return text.isEmpty ? "-" : text
    }

    /// Returns the text of an attribute, on one line.
    private static func attribute(_ text: String) -> String { escaped(VisibleText.line(text)) }

    /// Returns the text of an element.
    private static func text(_ text: String) -> String { escaped(VisibleText.lines(text)) }

    /// Escapes what is markup, what XML 1.0 has no way to write (https://www.w3.org/TR/xml/#charsets), and what the log of
    /// a continuous integration would take for a command.
    private static func escaped(_ text: String) -> String {
        var result = ""
        var last: Unicode.Scalar = " "
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case ":" where last == ":": result += "&#58;"
            case "#" where last == "#": result += "&#35;"
            case "\u{fffe}", "\u{ffff}": result += VisibleText.spelling(scalar)
            default: result.unicodeScalars.append(scalar)
            }
            last = scalar
        }
        return result
    }
}
