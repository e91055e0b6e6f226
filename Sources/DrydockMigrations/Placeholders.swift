import SQLiteSchema

/// Text that an app, or Flyway, replaces before a migration runs.
///
/// A key that is a bare name replaces `${name}`, as in Flyway; any other key is replaced wherever it appears.
struct Placeholders {
    private let values: [(text: String, value: String)]
    private let isStrict: Bool

    init(_ values: [String: String], isStrict: Bool) {
        self.isStrict = isStrict
        self.values = values.map { key, value in
            let isName = key.wholeMatch(of: /[\w.:-]+/) != nil
            return (isName ? "${\(key)}" : key, value)
        }.sorted { ($0.text.count, $0.text) > ($1.text.count, $1.text) }
    }

    /// - Throws: ``FileProblem`` for a placeholder without a value: in SQL outside comments and strings, where SQLite
    ///   could not read it, or anywhere if the tool reads so.
    func filling(_ source: SQLSource) throws -> SQLSource {
        var text = String(decoding: source.bytes, as: UTF8.self)
        guard values.contains(where: { text.contains($0.text) }) || text.contains("${") else { return source }
        for (key, value) in values { text = text.replacing(key, with: value) }
        let filled = SQLSource(name: source.name, text)
        if let (name, offset) = open(in: filled, text) {
            throw FileProblem(
                "no value is given for the placeholder ${\(name)}",
                "Say in drydock.yml which value the tool or app substitutes:\n  placeholders:\n    \(name): …",
                line: filled.location(at: offset).line)
        }
        return filled
    }

    private func open(in source: SQLSource, _ text: String) -> (name: String, offset: Int)? {
        let matches = text.matches(of: /\$\{([^}\n]*)\}/)
        guard !matches.isEmpty else { return nil }
        let hidden = isStrict ? [] : source.tokens().filter { !$0.kind.isBare }.map(\.range)
        for match in matches {
            let offset = text.utf8.distance(from: text.startIndex, to: match.range.lowerBound)
            if !hidden.contains(where: { $0.contains(offset) }) { return (String(match.output.1), offset) }
        }
        return nil
    }
}

extension Token.Kind {
    /// Whether the token is plain SQL, neither quoted nor in a comment.
    fileprivate var isBare: Bool {
        switch self {
        case .lineComment, .blockComment, .string, .quotedIdentifier, .whitespace: false
        default: true
        }
    }
}
