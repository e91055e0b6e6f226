extension SchemaPrinter {
    /// Returns CREATE INDEX, without the final `;`.
    public func text(_ index: Index) -> String {
        let terms = index.terms.map { term in
            let value =
                switch term.value {
                case .column(let name): SQLName.printed(name)
                case .expression(let expression):
                    Self.needsParentheses(expression, term) ? "(\(expression))" : "\(expression)"
                }
            return value + (term.collation.map { " COLLATE " + SQLName.printed($0) } ?? "")
                + (term.isDescending ? " DESC" : "")
        }
        return (index.isUnique ? "CREATE UNIQUE INDEX " : "CREATE INDEX ") + SQLName.printed(index.name)
            + " ON " + SQLName.printed(index.table) + " (" + terms.joined(separator: ", ") + ")"
            + (index.condition.map { " WHERE \($0)" } ?? "")
    }

    /// Returns whether an expression needs parentheses: a single item would be a column's name, and a COLLATE
    /// could be the term's.
    private static func needsParentheses(_ expression: SQLFragment, _ term: Index.Term) -> Bool {
        let items = expression.items
        return items.count < 2 || items[0] == .symbol("(") || term.collation != nil
            || items.contains(.keyword("collate")) || items.last == .word("asc")
            || items.last == .word("desc")
    }

    /// Returns CREATE VIEW, without the final `;`.
    public func text(_ view: View) -> String {
        "CREATE VIEW " + SQLName.printed(view.name)
            + (view.columns.map { " (" + SQLName.list($0) + ")" } ?? "") + " AS\n"
            + view.query.text(breaking: "")
    }

    /// Returns CREATE TRIGGER, without the final `;`.
    public func text(_ trigger: Trigger) -> String {
        let event =
            switch trigger.event {
            case .delete: "DELETE"
            case .insert: "INSERT"
            case .update(of: let columns):
                columns.isEmpty ? "UPDATE" : "UPDATE OF " + SQLName.list(columns)
            }
        let head =
            "CREATE TRIGGER " + SQLName.printed(trigger.name) + " \(trigger.timing.rawValue) \(event) ON "
            + SQLName.printed(trigger.table) + (trigger.condition.map { "\nWHEN \($0)" } ?? "")
        let body = trigger.body.map { "    " + $0.text(breaking: "    ") + ";\n" }
        return head + "\nBEGIN\n" + body.joined() + "END"
    }

    /// Returns CREATE VIRTUAL TABLE, without the final `;`.
    public func text(_ table: VirtualTable) -> String {
        "CREATE VIRTUAL TABLE " + SQLName.printed(table.name) + " USING " + SQLName.printed(table.module)
            + (table.arguments.isEmpty
                ? "" : "(" + table.arguments.map(\.text).joined(separator: ", ") + ")")
    }
}
