import SQLiteSchema

/// `foreign-key-without-index`: child columns that no index begins with
/// (https://www.sqlite.org/foreignkeys.html#fk_indexes).
struct ForeignKeyIndexRule: LintRule {
    let rule = Rule.foreignKeyWithoutIndex
    let severity: Finding.Severity? = .note
    let text = LintRuleText(
        summary: "a foreign key's columns have no index",
        detail: """
            With foreign keys on, every DELETE and key UPDATE of a parent row reads the whole child table, unless \
            an index begins with the key's columns.
            """,
        bad: "CREATE TABLE pet (id INTEGER PRIMARY KEY, owner_id INTEGER REFERENCES person(id));",
        good: """
            CREATE TABLE pet (id INTEGER PRIMARY KEY, owner_id INTEGER REFERENCES person(id));
            CREATE INDEX pet_on_owner_id ON pet(owner_id);
            """)

    func check(_ end: LintEnd) -> [LintFault] {
        end.schema.tables.values.sorted { $0.name < $1.name }.flatMap { table in
            table.foreignKeys.compactMap { key -> LintFault? in
                guard !Self.isCovered(key, table, end.schema) else { return nil }
                let columns = key.columns.map(quotedIfNeeded).joined(separator: ", ")
                let name = quotedIfNeeded("\(table.name)_on_\(key.columns.joined(separator: "_"))")
                return end.fault(
                    "table", table.name, nil,
                    "no index begins with \(columns): each row that goes from \(key.parent) reads all of \(table.name)",
                    help: "Make one:\n"
                        + proposed("CREATE INDEX \(name) ON \(quotedIfNeeded(table.name))(\(columns));"),
                    word: key.columns.first, table: table.name, column: key.columns.first)
            }
        }
    }

    /// Whether an index, or a key, begins with the columns of a foreign key.
    ///
    /// A parent's value is looked for by the collation of its column, and is never NULL.
    static func isCovered(_ key: ForeignKey, _ table: Table, _ schema: Schema) -> Bool {
        let folded = key.columns.map(\.foldedASCII)
        if let alias = table.rowidAlias, folded == [alias.name.foldedASCII] { return true }
        let parent = schema.table(key.parent)
        let collations = (schema.parentColumns(of: key) ?? []).map {
            parent?.column($0)?.collation ?? "BINARY"
        }
        let wanted = Dictionary(
            zip(folded, collations.map { $0.uppercased() }), uniquingKeysWith: { first, _ in first })
        func begins(_ terms: [(column: String, collation: String)]) -> Bool {
            let first = terms.prefix(folded.count)
            return Set(first.map(\.column)) == Set(folded)
                && first.allSatisfy { $0.collation == wanted[$0.column] ?? $0.collation }
        }
        let keys = table.uniques.map(\.terms) + [table.primaryKey?.terms].compactMap { $0 }
        if keys.contains(where: { begins($0.map { ($0.column.foldedASCII, table.collation(of: $0)) }) }) {
            return true
        }
        return schema.indexes(on: table.name).contains { index in
            let isWhole = index.condition.map { condition in
                NullCondition(condition)?.isAlwaysTrue { !$1 || !folded.contains($0) } ?? false
            }
            return isWhole ?? true
                && begins(
                    index.terms.map { term in
                        if case .column(let name) = term.value {
                            (name.foldedASCII, index.collation(of: term, in: table))
                        } else {
                            ("", "")
                        }
                    })
        }
    }
}
