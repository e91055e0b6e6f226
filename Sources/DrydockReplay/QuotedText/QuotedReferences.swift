import DatabaseEngine
import DrydockFindings
import DrydockMigrations
import DrydockState
import OverlayVFS
import SQLiteSchema

/// Finds names in double quotes whose meaning a step changed: where SQLite accepts `"text"` as a string
/// (https://www.sqlite.org/quirks.html#dblquote), a column that is gone breaks nothing that names it, and a new column
/// takes the place of every string that is spelled like it.
///
/// Views, triggers, indexes and constraints go on with the other meaning, and nothing reports it. Those that contain
/// such a name are compiled in the state before the step and in that after it.
struct QuotedReferences {
    let before: DatabaseState
    let after: DatabaseState
    let inspector: StateInspector
    /// The new names of renamed tables, folded.
    var renamed: [String: String] = [:]
    /// How objects read their names until an earlier step took the column, or the object.
    var former: [Catalog.ObjectID: QuotedReadings] = [:]

    struct Change: Sendable {
        enum Reading: Sendable { case text, column }

        /// The object after the step.
        var object: Catalog.Object
        /// Folded.
        var name: String
        /// What SQLite reads now.
        var reading: Reading
        /// Whether the name is not in double quotes: it named something else before, such as the rowid.
        var isPlain = false
    }

    package struct Result: Sendable {
        var changes: [Change] = []
        var former: [Catalog.ObjectID: QuotedReadings] = [:]
    }

    func result() async throws -> Result {
        let (old, new) = (before.catalog.compilable, after.catalog.compilable)
        var result = Result(former: former)
        let lost = old.filter { id, object in
            new[id] == nil && renamed[id.name] == nil && !object.doublyQuotedNames.isEmpty
        }
        let (gone, added) = changedColumns
        let pairs = pairs(old, new, columns: gone.union(added))
        let captured = try await capturedNames(old, new)
        guard !lost.isEmpty || !pairs.isEmpty else {
            result.changes = captured
            return result
        }
        let earlier = try await readings(
            of: lost.map { ($0.value, nil) }
                + pairs.compactMap { pair in pair.before.map { ($0, pair.names) } }, in: before)
        for (id, readings) in zip(lost.keys, earlier) where readings != nil { result.former[id] = readings }
        let later = try await readings(of: pairs.map { ($0.after, $0.names) }, in: after)
        var known = earlier.dropFirst(lost.count)
        for (pair, later) in zip(pairs, later) {
            let remembered = former[pair.id]
            let earlier = pair.before == nil ? remembered : known.popFirst() ?? nil
            guard let earlier, let later else { continue }
            for name in pair.names.sorted() {
                // The object may have the name of a column again that it had before an earlier step.
                let isAgain =
                    !earlier.names.contains(name) && remembered?.becomesTextInPlace(name, in: later) ?? false
                if isAgain || earlier.becomesText(name, in: later, isGone: gone.contains(name)) {
                    result.changes.append(Change(object: pair.after, name: name, reading: .text))
                }
                if earlier.becomesName(name, in: later) {
                    result.changes.append(Change(object: pair.after, name: name, reading: .column))
                }
            }
            let taken = gone.intersection(earlier.names).subtracting(later.names)
            result.former[pair.id, default: QuotedReadings()].add(earlier, names: taken)
        }
        result.changes += captured.filter { change in
            !result.changes.contains { $0.object.name == change.object.name && $0.name == change.name }
        }
        return result
    }

    // MARK: - What to look at

    private struct Pair {
        var id: Catalog.ObjectID
        /// Nil for an object that was gone before the step.
        var before: Catalog.Object?
        var after: Catalog.Object
        var names: Set<String>
    }

