import Drydock
import SQLiteSchema

/// Text in GitHub's and GitLab's Markdown: it is shown as it is, and begins no markup, link, mention or command.
enum MarkdownText {
    /// Returns a sentence: its special characters as entities, which no parser takes for markup, and no name in it is
    /// mentioned or linked.
    static func prose(_ text: String) -> String {
        escaped(VisibleText.line(text), isCode: false)
    }

    /// Returns a name or a piece of code.
    static func code(_ text: String) -> String {
        let line = VisibleText.line(text)
        guard !line.isEmpty else { return "``" }
        // In a code span nothing else has a meaning; a table would divide it at a bar.
        let isPlain = !line.utf8.contains { $0 == UInt8(ascii: "`") || $0 == UInt8(ascii: "|") }
        guard isPlain, line.last != "\\", line.first != " ", line.last != " " else {
            return "<code>\(escaped(line, isCode: true))</code>"
        }
        return "`\(line)`"
    }

    /// Returns a name inside HTML, where Markdown's own marks are not read.
    static func html(_ text: String) -> String {
        "<code>\(escaped(VisibleText.line(text), isCode: true))</code>"
    }

    /// Returns lines of code in a fence that none of them ends.
    static func fence(_ text: String, _ language: String) -> String {
        let lines = TerminalText.lines(VisibleText.lines(text))
        let marks = String(repeating: "`", count: max(3, longestRun(of: "`", in: lines) + 1))
        return "\(marks)\(language)\n\(lines)\(lines.hasSuffix("\n") ? "" : "\n")\(marks)\n"
    }

    private static func escaped(_ text: String, isCode: Bool) -> String {
        var result = ""
        let scalars = Array(text.unicodeScalars)
        let isRule = scalars.allSatisfy { "-= ".unicodeScalars.contains($0) }
        for (index, scalar) in scalars.enumerated() {
            let next = index + 1 < scalars.count ? scalars[index + 1] : " "
            let last = index > 0 ? scalars[index - 1] : " "
            switch scalar {
            case "&", "<", ">", "|", "`", "*", "[", "]", "\\", "~", "!", "{", "}", "$":
                result += "&#\(scalar.value);"
            case "_" where !(last.isWord && next.isWord): result += "&#95;"
            // An empty character keeps people from being called and issues from being linked.
            case "@", "#": result += "&#\(scalar.value);" + (next.isWord && !isCode ? "&#8203;" : "")
            case ":" where next == "/" || next == ":" || last == ":": result += "&#58;"
            case "."
            where index > 2 && scalars[index - 3..<index].allSatisfy { "wW".unicodeScalars.contains($0) }:
                result += "&#46;"
            // A list, a heading or a rule at the start of a line.
            case "-" where index == 0 && (isRule || next == " "), "+" where index == 0 && next == " ",
                "=" where index == 0 && isRule:
                result += "&#\(scalar.value);"
            case ".", ")":
                let isNumber = index > 0 && scalars[..<index].allSatisfy { ("0"..."9").contains($0) }
                result += isNumber ? "&#\(scalar.value);" : String(scalar)
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    private static func longestRun(of character: Character, in text: String) -> Int {
        text.reduce(into: (run: 0, longest: 0)) { counts, next in
            counts.run = next == character ? counts.run + 1 : 0
            counts.longest = max(counts.longest, counts.run)
        }.longest
    }
}

extension Unicode.Scalar {
    fileprivate var isWord: Bool { properties.isAlphabetic || ("0"..."9").contains(self) }
}
