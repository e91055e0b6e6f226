extension VirtualTable {
    public var isFullText: Bool { ["fts3", "fts4", "fts5"].contains(module.foldedASCII) }

    /// What stands behind `content=`, unquoted; nil where the table keeps its own text.
    public var content: String? {
        arguments.lazy.compactMap { argument -> String? in
            let parts = argument.text.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, parts[0].filter({ $0 != " " }).foldedASCII == "content" else {
                return nil
            }
            return parts[1].filter { !" '\"".contains($0) }
        }.first
    }

    /// The text is in this table and nowhere else, as far as its definition tells.
    public var holdsText: Bool { isFullText && content == nil }

    /// The text is in another table (https://www.sqlite.org/fts5.html#external_content_tables).
    public var isExternalContent: Bool { content?.isEmpty == false }
}