    /// Returns the objects with names in double quotes whose meaning the step may have changed.
    private func pairs(
        _ old: [Catalog.ObjectID: Catalog.Object], _ new: [Catalog.ObjectID: Catalog.Object],
        columns: Set<String>
    ) -> [Pair] {
        let words = wordsOfChangedViews
        guard !columns.isEmpty || !words.isEmpty || !former.isEmpty else { return [] }
        let origins = Dictionary(renamed.map { ($1, $0) }, uniquingKeysWith: { a, _ in a })
        let (broken, brokenLater) = (before.brokenNames, after.brokenNames)
        return new.sorted { ($0.key.name, $0.key.kind.rawValue) < ($1.key.name, $1.key.kind.rawValue) }
            .compactMap { id, object -> Pair? in
                let isCode = id.kind == .view || id.kind == .trigger
                // An error is reported for it, or was before: a tool may do without the quirk.
                if isCode, brokenLater.contains(id.name) { return nil }
                if let known = former[id], old[id] == nil {
                    let names = object.doublyQuotedNames.intersection(known.names)
                    return Pair(id: id, before: nil, after: object, names: names)
                }
                let origin = id.kind == .table ? origins[id.name] ?? id.name : id.name
                guard let earlier = old[.init(id.kind, origin)] ?? old[id],
                    !isCode || !broken.contains(id.name)
                else { return nil }
                let own = object.doublyQuotedNames
                var names = own.union(earlier.doublyQuotedNames)
                    .intersection(isCode ? columns.union(words) : columns)
                if let known = former[id], earlier.text != object.text {
                    names.formUnion(own.intersection(known.names))
                }
                return names.isEmpty ? nil : Pair(id: id, before: earlier, after: object, names: names)
            }
    }

    /// The columns that a table had and no longer has, and those that a table has since, folded.
    private var changedColumns: (gone: Set<String>, added: Set<String>) {
        let gone = before.catalog.tables.reduce(into: Set<String>()) { gone, entry in
            let now = after.catalog.tables[entry.key] ?? after.catalog.tables[renamed[entry.key] ?? entry.key]
            guard now?.columns != entry.value.columns else { return }
            gone.formUnion(entry.value.names.subtracting(now?.names ?? []))
        }
        return (gone, Set(newColumns.map(\.name)))
    }

    /// The columns that a table has since the step. A table that is new as a whole is not what an older object reads.
    private var newColumns: [NewColumn] {
        let origins = Dictionary(renamed.map { ($1, $0) }, uniquingKeysWith: { a, _ in a })
        return after.catalog.tables.flatMap { name, table -> [NewColumn] in
            // The rows of a dropped table may be in one that was there before.
            guard table.module == nil,
                let old = before.catalog.tables[name] ?? origins[name].flatMap({ before.catalog.tables[$0] }),
                old.columns != table.columns
            else { return [] }
            return table.names.subtracting(old.names).map { NewColumn(table: table.name, name: $0) }
        }
    }

    /// The words of the views that the step created, changed or dropped, folded: other views may read their columns.
    private var wordsOfChangedViews: Set<String> {
        let (old, new) = (before.catalog.views, after.catalog.views)
        return Set(old.keys).union(new.keys).reduce(into: []) { words, id in
            guard old[id] != new[id] else { return }
            for text in [old[id], new[id]].compactMap(\.self) {
                for statement in SQLSource(name: "", text).statements() {
                    words.formUnion(
                        statement.tokens.compactMap { $0.name(in: statement.source)?.foldedASCII })
                }
            }
        }
    }

    /// Returns the names, in whatever quotes, of objects that are as they were and now mean a new column.
    private func capturedNames(
        _ old: [Catalog.ObjectID: Catalog.Object], _ new: [Catalog.ObjectID: Catalog.Object]
    ) async throws -> [Change] {
        let columns = newColumns
        guard !columns.isEmpty else { return [] }
        let (broken, brokenLater) = (before.brokenNames, after.brokenNames)
        let unchanged = new.filter { id, object in
            id.kind != .table && old[id]?.text == object.text && !broken.contains(id.name)
                && !brokenLater.contains(id.name)
        }
        let sought = columns.sorted { ($0.table, $0.name) < ($1.table, $1.name) }.compactMap { column in
            let readers = unchanged.values.filter { $0.mentions(column.name) }.sorted { $0.name < $1.name }
            return readers.isEmpty ? nil : (column, readers)
        }
        guard !sought.isEmpty else { return [] }
        return try await lenient.withConnection(to: after.image) { connection in
            try sought.flatMap { column, readers in
                let found = try column.readers(connection)
                return readers.filter { found.contains(.init($0.kind, $0.name)) }.map {
                    Change(object: $0, name: column.name, reading: .column, isPlain: true)
                }
            }
        }
    }

