import DrydockFindings
import DrydockConservation
import DrydockState
import SQLiteSchema

/// An object of the state before that is searched for in later states: under its own name, or with the same meaning
/// under another name.
struct SoughtObject: Sendable {
    let object: Catalog.Object
    /// The object, with only its table.
    let schema: Schema
    /// The new names of its table's columns, where they changed.
    let columns: [String: String]
    /// The view that a trigger is on.
    private let view: Catalog.Object?
    /// The triggers before the step, by folded name.
    private let earlierTriggers: Set<String>

    init(_ object: Catalog.Object, in step: StepView) {
        let match = step.conservation.kept.map(\.match).first {
            $0.before.name.foldedASCII == object.tableName.foldedASCII
        }
        self.init(object, step, pairs: match?.columns ?? [])
    }

    /// Returns nil where the successor lacks a column that the object needs.
    init?(_ object: Catalog.Object, _ step: StepView, _ successor: Successor) {
        self.init(object, step, pairs: successor.columns)
        guard let index = schema.indexes.values.first else { return }
        let missing = successor.before.columns.filter { column in
            !successor.columns.contains { $0.before.name == column.name }
        }
        if missing.contains(where: { index.names.contains($0.name.foldedASCII) }) { return nil }
    }

    private init(_ object: Catalog.Object, _ step: StepView, pairs: [TableMatch.ColumnPair]) {
        self.object = object
        schema = step.before.catalog.schema(of: [object], on: object.tableName)
        view = step.before.catalog.objects[.init(.view, object.tableName)]
        earlierTriggers = Set(step.before.catalog.objects.keys.filter { $0.kind == .trigger }.map(\.name))
        let renamed = pairs.filter { $0.before.name.foldedASCII != $0.after.name.foldedASCII }
        columns = Dictionary(
            renamed.map { ($0.before.name, $0.after.name) }, uniquingKeysWith: { first, _ in first })
    }

    /// What a later state has in an object's place.
    enum Presence: Equatable {
        case same
        /// A new trigger that does the same under another name. Statements name triggers; nothing has to name an index.
        case renamed(String)
        /// An object of its name that does something else.
        case different([String])
        case absent

        /// Whether something does what the object did.
        var isReplaced: Bool {
            switch self {
            case .same, .renamed: true
            case .different, .absent: false
            }
        }
    }

    /// - Parameter home: the table's name in the catalog.
    func presence(on home: String, in catalog: Catalog) -> Presence {
        let named = catalog.objects[.init(object.kind, object.name)].flatMap { same in
            object.kind == .view || same.tableName.foldedASCII == home.foldedASCII ? same : nil
        }
        if let named, object.kind == .view || named.sql == object.sql { return .same }
        let others = catalog.schema(
            of: catalog.objects.values.filter {
                $0.kind == object.kind && $0.tableName.foldedASCII == home.foldedASCII
            }, on: home)
        let hints = RenameHints(tables: [object.tableName: home], columns: [object.tableName: columns])
        let diff = SchemaDiff(from: schema, to: others, hints: hints)
        let differences: [String]?
        if let index = schema.indexes.values.first {
            let isKept =
                others.indexes.values.contains { diff.isSame(index, $0) }
                || others.table(home).map { diff.isReplaced(index, byKeyOf: $0) } ?? false
            if isKept { return .same }
            differences = others.indexes[object.name.foldedASCII].map { diff.differences(index, $0).texts }
        } else if let trigger = schema.triggers.values.first {
            let equal = others.triggers.values.filter { diff.isSame(trigger, $0) }.map(\.name).sorted()
            if let first = equal.first {
                let isNew = !equal.contains { earlierTriggers.contains($0.foldedASCII) }
                return isNew && named == nil ? .renamed(first) : .same
            }
            differences = others.triggers[object.name.foldedASCII].map {
                isAdapted(trigger, to: $0, on: others.table(home), in: catalog)
                    ? [] : diff.differences(trigger, $0).map(\.text)
            }
        } else {
            differences = nil
        }
        // What cannot be parsed is identified only by its name.
        guard named != nil else { return .absent }
        return differences.map { $0.isEmpty ? .same : .different($0) } ?? .same
    }

    /// Whether a trigger was rewritten for columns that its table did not have, or no longer has, or with its view.
    private func isAdapted(_ old: Trigger, to new: Trigger, on table: Table?, in catalog: Catalog) -> Bool {
        if let view { return catalog.objects[.init(.view, view.name)]?.text != view.text }
        guard let table, let before = schema.table(object.tableName) else { return false }
        let known = Set(before.columns.map { (columns[$0.name] ?? $0.name).foldedASCII })
        let present = Set(table.columns.map(\.name.foldedASCII))
        return !new.names.isDisjoint(with: present.subtracting(known))
            || !old.names.isDisjoint(with: known.subtracting(present))
    }

    /// Says what a later state has under the object's name instead; nil where there is nothing.
    func substitute(on home: String, in catalog: Catalog) -> String? {
        guard case .different(let differences) = presence(on: home, in: catalog) else { return nil }
        return "the \(object.kind.rawValue) that a later migration creates under its name is not the same: "
            + differences.joined(separator: "; ")
    }

    /// Whether the object names a dropped column: its loss is reported, or declared, with that of the column.
    func wentWithColumn(of step: StepView) -> Bool {
        guard let names = schema.indexes.values.first?.names else { return false }
        return step.conservation.droppedColumns.contains { dropped in
            dropped.table.name.foldedASCII == object.tableName.foldedASCII
                && names.contains(dropped.column.name.foldedASCII)
        }
    }
}

extension Catalog {
    /// Returns a schema of some objects and a table, with the tables of the objects: an index takes the collations of
    /// its columns.
    fileprivate func schema(of objects: [Object], on table: String) -> Schema {
        let owners = Set(objects.map(\.tableName.foldedASCII) + [table.foldedASCII]).compactMap { tables[$0] }
        let rows =
            owners.map { SchemaRow(type: "table", name: $0.name, table: $0.name, sql: $0.text) }
            + objects.map {
                SchemaRow(type: $0.kind.rawValue, name: $0.name, table: $0.tableName, sql: $0.text)
            }
        return owners.first?.schema(of: rows) ?? SchemaParser().schema(of: rows)
    }
}

extension [IndexChange] {
    /// The differences, the gravest first; one index that also refuses duplicates does all that the other did.
    fileprivate var texts: [String] {
        if self == [.unique(true)] { return [] }
        let isLooser = contains(.unique(false))
        return (isLooser ? ["it is no longer UNIQUE, and accepts duplicates that it refused before"] : [])
            + filter { $0 != .unique(false) }.map(\.description)
    }
}

extension TriggerChange {
    fileprivate var text: String {
        switch self {
        case .event: "it fires on a different event"
        case .body: "it runs different statements"
        default: description
        }
    }
}
