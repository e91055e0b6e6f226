/// A planner of the SQL that turns one schema into another.
///
/// It uses ALTER TABLE if that can make the change (https://www.sqlite.org/lang_altertable.html), otherwise
/// the documented rebuild: create the new table, copy the rows by name, keep the AUTOINCREMENT counter and
/// the rowids, drop the old table, rename the new one, and create indexes, triggers and views again. The plan
/// is meant to run in a transaction with foreign keys off, as GRDB's DatabaseMigrator runs a migration.
///
///     let plan = MigrationPlanner(from: old, to: new).plan()
///     if plan.losses.isEmpty { print(plan.text) }
public struct MigrationPlanner: Sendable {
    let old: Schema
    let new: Schema
    let hints: RenameHints
    let support: AlterSupport
    let broken: Set<String>
    let printer = SchemaPrinter(printsSettings: false)
    let changes: [SchemaChange]

    /// - Parameters:
    ///   - hints: the renames; those that do not fit are ignored.
    ///   - support: the abilities of the SQLite that runs the plan.
    ///   - broken: folded names of old views and triggers that do not compile, and so stop every ALTER TABLE.
    public init(
        from old: Schema, to new: Schema, hints: RenameHints = RenameHints(),
        support: AlterSupport = .current,
        broken: Set<String> = []
    ) {
        self.old = old
        self.new = new
        let diff = SchemaDiff(from: old, to: new, hints: hints)
        self.hints = diff.hints
        self.support = support
        self.broken = broken
        changes = diff.changes().filter { !$0.isQuiet }
    }

    public func plan() -> MigrationPlan {
        var plan = MigrationPlan()
        let tables = tablePlans()
        let dependents = dependents(
            on: touchedNames(tables), isCompiled: tables.contains(where: \.disturbsDependents))
        plan.steps += dependents.drops
        plan.steps += droppedIndexes()
        plan.steps += droppedTables(&plan)
        let virtual = virtualTables(tables, &plan)
        plan.steps += virtual.drops
        for table in tables { plan.steps += table.steps(printer, &plan) }
        plan.steps += addedTables()
        plan.steps += virtual.creates
        plan.steps += indexes(rebuilt: Set(tables.filter(\.isRebuild).map { $0.new.name.foldedASCII }))
        plan.steps += dependents.creates
        plan.steps += virtual.fills
        plan.steps += settings(&plan)
        plan.referencedDrops = referencedDrops(tables)
        for change in changes {
            switch change {
            case .unparsedAdded(let object), .unparsedDropped(let object), .unparsedChanged(_, let object):
                plan.leftOver.append("\(object.type) \(object.name) cannot be planned: \(object.reason)")
            default: break
            }
        }
        return plan
    }

    // MARK: - Tables

    private func tablePlans() -> [TablePlan] {
        var changed: [String: [TableChange]] = [:]
        var names: Set<String> = []
        for change in changes {
            switch change {
            case .table(let name, let change):
                changed[name.foldedASCII, default: []].append(change)
                names.insert(name.foldedASCII)
            case .tableRenamed(_, let to), .respelled(.table, _, let to): names.insert(to.foldedASCII)
            default: break
            }
        }
        let taken = takenNames
        let forced = orphanedChildren
        return names.union(forced).sorted().compactMap { name in
            guard let after = new.tables[name],
                let before = old.tables.values.first(where: { hints.table($0.name) == name })
            else { return nil }
            return TablePlan(
                old: before, new: after, changes: changed[name] ?? [], hints: hints, support: support,
                schema: old, taken: taken, isForced: forced.contains(name))
        }
    }

    /// Folded names of all objects before and after.
    private var takenNames: Set<String> {
        [old, new].reduce(into: []) { names, schema in
            names.formUnion(schema.tables.keys)
            names.formUnion(schema.indexes.keys)
            names.formUnion(schema.views.keys)
            names.formUnion(schema.virtualTables.keys)
            names.formUnion(schema.unparsed.keys)
        }
    }

    /// Folded new names of tables with a foreign key to a parent's column that is renamed without ALTER. An
    /// ALTER would have renamed it in the foreign key too.
    private var orphanedChildren: Set<String> {
        guard !support.renamesColumns else { return [] }
        let children = old.tables.values.filter { table in
            table.foreignKeys.contains { key in
                (key.parentColumns ?? []).contains {
                    hints.column($0, of: key.parent) != $0.foldedASCII
                }
            }
        }
        return Set(children.map { hints.table($0.name) })
    }

    /// Returns the folded names, old and new, of tables with a change that breaks the views and triggers that
    /// name them.
    private func touchedNames(_ tables: [TablePlan]) -> Set<String> {
        var names: Set<String> = []
        for table in tables where table.disturbsDependents {
            names.formUnion([table.old.name.foldedASCII, table.new.name.foldedASCII])
        }
        for change in changes {
            switch change {
            case .tableDropped(let table): names.insert(table.name.foldedASCII)
            case .virtualTableDropped(let table): names.insert(table.name.foldedASCII)
            case .virtualTable(let name, _): names.insert(name.foldedASCII)
            case .viewDropped(let view): names.insert(view.name.foldedASCII)
            case .view(let name, _), .respelled(.view, let name, _): names.insert(name.foldedASCII)
            default: break
            }
        }
        return names
    }

    /// Returns the old names, as they are spelt, of tables that are dropped or rebuilt and that a foreign key
    /// references.
    private func referencedDrops(_ tables: [TablePlan]) -> [String] {
        let dropped = changes.compactMap { if case .tableDropped(let table) = $0 { table.name } else { nil } }
        let parents = old.tables.values.flatMap(\.foreignKeys).map(\.parent.foldedASCII)
        let gone = dropped + tables.filter(\.isRebuild).map(\.old.name)
        return gone.filter { parents.contains($0.foldedASCII) }.sorted()
    }

    private func droppedTables(_ plan: inout MigrationPlan) -> [MigrationPlan.Step] {
        changes.compactMap { change in
            guard case .tableDropped(let table) = change else { return nil }
            let name = SQLName.printed(table.name)
            plan.losses.append("table \(table.name) with its rows")
            return .init(
                "Table \(table.name) goes.", declarations: ["drops table \(name)"], ["DROP TABLE \(name)"])
        }
    }

    private func addedTables() -> [MigrationPlan.Step] {
        changes.compactMap { change in
            guard case .tableAdded(let table) = change else { return nil }
            return .init("Table \(table.name) is new.", [printer.text(table)])
        }
    }

    // MARK: - Settings

    private func settings(_ plan: inout MigrationPlan) -> [MigrationPlan.Step] {
        var steps: [MigrationPlan.Step] = []
        for change in changes {
            guard case .setting(let setting) = change else { continue }
            switch setting {
            case .userVersion(_, let to):
                steps.append(.init("The user version.", ["PRAGMA user_version = \(to)"]))
            case .applicationID(_, let to):
                steps.append(.init("The application id.", ["PRAGMA application_id = \(to)"]))
            case .pageSize, .encoding, .autoVacuum:
                plan.leftOver.append("\(setting): no migration can change it")
            }
        }
        return steps
    }
}
