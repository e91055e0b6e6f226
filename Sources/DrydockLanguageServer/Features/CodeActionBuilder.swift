import Drydock
import SQLiteSchema

/// Makes quick fixes of findings: the rewrite that `drydock lint --fix` would make, the declarations that the help
/// proposes, and a comment that ignores the rule.
struct CodeActionBuilder {
    let encoding: PositionEncoding
    let document: OpenDocument
    let name: String
    let outcome: LintOutcome
    let diagnostics: DiagnosticBuilder
    /// Whether the client takes changes of a version of a document.
    let takesVersions: Bool

    /// Returns the actions for findings in a range.
    func actions(in range: TextRange) -> [JSONValue] {
        outcome.report.findings.filter { finding in
            finding.place?.file == name && diagnostics.range(of: finding, in: document.text).touches(range)
        }.flatMap(actions)
    }

    private func actions(for finding: Finding) -> [JSONValue] {
        var actions: [JSONValue] = []
        if let edits = rewrite(finding) {
            actions.append(action("Fix \(finding.rule.rawValue)", finding, edits, isPreferred: true))
        }
        for proposed in finding.advice.declarations where proposed.form == .comment {
            let words = VisibleText.line(proposed.words)
            if let edit = comment(words, above: finding) {
                actions.append(action("Declare it: \(words)", finding, [edit]))
            }
        }
        if Rule.ofLint.contains(finding.rule),
            let edit = comment("ignore \(finding.rule.rawValue) because REASON", above: finding)
        {
            actions.append(action("Ignore \(finding.rule.rawValue) here", finding, [edit]))
        }
        return actions
    }

    private func action(
        _ title: String, _ finding: Finding, _ edits: [JSONValue], isPreferred: Bool = false
    ) -> JSONValue {
        let change: JSONValue =
            takesVersions
            ? [
                "documentChanges": [
                    [
                        "textDocument": [
                            "uri": .string(document.uri), "version": .int(document.text.version),
                        ],
                        "edits": .array(edits),
                    ]
                ]
            ] : ["changes": .object([document.uri: .array(edits)])]
        return [
            "title": .string(title), "kind": "quickfix", "isPreferred": .bool(isPreferred), "edit": change,
            "diagnostics": [diagnostics.diagnostic(finding, in: document.text, outcome)],
        ]
    }

    /// Returns the edits of a finding's rewrite; nil if there is none, or the text is no longer what it was made for.
    private func rewrite(_ finding: Finding) -> [JSONValue]? {
        guard !finding.edits.isEmpty, finding.edits.allSatisfy({ $0.file == name }) else { return nil }
        var edits: [JSONValue] = []
        for edit in finding.edits {
            let start = document.text.offset(line: edit.line, column: edit.linePosition, countsMark: true)
            guard document.text.bytes[start...].starts(with: edit.replaced.utf8) else { return nil }
            let range = document.text.range(start..<start + edit.replaced.utf8.count, encoding)
            edits.append(["range": range.json, "newText": .string(edit.replacement)])
        }
        return edits
    }

    /// Returns the insertion of a `-- drydock:` comment on a line of its own before the statement of a finding.
    private func comment(_ words: String, above finding: Finding) -> JSONValue? {
        guard let statement = statement(of: finding) else { return nil }
        let bytes = document.text.bytes
        let start = statement.range.lowerBound
        let lineStart = bytes[..<start].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        let indent = bytes[lineStart..<start]
        let ending = document.text.lineEnding
        let line = "-- drydock: \(words)\(ending)"
        let hasLine = indent.allSatisfy { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        // Behind another statement, or a byte order mark.
        let isFirst = lineStart == 0 && indent.elementsEqual([0xEF, 0xBB, 0xBF])
        let text =
            hasLine
            ? line + String(decoding: indent, as: UTF8.self) : isFirst ? line : ending + line
        let position = document.text.position(of: start, encoding)
        return ["range": TextRange(start: position, end: position).json, "newText": .string(text)]
    }

    private func statement(of finding: Finding) -> SQLStatement? {
        let offset = DiagnosticBuilder.bytes(of: finding, in: document.text).lowerBound
        let migration = outcome.migrations.first { $0.path == name }
        return migration?.statements.last {
            $0.source.bytes == document.text.bytes && $0.range.lowerBound <= offset
                && offset <= $0.range.upperBound
        }
    }
}
