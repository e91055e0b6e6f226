import Drydock
import SQLiteSchema

/// Makes the text that an editor shows beside a name.
struct HoverBuilder {
    let context: LintContext
    let offset: Int
    let encoding: PositionEncoding
    let text: TextDocument

    func hover() -> JSONValue {
        guard let name = NameAtCursor(context, offset: offset) else { return .null }
        let parts = name.meanings.map { meaning in
            switch meaning {
            case .object(let object): describe(object)
            case .column(let column, let table):
                Self.fence(table.column(column) ?? column) + "of table " + Self.code(table.name)
            }
        }
        let value = parts.joined(separator: "\n\n") + "\n\n" + when(name)
        return [
            "contents": ["kind": "markdown", "value": .string(value)],
            "range": text.range(name.token.range, encoding).json,
        ]
    }

    private func describe(_ object: LintContext.Object) -> String {
        // An index by which a table is found belongs to its schema.
        let indexes = (isBefore(object) ? context.before : context.after).filter {
            $0.type == "index" && object.type == "table" && $0.table.foldedASCII == object.name.foldedASCII
        }
        return Self.fence(([object] + indexes).map { $0.sql + ";" }.joined(separator: "\n"))
    }

    private func isBefore(_ object: LintContext.Object) -> Bool {
        context.before.contains { $0.type == object.type && $0.name == object.name }
    }

    private func when(_ name: NameAtCursor) -> String {
        let isThere = name.meanings.contains { meaning in
            switch meaning {
            case .object(let object), .column(_, let object): isBefore(object)
            }
        }
        return "\(isThere ? "Before" : "After") line \(context.statement.location.line) of "
            + Self.code(context.migration.identifier)
    }

    /// Returns SQL in a fence that none of its lines ends.
    private static func fence(_ sql: String) -> String {
        let text = VisibleText.lines(sql)
        var (longest, run) = (2, 0)
        for byte in text.utf8 {
            run = byte == UInt8(ascii: "`") ? run + 1 : 0
            longest = max(longest, run)
        }
        let marks = String(repeating: "`", count: longest + 1)
        return "\(marks)sql\n\(text)\n\(marks)\n"
    }

    private static func code(_ name: String) -> String {
        let line = VisibleText.line(name)
        return line.contains("`") ? "`` \(line) ``" : "`\(line)`"
    }
}
