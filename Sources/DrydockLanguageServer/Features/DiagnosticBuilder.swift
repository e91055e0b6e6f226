import Drydock
import SQLiteSchema

/// Makes LSP's diagnostics of findings.
struct DiagnosticBuilder {
    let encoding: PositionEncoding
    /// Returns the URI and the text of a file.
    let file: (String) -> (uri: String, text: TextDocument)?

    static let source: JSONValue = "drydock"

    /// Returns the diagnostic of a finding at its place in a text.
    func diagnostic(_ finding: Finding, in text: TextDocument, _ outcome: LintOutcome) -> JSONValue {
        var message = VisibleText.line(finding.message)
        if !finding.advice.isEmpty { message += "\n\n" + VisibleText.lines(finding.help) }
        var members: [String: JSONValue] = [
            "range": range(of: finding, in: text).json, "severity": .int(Self.severity(finding.severity)),
            "code": .string(finding.rule.rawValue), "source": Self.source, "message": .string(message),
        ]
        if let related = related(finding, outcome) { members["relatedInformation"] = [related] }
        return .object(members)
    }

    /// Returns a diagnostic at the beginning of a text, about something else than its content.
    func diagnostic(
        _ message: String, _ code: String, severity: Finding.Severity, line: Int? = nil, in text: TextDocument
    )
        -> JSONValue
    {
        let start = text.offset(line: line ?? 1, column: 1)
        return [
            "range": text.range(start..<text.lineEnd(after: start), encoding).json,
            "severity": .int(Self.severity(severity)), "code": .string(code), "source": Self.source,
            "message": .string(VisibleText.lines(message)),
        ]
    }

    static func severity(_ severity: Finding.Severity) -> Int {
        switch severity {
        case .error: 1
        case .warning: 2
        case .note: 3
        }
    }

    func range(of finding: Finding, in text: TextDocument) -> TextRange {
        text.range(Self.bytes(of: finding, in: text), encoding)
    }

    /// Returns the bytes that a finding points to: a statement, a token in it, a line, or the first line of the file.
    static func bytes(of finding: Finding, in text: TextDocument) -> Range<Int> {
        guard let place = finding.place, let line = place.line else {
            let start = text.offset(line: 1, column: 1)
            return start..<text.lineEnd(after: start)
        }
        let start = text.offset(line: line, column: place.column)
        guard place.column != nil else { return start..<text.lineEnd(after: start) }
        if let statement = place.statement, text.bytes[start...].starts(with: statement.utf8) {
            return start..<start + statement.utf8.count
        }
        let token = SQLSource(name: place.file, bytes: text.bytes).tokens().first { $0.range.contains(start) }
        guard let token, token.kind != .whitespace else { return start..<text.lineEnd(after: start) }
        return start..<token.range.upperBound
    }

    /// Returns where the finding's table is created, if that is another statement.
    private func related(_ finding: Finding, _ outcome: LintOutcome) -> JSONValue? {
        guard let table = finding.table, let statement = outcome.creations[table.foldedASCII],
            let location = location(of: statement, naming: table),
            statement.source.name != finding.place?.file || statement.text != finding.place?.statement
        else { return nil }
        return [
            "location": location,
            "message": .string("\(VisibleText.line(table)) is created here"),
        ]
    }

    /// Returns the place of a name in the statement that creates something of that name.
    func location(of statement: SQLStatement, naming name: String) -> JSONValue? {
        guard let (uri, text) = file(statement.source.name) else { return nil }
        let range = statement.token(named: name)?.range ?? statement.range
        // An editor does not count the byte order mark of a file.
        let mark = statement.source.bytes.count - text.bytes.count
        let shift = mark == 3 && statement.source.bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        return [
            "uri": .string(uri),
            "range": text.range((range.lowerBound - shift)..<(range.upperBound - shift), encoding).json,
        ]
    }
}

extension TextDocument {
    /// Returns the end of the line, without its ending.
    func lineEnd(after offset: Int) -> Int {
        bytes[min(offset, bytes.count)...].firstIndex { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
            ?? bytes.count
    }
}
