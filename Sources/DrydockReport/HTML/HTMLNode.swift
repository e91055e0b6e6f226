import Drydock
import SQLiteSchema

/// A piece of a page. Names of elements and attributes are literals of this program, and everything else is escaped when
/// it is written, so that no name or value of a database can become markup.
///
///     HTMLNode.element("p", ["class": "label"], ["table ", .text(name)])
indirect enum HTMLNode: Sendable {
    /// Text on one line. Characters that do not show, line breaks among them, are spelled out.
    case text(String)
    /// Text that keeps its line breaks, for `pre`.
    case lines(String)
    case element(StaticString, KeyValuePairs<StaticString, String?> = [:], [HTMLNode] = [])
    /// A style sheet or a script of this program.
    case source(StaticString, String)
    case group([HTMLNode])

    /// The elements that have no end tag.
    private static let void: Set<String> = ["meta", "link", "input", "br"]

    /// Writes the page as HTML that is also well-formed XML.
    func write(to text: inout String) {
        switch self {
        case .text(let content): text += Self.escaped(VisibleText.line(content), isText: true)
        case .lines(let content): text += Self.escaped(VisibleText.lines(content), isText: true)
        case .group(let nodes): for node in nodes { node.write(to: &text) }
        case .source(let name, let content): text += "<\(name)>\(content)</\(name)>"
        case .element(let name, let attributes, let children):
            text += "<\(name)"
            for (key, value) in attributes {
                if let value { text += " \(key)=\"\(Self.escaped(VisibleText.line(value)))\"" }
            }
            if Self.void.contains("\(name)") {
                text += "/>"
                return
            }
            text += ">"
            for child in children { child.write(to: &text) }
            text += "</\(name)>"
        }
    }

    /// A line break too is escaped, so that no line of the page begins with what a database says: a log of CI would take
    /// `::error` there for a command, and `##[` anywhere.
    /// - Parameter isText: whether it may stand next to another text. In an attribute, `#` begins a link.
    private static func escaped(_ visible: String, isText: Bool = false) -> String {
        guard visible.utf8.contains(where: isSpecial) else { return visible }
        var text = ""
        var previous: Unicode.Scalar = " "
        for scalar in visible.unicodeScalars {
            defer { previous = scalar }
            switch scalar {
            case "#" where isText || previous == "#": text += "&#35;"
            case "&": text += "&amp;"
            case "<": text += "&lt;"
            case ">": text += "&gt;"
            case "\"": text += "&quot;"
            case "'": text += "&#39;"
            case "\n": text += "&#10;"
            // Not characters of XML.
            case "\u{FFFE}", "\u{FFFF}": text += "\u{FFFD}"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }

    private static func isSpecial(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "&"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\""), UInt8(ascii: "'"),
            UInt8(ascii: "\n"), UInt8(ascii: "#"), 0xEF:
            true
        default: false
        }
    }
}

extension HTMLNode: ExpressibleByStringInterpolation {
    init(stringLiteral text: String) { self = .text(text) }

    static let nothing = HTMLNode.group([])

    /// Words in a class of the style sheet.
    static func span(_ style: String, _ text: String) -> HTMLNode {
        .element("span", ["class": style], [.text(text)])
    }
}
