import SQLiteSchema

/// `drops constraint KIND (...) of TABLE`.
extension DeclarationParser {
    static let constraintForms = [
        "drops constraint unique (COLUMN, ...) of TABLE", "drops constraint check (CONDITION) of TABLE",
        "drops constraint not null (COLUMN) of TABLE", "drops constraint collate (COLUMN) of TABLE",
        "drops constraint foreign key (COLUMN, ...) of TABLE", "drops constraint primary key of TABLE",
        "drops constraint strict of TABLE",
    ]

    static func parseConstraint(_ reader: inout WordReader) throws(Fault) -> Declaration.Kind {
        let kind = try constraintKind(&reader)
        let form = constraintForms.first { $0.hasPrefix("drops constraint \(kind.rawValue) ") } ?? ""
        var constraint = DeclaredConstraint(kind)
        if let text = try reader.parenthesized(form) {
            switch kind {
            case .check: constraint.condition = text
            case .strict: throw Fault(message: "STRICT applies to the whole table", form: form)
            default:
                var list = WordReader(text)
                constraint.columns = try list.names(form)
            }
        }
        try reader.expect("of", form)
        return .dropsConstraint(constraint, table: try reader.plainName(form))
    }

    private static func constraintKind(_ reader: inout WordReader) throws(Fault) -> TableConstraint.Kind {
        let first = reader.word() ?? ""
        let kind = TableConstraint.Kind.allCases.first { $0.rawValue.prefix { $0 != " " } == first }
        guard let kind else {
            throw Fault(
                message: first.isEmpty
                    ? "no kind of constraint follows 'drops constraint'"
                    : "'\(first)' is not a kind of constraint",
                form: constraintForms.joined(separator: "  |  "))
        }
        for word in kind.rawValue.split(separator: " ").dropFirst() {
            try reader.expect(
                String(word),
                constraintForms.first { $0.hasPrefix("drops constraint \(kind.rawValue) ") } ?? "")
        }
        return kind
    }
}

extension WordReader {
    /// Reads a comma-separated list of names, to the end.
    mutating func names(_ form: String) throws(DeclarationParser.Fault) -> [String] {
        var result = [try part(form)]
        while skip(",") { result.append(try part(form)) }
        try expectEnd(form)
        return result
    }
}