    // MARK: - Reading

    /// Indexes and constraints of a schema that is read have the quirk always.
    private var lenient: StateInspector {
        var lenient = inspector
        lenient.settings.doubleQuotedStrings = true
        return lenient
    }

    private func readings(
        of objects: [(Catalog.Object, Set<String>?)], in state: DatabaseState
    ) async throws -> [QuotedReadings?] {
        guard !objects.isEmpty else { return [] }
        let catalog = state.catalog
        return try await lenient.withConnection(to: state.image) { connection in
            let view = StateView(connection: connection, catalog: catalog)
            return try objects.map { try QuotedReadings($0, names: $1, in: view) }
        }
    }
}

/// A column that a table did not have before the step.
private struct NewColumn {
    var table: String
    /// Folded.
    var name: String

    /// Returns the objects that name the column: those whose text SQLite changes when the column is renamed on this
    /// fork (https://www.sqlite.org/lang_altertable.html#alter_table_rename_column).
    func readers(_ connection: any Connection) throws -> Set<Catalog.ObjectID> {
        func texts() throws -> [Catalog.ObjectID: String] {
            let rows = try connection.rows(
                "SELECT type, name, sql FROM main.sqlite_schema WHERE type IN ('index', 'trigger', 'view') AND sql IS NOT NULL"
            ) { ($0.string(0), $0.string(1), $0.string(2)) }
            return rows.reduce(into: [:]) { texts, row in
                if let kind = Catalog.Object.Kind(rawValue: row.0) { texts[.init(kind, row.1)] = row.2 }
            }
        }
        try connection.execute("SAVEPOINT drydock_readers")
        defer { try? connection.execute("ROLLBACK TO drydock_readers; RELEASE drydock_readers") }
        do {
            // The first renaming changes all texts to SQLite's own spelling.
            try connection.execute(renaming(name, to: "drydock_a"))
            let first = try texts()
            try connection.execute(renaming("drydock_a", to: "drydock_b"))
            return Set(try texts().filter { first[$0.key] != $0.value }.keys)
        } catch let error as EngineError where error.isStatementError {
            // SQLite renames nothing while a view or trigger does not compile, which is a fault of its own.
            return []
        }
    }

    private func renaming(_ old: String, to new: String) -> String {
        "ALTER TABLE main.\(quotedName(table)) RENAME COLUMN \(quotedName(old)) TO \(new)"
    }
}

extension Catalog.Object {
    /// Whether the statement has a name, in whatever quotes.
    fileprivate func mentions(_ name: String) -> Bool {
        text.foldedASCII.contains(name)
            && SQLSource(name: "", text).statements().contains { $0.mentions(name) }
    }
}

extension DatabaseState {
    /// The folded names of the views and triggers that do not compile.
    fileprivate var brokenNames: Set<String> {
        Set(faults.filter { $0.id.rule == .viewBroken }.flatMap(\.id.names))
    }
}

extension Catalog {
    /// Everything whose statement can name columns: views, triggers, indexes, and tables for their constraints.
    fileprivate var compilable: [ObjectID: Object] {
        tables.values.filter { $0.module == nil }.reduce(into: objects) { all, table in
            all[.init(.table, table.name)] = Object(table)
        }
    }

    fileprivate var views: [ObjectID: String] { objects.filter { $0.key.kind == .view }.mapValues(\.text) }
}

extension Catalog.Table {
    fileprivate var names: Set<String> { Set(columns.map(\.name.foldedASCII)) }
}
