/// A printer of schemas as SQL: always the same text for the same schema, which reads back as the same
/// schema.
///
/// Objects are in the order of their folded names, each table followed by its indexes and triggers.
/// Constraints of one column are in its definition, in a fixed order, if they were written there. Words that
/// state the default (ASC, NO ACTION, NOT DEFERRABLE) are left out; an explicit ON CONFLICT ABORT is kept.
/// Names keep their author's spelling and are quoted only if they must be. In views and triggers a
/// double-quoted name that is not a column of a table in use keeps its quotes, since it may be a text.
public struct SchemaPrinter: Sendable {
    /// Whether the known settings are printed, as PRAGMAs.
    public var printsSettings: Bool

    public init(printsSettings: Bool = true) { self.printsSettings = printsSettings }

    /// Returns the whole schema, with a blank line between tables; empty for an empty schema.
    public func text(_ schema: Schema) -> String {
        var groups: [String] = []
        let pragmas = printsSettings ? statements(for: schema.settings) : []
        if !pragmas.isEmpty { groups.append(pragmas.joined(separator: "\n")) }
        var printed: Set<String> = []
        let indexes = Dictionary(grouping: sorted(schema.indexes)) { $0.table.foldedASCII }
        let triggers = Dictionary(grouping: sorted(schema.triggers)) { $0.table.foldedASCII }
        func add(_ name: String, _ statement: String) {
            printed.insert(name)
            let parts =
                [statement] + (indexes[name] ?? []).map(text) + (triggers[name] ?? []).map(text)
            groups.append(parts.map { $0 + ";" }.joined(separator: "\n"))
        }
        for table in sorted(schema.tables) { add(table.name.foldedASCII, text(table)) }
        for table in sorted(schema.virtualTables) { add(table.name.foldedASCII, text(table)) }
        let unparsed = sorted(schema.unparsed)
        for object in unparsed where object.type == "table" { add(object.name.foldedASCII, object.text) }
        for view in sorted(schema.views) { add(view.name.foldedASCII, text(view)) }
        for object in unparsed where object.type != "table" { add(object.name.foldedASCII, object.text) }
        // Indexes and triggers of tables that do not exist.
        for (name, indexes) in indexes.sorted(by: { $0.key < $1.key }) where !printed.contains(name) {
            groups.append(indexes.map { text($0) + ";" }.joined(separator: "\n"))
        }
        for (name, triggers) in triggers.sorted(by: { $0.key < $1.key }) where !printed.contains(name) {
            groups.append(triggers.map { text($0) + ";" }.joined(separator: "\n"))
        }
        return groups.map { $0 + "\n" }.joined(separator: "\n")
    }

    private func sorted<T>(_ objects: [String: T]) -> [T] {
        objects.sorted { $0.key < $1.key }.map(\.value)
    }

    /// Returns the PRAGMA statements for the settings; those of the file's layout first, since they only work
    /// on an empty database.
    public func statements(for settings: DatabaseSettings) -> [String] {
        var lines: [String] = []
        if let encoding = settings.encoding { lines.append("PRAGMA encoding = '\(encoding.rawValue)';") }
        if let size = settings.pageSize { lines.append("PRAGMA page_size = \(size);") }
        if let mode = settings.autoVacuum { lines.append("PRAGMA auto_vacuum = \(mode.rawValue);") }
        if let id = settings.applicationID { lines.append("PRAGMA application_id = \(id);") }
        if let version = settings.userVersion { lines.append("PRAGMA user_version = \(version);") }
        return lines
    }
}
