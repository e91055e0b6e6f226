import DrydockFindings
import DrydockMigrations
import DrydockState
import SQLiteSchema

/// `object-lost`: an index, trigger or view disappeared although no statement dropped it by name and its table still
/// exists, or its rows are found in another table. SQLite drops the indexes and triggers of a table with it, so a
/// rebuild must create them again (https://www.sqlite.org/lang_altertable.html#otheralter, steps 3 and 8). An index is
/// not lost where another index or a key of the table replaces it.
struct ObjectLostRule: StepRule {
    func check(_ step: StepView, _ declarations: inout DeclarationUse) -> [StepFinding] {
        let before = step.before.catalog.objects.sorted {
            ($0.value.kind.rawValue, $0.key.name) < ($1.value.kind.rawValue, $1.key.name)
        }
        return before.compactMap { id, object in
            guard step.lineage.dropStatement(of: id) == nil, !moved(id, in: step),
                let finding = loss(of: object, id, in: step) ?? disinheritance(of: object, id, in: step)
            else { return nil }
            let kind = object.kind.rawValue
            let isDeclared = declarations.covers {
                guard case .dropsObject(let declared, let name) = $0 else { return false }
                return declared.rawValue == kind && name.foldedASCII == id.name
            }
            return isDeclared ? nil : finding
        }
    }

    // MARK: - The same table

    /// Returns the finding for an object of a table that still exists.
    private func loss(
        of object: Catalog.Object, _ id: Catalog.ObjectID, in step: StepView
    ) -> StepFinding? {
        guard let home = home(of: object, in: step) else { return nil }
        let sought = SoughtObject(object, in: step)
        guard !sought.lives(on: home, in: step.after.catalog), !sought.wentWithColumn(of: step) else {
            return nil
        }
        return StepFinding(
            Finding(
                .objectLost,
                "\(object.kind.rawValue) \(object.name)" + (object.kind == .view ? "" : " of \(home)")
                    + " is gone",
                help: help(
                    object, object.text, "No statement drops it by name; it went with what it stood on.",
                    drops: step.after.catalog.objects[id] != nil),
                place: step.statement(at: cause(of: object, in: step)).map { .init($0) }, table: home),
            stands: { end, lastName in
                guard let home = object.kind == .view ? home : lastName(home) else { return false }
                return end.catalog.has(home) && !sought.lives(on: home, in: end.catalog)
                    || object.kind == .view && end.catalog.objects[id] == nil
            })
    }

    private func cause(of object: Catalog.Object, in step: StepView) -> Int? {
        step.lineage.dropStatement(ofTable: object.tableName)
            ?? step.lineage.dropStatement(of: .init(.view, object.tableName))
            ?? step.migration.statements.lastIndex { $0.drops(object.tableName) }
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

    // MARK: - Another table

    /// Returns the finding for an object that no table with the rows of its own table has inherited.
    private func disinheritance(
        of object: Catalog.Object, _ id: Catalog.ObjectID, in step: StepView
    ) -> StepFinding? {
        guard object.kind != .view else { return nil }
        let heirs = step.conservation.heirs(of: object.tableName)
        let places = heirs.compactMap { heir in
            SoughtObject(object, step, heir).map { (heir: heir, sought: $0) }
        }
        guard let heir = heirs.first, places.count == heirs.count,
            !places.contains(where: { $0.sought.lives(on: $0.heir.after.name, in: step.after.catalog) })
        else { return nil }
        let text = ObjectText(object).moved(to: heir)
        let isDrop = heir.cause != .renamed
        let statement =
            isDrop
            ? step.statement(at: cause(of: object, in: step))
            : step.lastStatement { $0.reaches(heir.after.name) }
        let went = isDrop ? "went with \(object.tableName)" : "stayed on \(object.tableName)"
        return StepFinding(
            Finding(
                .objectLost, heirs.contains { !$0.isMerged } ? .error : .warning,
                "\(object.kind.rawValue) \(object.name) \(went): \(heir.after.name), which has its rows now, "
                    + "has none like it",
                help: help(
                    object, text,
                    isDrop
                        ? "No statement drops it by name; SQLite drops it with its table."
                        : "An index or trigger follows its table to the new name. Drop it by name first, and:",
                    drops: !isDrop),
                place: statement.map { .init($0) }, table: heir.after.name),
            stands: { end, lastName in
                let left = places.compactMap { place in
                    place.heir.lastName(in: end, lastName).map { (home: $0, sought: place.sought) }
                }
                return !left.isEmpty && !left.contains { $0.sought.lives(on: $0.home, in: end.catalog) }
            }, isForgottenOnceFixed: true)
    }

    /// - Parameter drops: whether an object of this name is in the way of a new one.
    private func help(
        _ object: Catalog.Object, _ text: String, _ cause: String, drops: Bool = false
    ) -> Help {
        let kind = object.kind.rawValue
        let name = quotedIfNeeded(object.name)
        let drop = "DROP \(kind.uppercased()) \(name);"
        return Help(
            """
            \(cause) Make it again:
              \((drops ? drop + "\n" : "").replacing("\n", with: "\n  "))\(text.replacing("\n", with: "\n  "));
            If it is no longer needed, drop it by name before:
              \(drop)
            or declare it:

            """) + .declaration("drops \(kind) \(name)")
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
        let match = step.conservation.kept.map(\.match).first {
            $0.before.name.foldedASCII == object.tableName.foldedASCII
        }
        self.init(object, step, pairs: match?.columns ?? [])
    }

    /// Returns nil where the heir lacks a column that the object needs.
    init?(_ object: Catalog.Object, _ step: StepView, _ heir: Heir) {
        self.init(object, step, pairs: heir.columns)
        guard let index = schema.indexes.values.first else { return }
        let missing = heir.before.columns.filter { column in
            !heir.columns.contains { $0.before.name == column.name }
        }
        if missing.contains(where: { index.names.contains($0.name.foldedASCII) }) { return nil }
    }

    private init(_ object: Catalog.Object, _ step: StepView, pairs: [TableMatch.ColumnPair]) {
        self.object = object
        schema = step.before.catalog.schema(of: [object], on: object.tableName)
        let renamed = pairs.filter { $0.before.name.foldedASCII != $0.after.name.foldedASCII }
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
        let others = catalog.schema(
            of: catalog.objects.values.filter {
                $0.kind == object.kind && $0.tableName.foldedASCII == home.foldedASCII
            }, on: home)
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

extension Conservation {
    /// Returns the tables that have the place of a table from before the step.
    func heirs(of table: String) -> [Heir] {
        heirs.filter { $0.before.name.foldedASCII == table.foldedASCII }
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

extension StatementAction {
    /// Whether the action gives rows or its name to a table.
    func reaches(_ table: String) -> Bool {
        switch self {
        case .insert(let name, _, _), .createTable(let name, _, asSelect: true):
            name.folded == table.foldedASCII
        case .renameTable(_, let name): name.foldedASCII == table.foldedASCII
        default: false
        }
    }
}
