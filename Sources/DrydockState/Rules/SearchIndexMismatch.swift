import DatabaseEngine
import DrydockFindings
import SQLiteSchema

/// A full-text index whose content table was renamed, or no longer has some of its columns: 'rebuild' fails, and only a
/// new definition helps (https://www.sqlite.org/fts5.html#external_content_tables).
package struct SearchIndexMismatch {
    private let index: VirtualTable
    /// The content table by its present name; nil where it is gone.
    private let content: String?
    /// Whether the content table has a new name.
    private let isRenamed: Bool
    private let missing: [String]
    /// The index's columns that still exist, by their present names.
    private let present: [String]
    /// The statement that creates the index again; nil where the present names of its columns are not known.
    private let text: String?
    private let triggers: [String]

    /// - Parameters:
    ///   - earlier: the columns of a table when the index was in order.
    ///   - renamed: returns the present name of a table from that time; nil if it is gone or not known.
    /// - Returns: nil where the content table has every column.
    package init?(
        _ index: VirtualTable, _ connection: any Connection, earlier: (String) -> [String],
        renamed: (String) -> String?
    ) throws {
        guard index.isFullText, let named = index.content, !named.isEmpty else { return nil }
        self.index = index
        func columns(_ table: String) throws -> [String] {
            try connection.rows("PRAGMA main.table_xinfo(\(quotedName(table)))") { $0.string(1) }
        }
        var content: String? = named
        var present = try columns(named)
        let isThere = !present.isEmpty
        if !isThere {
            content = renamed(named)
            present = try content.map(columns) ?? []
        }
        isRenamed = !isThere && !present.isEmpty
        if present.isEmpty { content = nil }
        self.content = content
        self.present = present
        let old = earlier(named)
        func isMissing(_ name: String) -> Bool { !present.contains { $0.foldedASCII == name.foldedASCII } }
        // ALTER TABLE keeps the positions of columns.
        func successor(_ name: String) -> String? {
            guard let place = old.firstIndex(where: { $0.foldedASCII == name.foldedASCII }),
                present.indices.contains(place),
                !old.contains(where: { $0.foldedASCII == present[place].foldedASCII })
            else { return nil }
            return present[place]
        }
        var (missing, arguments): ([String], [String]) = ([], [])
        for argument in index.arguments {
            guard let equals = argument.text.firstIndex(of: "=") else {
                let (name, options) = Self.column(argument.text)
                guard isMissing(name) else {
                    arguments.append(argument.text)
                    continue
                }
                missing.append(name)
                guard let now = successor(name) else { continue }
                arguments.append(quotedIfNeeded(now) + options)
                continue
            }
            let key = argument.text[..<equals].filter { $0 != " " }.foldedASCII
            let value = argument.text[argument.text.index(after: equals)...].filter { !" '\"".contains($0) }
            switch key {
            case "content": arguments.append("content=\(quotedText(content ?? named))")
            case "content_rowid" where isMissing(value) && value.foldedASCII != "rowid":
                missing.append(value)
                arguments.append("content_rowid=\(quotedText(successor(value) ?? "rowid"))")
            case "notindexed" where isMissing(value):
                if let now = successor(value) { arguments.append("notindexed=\(quotedIfNeeded(now))") }
            default: arguments.append(argument.text)
            }
        }
        guard !missing.isEmpty || !isThere else { return nil }
        self.missing = missing
        let name = quotedIfNeeded(index.name)
        text =
            old.isEmpty
            ? nil
            : """
            DROP TABLE \(name);
            CREATE VIRTUAL TABLE \(name) USING \(index.module)(\(arguments.joined(separator: ", ")));
            INSERT INTO \(name)(\(name)) VALUES('rebuild');
            """
        let mentioned = try connection.rows(
            "SELECT name, sql FROM main.sqlite_schema WHERE type = 'trigger' ORDER BY name"
        ) {
            ($0.string(0), $0.string(1))
        }
        triggers = mentioned.filter { _, sql in
            SQLSource(name: "", sql).statements().contains { $0.mentions(index.name) }
        }.map(\.0)
    }

    /// Splits the name of a column from its options, such as UNINDEXED.
    private static func column(_ argument: String) -> (name: String, options: String) {
        let source = SQLSource(name: "", argument)
        guard let token = source.statements().first?.tokens.first, let name = token.name(in: source) else {
            return (argument, "")
        }
        return (name, source.text(in: token.range.upperBound..<source.bytes.count))
    }

    /// Says what the index names and does not find.
    package var fact: String {
        guard let content else { return "its content table \(index.content ?? "") is gone" }
        let renaming = isRenamed ? ["its content table \(index.content ?? "") is now called \(content)"] : []
        let loss = missing.isEmpty ? [] : ["\(content) has no column \(missing.joined(separator: ", "))"]
        return (renaming + loss).joined(separator: ", and ")
    }

    /// No data is lost: the text is in the content table.
    package var help: String {
        let rest =
            triggers.isEmpty || missing.isEmpty
            ? ""
            : "\nAlso drop and recreate what keeps it up to date, with the new names: \(triggers.joined(separator: ", "))."
        guard content != nil else {
            return
                "Restore the name of its content table, recreate the index over another table, or drop the index as well."
        }
        guard let text else {
            return
                "Drop the index and recreate it with the columns that exist: \(present.joined(separator: ", "))."
                + rest
        }
        let obstacle = missing.isEmpty ? "reads a table by its old name" : "names columns that are gone"
        return
            "'rebuild' does not help, since the index \(obstacle). Recreate it; its text is in the content table:\n"
            + proposed(text) + rest
    }
}
