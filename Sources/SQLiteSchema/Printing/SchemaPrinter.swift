/// Prints a schema as SQL: always the same text for the same schema, and the same schema again when read.
///
/// Objects stand in the order of their folded names, a table's indexes and triggers behind it. Constraints
/// of one column stand in its definition, in one order, where they were written there. Words that say what
/// is so anyway (ASC, NO ACTION, NOT DEFERRABLE) are left out; an ON CONFLICT ABORT that somebody wrote
/// stays. Names keep the spelling of their author, quoted only where they must be; in views and triggers a
/// name in double quotes that no table in use has as a column keeps them, for it may be a text.
public struct SchemaPrinter: Sendable {
    /// Whether the settings that are known are printed, as PRAGMAs.
    public var printsSettings: Bool

    public init(printsSettings: Bool = true) { self.printsSettings = printsSettings }

    /// The whole schema, one blank line between tables; empty for an empty one.
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
        // Of tables that are not there.
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

    /// The PRAGMA statements that make the settings; those of the file's layout first, since they only work
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
