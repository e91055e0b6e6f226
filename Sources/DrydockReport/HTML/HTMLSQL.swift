import Drydock
import SQLiteSchema

/// SQL on a page: lines with their numbers, words in their colours, the line of the finding marked.
enum HTMLSQL {
    /// How many lines are shown around the one of the finding.
    private static let (before, after) = (4, 8)
    /// A statement with more lines, or a longer line, is cut.
    private static let (lineLimit, widthLimit) = (300, 400)

    /// Returns the statement that a finding is about.
    static func quote(_ place: Finding.Place) -> HTMLNode {
        var lines = (place.statement ?? place.lineText ?? "").split(
            separator: "\n", omittingEmptySubsequences: false
        ).prefix(lineLimit).map(String.init)
        while lines.last?.allSatisfy(\.isWhitespace) == true { lines.removeLast() }
        guard !lines.isEmpty else { return .nothing }
        var marked: Int?
        if let text = place.lineText, place.line != nil { marked = index(of: text, in: lines) }
        if marked == nil, let text = place.lineText, place.line != nil {
            // A line outside the statement, such as a comment.
            (lines, marked) = ([text], 0)
        }
        let first = place.line.map { $0 - (marked ?? 0) }
        let all = lines.enumerated().map { index, text in
            line(text, number: first.map { $0 + index }, isMarked: index == marked)
        }
        let start = max(0, (marked ?? 0) - before)
        let end = min(all.count, (marked ?? 0) + after)
        guard all.count > end - start + 2 else { return .element("pre", ["class": "sql"], all) }
        return .group([
            .element("pre", ["class": "sql"], Array(all[start..<end])),
            .element(
                "details", [:],
                [
                    .element("summary", [:], ["the whole statement, \(counted(all.count, "line"))"]),
                    .element("pre", ["class": "sql"], all),
                ]),
        ])
    }

    /// Returns SQL without line numbers.
    static func block(_ text: String) -> HTMLNode {
        .element("pre", [:], colored(text.replacing("\t", with: "    ").replacing("\r", with: "")))
    }

    private static func index(of text: String, in lines: [String]) -> Int? {
        lines.firstIndex(of: text)
            ?? (lines.first.map { !$0.isEmpty && text.contains($0) } == true ? 0 : nil)
            ?? (lines.last.map { !$0.isEmpty && text.hasPrefix($0) } == true ? lines.count - 1 : nil)
    }

    private static func line(_ text: String, number: Int?, isMarked: Bool) -> HTMLNode {
        var text = text.replacing("\t", with: "    ").replacing("\r", with: "")
        if text.count > widthLimit { text = text.prefix(widthLimit) + "…" }
        return .element(
            "span", ["class": isMarked ? "l here" : "l", "data-n": number.map(String.init)], colored(text))
    }

    private static func colored(_ text: String) -> [HTMLNode] {
        let source = SQLSource(name: "", text)
        var nodes: [HTMLNode] = []
        for token in source.tokens() {
            let word = token.text(in: source)
            switch token.kind {
            case .lineComment, .blockComment: nodes.append(.element("span", ["class": "c"], [.lines(word)]))
            case .string: nodes.append(.element("span", ["class": "s"], [.lines(word)]))
            case .word where words.contains(word.uppercased()): nodes.append(.span("k", word))
            default: nodes.append(.lines(word))
            }
        }
        return nodes
    }

    private static let words: Set<String> = Set(
        """
        ADD ALTER AND AS BEGIN BY CASE CHECK COLLATE COLUMN COMMIT CONSTRAINT CREATE DEFAULT DELETE DROP ELSE END EXISTS \
        FOREIGN FROM GROUP IF IN INDEX INSERT INTO IS JOIN KEY LEFT LIKE LIMIT NOT NULL ON OR ORDER PRAGMA PRIMARY \
        REFERENCES RENAME REPLACE ROLLBACK SELECT SET TABLE TEMP THEN TO TRIGGER UNION UNIQUE UPDATE USING VALUES VIEW \
        VIRTUAL WHEN WHERE WITH WITHOUT
        """.split(separator: " ").map(String.init))
}
