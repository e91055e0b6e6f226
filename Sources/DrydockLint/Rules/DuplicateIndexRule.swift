import DrydockFindings
import DrydockState
import SQLiteSchema

/// `duplicate-index`: an index with exactly the same content as another index or a key.
struct DuplicateIndexRule: LintRule {
    let rule = Rule.duplicateIndex
    let severity: Finding.Severity? = .warning
    let text = LintRuleText(
        summary: "an index repeats another index or a key",
        detail: """
            It costs space, and time on every write, and serves no query. PRIMARY KEY and UNIQUE create an \
            index themselves, and an INTEGER PRIMARY KEY is the table's own order. Of two equal indexes, the \
            newer one is reported.
            """,
        bad: """
            CREATE TABLE account (id INTEGER PRIMARY KEY, email TEXT UNIQUE);
            CREATE INDEX account_on_email ON account(email);
            """)

    func check(_ end: LintEnd) -> [LintFault] {
        IndexCover.covers(in: end.schema).filter(\.isWhole).compactMap { cover in
            cover.fault(end) { name, other in
                "index \(name) repeats \(other)"
            } help: {
                "Drop it:\n" + proposed("DROP INDEX \(quotedIfNeeded($0));")
            }
        }
    }
}

extension IndexCover {
    /// Returns the fault at the statement that created the unnecessary index or, where that is not linted, at the one
    /// that makes it unnecessary.
    func fault(
        _ end: LintEnd, message: (_ name: String, _ other: String) -> String, help: (_ name: String) -> String
    ) -> LintFault? {
        let (name, table) = (index.name, index.table)
        if let found = end.fault(.index(name), nil, message(name, other), help: help(name), table: table) {
            return found
        }
        guard let newer = otherIndex else { return nil }
        // Of two equal indexes the newer one is not needed.
        if isWhole, newer.isUnique == index.isUnique {
            return end.fault(
                .index(newer.name), nil, message(newer.name, "index \(name)"), help: help(newer.name),
                table: table)
        }
        return end.fault(
            .index(newer.name), nil, message(name, other) + " from here on", help: help(name), table: table)
    }
}
