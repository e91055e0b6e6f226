import Drydock
import Foundation
import SQLiteSchema
import Testing
import TestTools

@testable import DrydockReport

#if canImport(FoundationXML)
import FoundationXML
#endif

/// Hostile texts in every place of a report, in the formats of all registered renderers: some of the pairs with each commit,
/// all with `make soak`.
@Suite struct HostileReportTests {
    private static let options = [
        RenderOptions(isVerbose: true), RenderOptions(redacts: true), RenderOptions(isQuiet: true),
    ]

    @Test(arguments: few(120, of: pairs(ReportRenderers.ofHealth.map(\.name), HostileReport.texts)))
    func nothingIsTakenForSomethingElse(_ format: String, _ text: String) throws {
        let renderer = try #require(ReportRenderers.ofHealth.named(format))
        for (index, report) in HostileReport.reports(text).enumerated() {
            // The first report has all options, the others one each.
            for options in index == 0 ? Self.options : [Self.options[index % Self.options.count]] {
                try check(
                    renderer.render(report, options), format, "\(report.command) \(text.debugDescription)")
            }
        }
        let error = RequestError(.notFound, text, quote: text, file: text, line: 1)
        if let failure = renderer.renderFailure(error, of: "verify", RenderOptions()) {
            try check(failure, format, "failure \(text.debugDescription)")
        }
    }

    private func check(_ text: String, _ format: String, _ what: String) throws {
        let hidden = text.unicodeScalars.first { VisibleText.isHidden($0) && $0 != "\n" }
        #expect(hidden == nil, "\(format) \(what): \(hidden.debugDescription)")
        // Text for people is printed through one more check.
        let isForPeople = ReportRenderers.ofHealth.named(format)?.isForPeople == true
        for line in (isForPeople ? TerminalText.lines(text) : text).split(separator: "\n") {
            let start = line.drop { $0 == " " || $0 == "\t" }
            #expect(!start.hasPrefix("::") || format == "github", "\(format) \(what): \(line.prefix(200))")
        }
        // A label of Prometheus has no escape for it.
        let isLog = !["github", "prometheus"].contains(format) && !isForPeople
        #expect(!isLog || !text.contains("##[error]"), "\(format) \(what)")
        switch format {
        case "json", "gitlab", "sarif":
            #expect(throws: Never.self, "\(format) \(what)") {
                try JSONSerialization.jsonObject(with: Data(text.utf8))
            }
        case "junit": try XMLDocumentCheck.check(text, what)
        case "github": checkCommands(text, what)
        case "tap": checkTAP(text, what)
        case "markdown": checkMarkdown(text, what)
        default: break
        }
    }

    /// Each line is a command as the runner reads it, or text that it does not.
    private func checkCommands(_ text: String, _ what: String) {
        for line in text.split(separator: "\n") where line.hasPrefix("::") {
            let command = WorkflowCommand(line)
            #expect(command != nil, "\(what): \(line.prefix(200))")
            let known = ["file", "line", "col", "title"]
            #expect(
                command?.properties.keys.allSatisfy(known.contains) == true, "\(what): \(line.prefix(200))")
            #expect(["error", "warning", "notice"].contains(command?.name))
        }
        for line in text.split(separator: "\n") where !line.hasPrefix("::") {
            #expect(!line.drop { $0 == " " }.hasPrefix("::"), "\(what): \(line.prefix(200))")
        }
    }

    private func checkTAP(_ text: String, _ what: String) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        #expect(lines.first == "TAP version 13")
        var (tests, isYAML) = (0, false)
        for line in lines.dropFirst() {
            if line == "  ---" || line == "  ..." {
                isYAML = line == "  ---"
            } else if isYAML {
                #expect(line.hasPrefix("  "), "\(what): \(line.prefix(200))")
            } else if line.prefixMatch(of: #/(not )?ok [0-9]+ - /#) != nil {
                tests += 1
                let directives = line.replacing("\\\\", with: "").replacing("\\#", with: "").split(
                    separator: "#")
                #expect(directives.count < 2 || line.contains(" # SKIP "), "\(what): \(line.prefix(200))")
            } else {
                #expect(
                    line.hasPrefix("1..") || line.hasPrefix("Bail out! "), "\(what): \(line.prefix(200))")
            }
        }
        if !text.contains("\nBail out! ") { #expect(lines.dropFirst().first == "1..\(tests)", "\(what)") }
    }

    /// What is outside of fences holds no markup but the renderer's own.
    private func checkMarkdown(_ text: String, _ what: String) {
        #expect(text.utf8.count <= MarkdownRenderer.limit, "\(what)")
        var fence: Substring?
        let own = #/<\/?(details|summary|code)>|<!-- drydock:[a-z]+ -->/#
        let quoted = #/`[^`]*`/#
        for line in text.split(separator: "\n") {
            if let open = fence {
                if line == open { fence = nil }
                continue
            }
            if line.hasPrefix("```") {
                fence = line.prefix { $0 == "`" }
                continue
            }
            let plain = line.replacing(own, with: "").replacing(quoted, with: "")
            #expect(!plain.contains("<") && !plain.contains("`"), "\(what): \(line.prefix(300))")
            #expect(!plain.contains("[") && !plain.contains("://"), "\(what): \(line.prefix(300))")
            if line.hasPrefix("|") {
                let count = line.count { $0 == "|" }
                #expect(count == 5 || count == 7, "\(what): \(line.prefix(300))")
            }
        }
        #expect(fence == nil, "\(what): a fence is open")
        let (opened, closed) = (
            text.matches(of: #/<details>/#).count, text.matches(of: #/<\/details>/#).count
        )
        #expect(opened == closed || what.contains("</details>"), "\(what)")
    }
}

/// A workflow command, read as the runner of GitHub Actions reads it.
struct WorkflowCommand {
    var name: String
    var properties: [String: String] = [:]
    var message: String

    init?(_ line: Substring) {
        guard line.hasPrefix("::"), let end = line.dropFirst(2).firstRange(of: "::") else { return nil }
        let head = line[line.index(line.startIndex, offsetBy: 2)..<end.lowerBound]
        let parts = head.split(separator: " ", maxSplits: 1)
        guard let first = parts.first else { return nil }
        name = String(first)
        for property in (parts.count > 1 ? parts[1] : "").split(separator: ",") {
            guard let equals = property.firstIndex(of: "=") else { return nil }
            let value = property[property.index(after: equals)...]
            properties[String(property[..<equals])] = Self.text(
                value.replacing("%3A", with: ":").replacing("%2C", with: ","))
        }
        message = Self.text(line[end.upperBound...])
    }

    private static func text(_ value: some StringProtocol) -> String {
        String(value).replacing("%0D", with: "\r").replacing("%0A", with: "\n").replacing("%25", with: "%")
    }
}

/// Reads a document with Foundation's parser.
enum XMLDocumentCheck {
    static func check(_ text: String, _ what: String) throws {
        let reader = Reader()
        let parser = XMLParser(data: Data(text.utf8))
        parser.delegate = reader
        #expect(parser.parse(), "\(what): \(String(describing: parser.parserError))")
        let known: Set = [
            "testsuites", "testsuite", "properties", "property", "testcase", "failure", "error", "skipped",
            "system-out", "system-err",
        ]
        #expect(reader.names.isSubset(of: known), "\(what): \(reader.names)")
    }

    private final class Reader: NSObject, XMLParserDelegate {
        var names: Set<String> = []

        func parser(
            _ parser: XMLParser, didStartElement name: String, namespaceURI: String?,
            qualifiedName: String?, attributes: [String: String]
        ) { names.insert(name) }
    }
}
