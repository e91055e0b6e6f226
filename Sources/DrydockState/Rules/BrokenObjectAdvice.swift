import DatabaseEngine
import DrydockFindings
import DrydockMigrations
import SQLiteSchema

/// What to do about a view or trigger that does not compile, by the cause that SQLite reports.
package struct BrokenObjectAdvice {
    let object: Catalog.Object
    /// The message of SQLite.
    let message: String
    let catalog: Catalog
    /// The schema in which the object may have compiled; nil where it is not known.
    let earlier: Catalog?
    /// Whether the object compiles with another statement.
    let compiles: (String) -> Bool

    package init(
        object: Catalog.Object, message: String, catalog: Catalog, earlier: Catalog?,
        compiles: @escaping (String) -> Bool = { _ in false }
    ) {
        (self.object, self.message, self.catalog, self.earlier) = (object, message, catalog, earlier)
        self.compiles = compiles
    }

    private var kind: String { object.kind.rawValue }
    private var label: String { "\(kind) \(quotedIfNeeded(object.name))" }

    /// Ends a sentence: with the statements that recreate the object, where a candidate compiles, otherwise with the
    /// definition that has to be rewritten. A DROP alone would lose the object.
    private func recreated(_ candidate: String? = nil) -> String {
        // A rename may have rewritten it for a table that is gone since.
        let former = earlier?.objects[.init(object.kind, object.name)]?.text
        let candidates = [candidate, former].compactMap(\.self).filter { $0 != object.text }
        guard let candidate = candidates.first(where: compiles) else {
            return ". It is now:\n" + proposed(object.text + ";")
        }
        // The triggers of a view go with it.
        let triggers = catalog.objects.values.filter { other in
            object.kind == .view && other.kind == .trigger
                && other.tableName.foldedASCII == object.name.foldedASCII
        }.sorted { $0.name < $1.name }
        let drop = "DROP \(kind.uppercased()) \(quotedIfNeeded(object.name));"
        let lines = [drop, candidate + ";"] + triggers.map { $0.text + ";" }
        return ":\n" + proposed(lines.joined(separator: "\n"))
    }

    package var help: String {
        if let name = SQLiteMessage.noSuchTable.rest(of: message) {
            return missingTable(name.split(separator: ".").last.map(String.init) ?? name)
        }
        if let name = SQLiteMessage.noSuchColumn.rest(of: message) { return missingColumn(name) }
        if let name = SQLiteMessage.ambiguousColumn.rest(of: message) { return ambiguous(name) }
        if let name = SQLiteMessage.noSuchFunction.rest(of: message) {
            return StandIn.function(name).text + "\nOtherwise recreate \(label) without \(name)()."
        }
        if SQLiteMessage.circularView.matches(message) {
            return "It reads itself, directly or through other views. Recreate it so that it reads a table"
                + recreated()
        }
        if SQLiteMessage.isWrongColumnList(message) {
            return
                "The column list after the view's name must have one name for each column of its SELECT. Recreate it with such "
                + "a list, or without one" + recreated()
        }
        return "Recreate it with SQL that compiles" + recreated()
    }

    // MARK: - Tables

    private func missingTable(_ name: String) -> String {
        let known =
            catalog.tables.values.map(\.name) + catalog.objects.values.filter { $0.kind == .view }.map(\.name)
        func reading(_ now: String) -> String {
            recreated(ObjectText(object).renaming(table: name, to: now))
        }
        guard wasThere(name) else {
            let near = nearestName(to: name, in: known.filter { $0.foldedASCII != name.foldedASCII }.sorted())
            return (near.map { "Did you mean '\($0)'? " } ?? "")
                + "Create \(quotedIfNeeded(name)), or recreate the \(kind) with a table that exists"
                + (near.map(reading) ?? recreated())
        }
        if let now = successor(of: name) {
            return
                "\(quotedIfNeeded(name)) is gone, and \(quotedIfNeeded(now)) is new and has its columns: recreate the \(kind) "
                + "after the change, to read \(quotedIfNeeded(now))" + reading(now)
        }
        return
            "\(quotedIfNeeded(name)) is gone. If the \(kind) is still needed, recreate it after the change without "
            + quotedIfNeeded(name) + recreated()
    }

    private func wasThere(_ name: String) -> Bool {
        guard let earlier else { return false }
        return earlier.table(name) != nil || earlier.objects[.init(.view, name)] != nil
    }

    /// Returns a new table that has every column of a table that is gone.
    private func successor(of name: String) -> String? {
        guard let old = earlier?.table(name) else { return nil }
        return catalog.tables.values.sorted { $0.name < $1.name }.first { table in
            earlier?.table(table.name) == nil && old.columns.allSatisfy { table.column($0.name) != nil }
        }?.name
    }

    // MARK: - Columns

    private func missingColumn(_ text: String) -> String {
        // As in `n.a`, or `"a" - should this be a string literal in single-quotes?`.
        let word = text.hasPrefix("\"") ? String(text.dropFirst().prefix { $0 != "\"" }) : text
        let parts = word.split(separator: ".").map(String.init)
        let name = parts.last ?? word
        for old in earlierTables where old.column(name) != nil {
            guard let table = catalog.table(old.name), table.column(name) == nil else { continue }
            let place = "\(quotedIfNeeded(table.name)) has no column \(quotedIfNeeded(name)) any more"
            if let now = renamed(name, old, table) {
                let text = ObjectText(object).renaming(
                    table: table.name, to: table.name, columns: [name.foldedASCII: now])
                return
                    "\(place); \(quotedIfNeeded(now)) takes its place. Recreate the \(kind) after the change with "
                    + "\(quotedIfNeeded(now)), in a view with AS \(quotedIfNeeded(name)) to keep the name that the app reads"
                    + recreated(object.kind == .trigger ? text : nil)
            }
            return "\(place). Recreate the \(kind) after the change without the column" + recreated()
        }
        let near = nearestName(
            to: name,
            in: tables.flatMap { $0.columns.map(\.name) }.filter { $0.foldedASCII != name.foldedASCII })
        return (near.map { "Did you mean '\($0)'? " } ?? "")
            + "Recreate the \(kind) with a column that exists" + recreated()
    }

    /// Returns a new column at the position of a column that is gone.
    private func renamed(_ column: String, _ old: Catalog.Table, _ new: Catalog.Table) -> String? {
        guard let place = old.columns.firstIndex(where: { $0.name.foldedASCII == column.foldedASCII }),
            old.columns.count == new.columns.count, old.column(new.columns[place].name) == nil
        else { return nil }
        return new.columns[place].name
    }

    private func ambiguous(_ name: String) -> String {
        let owners = tables.filter { $0.column(name) != nil }.map(\.name)
        let example = owners.first.map { "\(quotedIfNeeded($0)).\(quotedIfNeeded(name))" }
        return
            "\(owners.isEmpty ? "More than one of its tables" : listed(owners)) \(owners.count == 1 ? "has it more than once" : "have it"): recreate the \(kind) with the table before the column"
            + (example.map { ", as in \($0)" } ?? "") + recreated()
    }

    /// The tables that the statement names, and the table of a trigger.
    private var tables: [Catalog.Table] { named(in: catalog) }
    private var earlierTables: [Catalog.Table] { earlier.map(named) ?? [] }

    private func named(in catalog: Catalog) -> [Catalog.Table] {
        let words = SQLSource(name: "", object.text).statements().reduce(into: Set<String>()) {
            words, statement in
            words.formUnion(statement.tokens.compactMap { $0.name(in: statement.source)?.foldedASCII })
        }
        return catalog.tables.values.filter { words.contains($0.name.foldedASCII) }.sorted {
            $0.name < $1.name
        }
    }
}
