import DrydockFindings
import DrydockMigrations
import DrydockState
import SQLiteSchema

/// `object-lost`: an index, trigger or view disappeared although no statement dropped it by name and its table still
/// exists. SQLite drops the indexes and triggers of a table with it, so a rebuild must create them again
/// (https://www.sqlite.org/lang_altertable.html#otheralter, steps 3 and 8). An index is not lost where another index or
/// a key of the table replaces it.
struct ObjectLostRule: StepRule {
    func check(_ step: StepView, _ declarations: inout DeclarationUse) -> [StepFinding] {
        let before = step.before.catalog.objects.sorted {
            ($0.value.kind.rawValue, $0.key.name) < ($1.value.kind.rawValue, $1.key.name)
        }
        return before.compactMap { id, object in
            guard let home = home(of: object, in: step) else { return nil }
            let sought = SoughtObject(object, in: step)
            guard !sought.lives(on: home, in: step.after.catalog),
                step.lineage.dropStatement(of: id) == nil, !sought.wentWithColumn(of: step),
                !moved(id, in: step)
            else { return nil }
            let kind = object.kind.rawValue
            let isDeclared = declarations.covers {
                guard case .dropsObject(let declared, let name) = $0 else { return false }
                return declared.rawValue == kind && name.foldedASCII == id.name
            }
            guard !isDeclared else { return nil }
            let cause =
                step.lineage.dropStatement(ofTable: object.tableName)
                ?? step.lineage.dropStatement(of: .init(.view, object.tableName))
                ?? step.migration.statements.lastIndex { $0.drops(object.tableName) }
            return StepFinding(
                Finding(
                    .objectLost,
                    "\(kind) \(object.name)" + (object.kind == .view ? "" : " of \(home)") + " is gone",
                    help: Help(
                        """
                        No statement drops it by name; it went with what it stood on. Make it again:
                          \(object.text.replacing("\n", with: "\n  "));
                        If it is no longer needed, drop it by name before:
                          DROP \(kind.uppercased()) \(quotedIfNeeded(object.name));
                        or declare it:

                        """) + .declaration("drops \(kind) \(quotedIfNeeded(object.name))"),
                    place: step.statement(at: cause).map { .init($0) }, table: home),
                stands: { end, lastName in
                    guard let home = object.kind == .view ? home : lastName(home) else { return false }
                    return end.catalog.has(home) && !sought.lives(on: home, in: end.catalog)
                        || object.kind == .view && end.catalog.objects[id] == nil
                })
        }
    }

    /// Returns the name of the object's table after the step; nil when the table is gone.
    private func home(of object: Catalog.Object, in step: StepView) -> String? {
        if object.kind == .view { return object.name }
        if let kept = step.conservation.kept.first(where: {
            $0.match.before.name.foldedASCII == object.tableName.foldedASCII
        }) {
            return kept.match.after.name
        }
        // A different table may have the name of a table with its rows elsewhere.
        if step.conservation.droppedTables.contains(where: {
            $0.home != nil && $0.table.name.foldedASCII == object.tableName.foldedASCII
        }) {
            return nil
        }
        // A trigger on a view, or an object of a table that is not compared.
        return step.after.catalog.has(object.tableName) ? object.tableName : nil
    }

    /// Whether the object was dropped by name, and an object of another table now has its name.
    private func moved(_ id: Catalog.ObjectID, in step: StepView) -> Bool {
        step.after.catalog.objects[id] != nil
            && step.migration.statements.contains { statement in
                switch statement.action {
                case .dropIndex(let name): id.kind == .index && name.folded == id.name
                case .dropTrigger(let name): id.kind == .trigger && name.folded == id.name
                default: false
                }
            }
    }
}

/// An object of the state before that is searched for in later states: under its own name, or with the same meaning
/// under another name.
private struct SoughtObject: Sendable {
    let object: Catalog.Object
    /// The object, with only its table.
    let schema: Schema
    /// The new names of its table's columns, where they changed.
    let columns: [String: String]

    init(_ object: Catalog.Object, in step: StepView) {
        self.object = object
        schema = step.before.catalog.schema(of: [object], on: object.tableName)
        let match = step.conservation.kept.map(\.match).first {
            $0.before.name.foldedASCII == object.tableName.foldedASCII
        }
        let renamed = match?.columns.filter { $0.before.name.foldedASCII != $0.after.name.foldedASCII } ?? []
        columns = Dictionary(
            renamed.map { ($0.before.name, $0.after.name) }, uniquingKeysWith: { first, _ in first })
    }

    /// - Parameter home: the table's name in the catalog.
    func lives(on home: String, in catalog: Catalog) -> Bool {
        if let same = catalog.objects[.init(object.kind, object.name)],
            object.kind == .view || same.tableName.foldedASCII == home.foldedASCII
        {
            return true
        }
        let others = catalog.schema(of: catalog.objects.values.filter { $0.kind == object.kind }, on: home)
        let hints = RenameHints(tables: [object.tableName: home], columns: [object.tableName: columns])
        let diff = SchemaDiff(from: schema, to: others, hints: hints)
        if let index = schema.indexes.values.first {
            return others.indexes.values.contains { diff.isSame(index, $0) }
                || others.table(home).map { diff.isReplaced(index, byKeyOf: $0) } ?? false
        }
        guard let trigger = schema.triggers.values.first else { return false }
        return others.triggers.values.contains { diff.isSame(trigger, $0) }
    }

    /// Whether the object is an index on a dropped column: its loss is reported, or declared, with that of the column.
    func wentWithColumn(of step: StepView) -> Bool {
        guard let index = schema.indexes.values.first else { return false }
        return step.conservation.droppedColumns.contains { dropped in
            dropped.table.name.foldedASCII == object.tableName.foldedASCII
                && index.names.contains(dropped.column.name.foldedASCII)
        }
    }
}

extension Catalog {
    /// Whether a table or view with a name exists.
    fileprivate func has(_ name: String) -> Bool {
        table(name) != nil || objects[.init(.view, name)] != nil
    }

    /// Returns a schema of some objects and a table, with the tables of the objects: an index takes the collations of
    /// its columns.
    fileprivate func schema(of objects: [Object], on table: String) -> Schema {
        let owners = Set(objects.map(\.tableName.foldedASCII) + [table.foldedASCII]).compactMap { tables[$0] }
        return SchemaParser().schema(
            of: owners.map { SchemaRow(type: "table", name: $0.name, table: $0.name, sql: $0.text) }
                + objects.map {
                    SchemaRow(type: $0.kind.rawValue, name: $0.name, table: $0.tableName, sql: $0.text)
                })
    }
}

extension SQLStatement {
    /// Whether the action drops a table or view with a name.
    fileprivate func drops(_ name: String) -> Bool {
        switch action {
        case .dropTable(let dropped), .dropView(let dropped): dropped.folded == name.foldedASCII
        default: false
        }
    }
}
