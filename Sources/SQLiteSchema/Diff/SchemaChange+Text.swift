extension SchemaChange {
    /// Whether the change is shown only on request.
    public var isQuiet: Bool {
        if case .table(_, .columnOrder) = self { true } else { false }
    }

    /// The table or view that the change is shown with; nil for settings.
    public var table: String? {
        switch self {
        case .tableAdded(let table), .tableDropped(let table): table.name
        case .tableRenamed(_, let name), .table(let name, _), .view(let name, _),
            .virtualTable(let name, _):
            name
        case .indexAdded(let index), .indexDropped(let index): index.table
        case .index(_, let table, _), .trigger(_, let table, _): table
        case .viewAdded(let view), .viewDropped(let view): view.name
        case .triggerAdded(let trigger), .triggerDropped(let trigger): trigger.table
        case .virtualTableAdded(let table), .virtualTableDropped(let table): table.name
        case .respelled(let kind, _, let name): kind == .index || kind == .trigger ? nil : name
        case .unparsedAdded(let object), .unparsedDropped(let object), .unparsedChanged(_, let object):
            object.table
        case .setting: nil
        }
    }
}

extension SchemaChange: CustomStringConvertible {
    /// The change on one line.
    public var description: String {
        switch self {
        case .tableAdded(let table): "add table \(SQLName.printed(table.name))"
        case .tableDropped(let table): "drop table \(SQLName.printed(table.name))"
        case .tableRenamed(let from, let to):
            "rename table \(SQLName.printed(from)) to \(SQLName.printed(to))"
        case .table(let name, let change): "table \(SQLName.printed(name)): \(change)"
        case .indexAdded(let index):
            "add \(index.isUnique ? "unique " : "")index \(SQLName.printed(index.name)) on "
                + "\(SQLName.printed(index.table)) \(listed(index.terms.map(\.description)))"
        case .indexDropped(let index):
            "drop index \(SQLName.printed(index.name)) on \(SQLName.printed(index.table))"
        case .index(let name, _, let change): "index \(SQLName.printed(name)): \(change)"
        case .viewAdded(let view): "add view \(SQLName.printed(view.name))"
        case .viewDropped(let view): "drop view \(SQLName.printed(view.name))"
        case .view(let name, let change): "view \(SQLName.printed(name)): \(change)"
        case .triggerAdded(let trigger):
            "add trigger \(SQLName.printed(trigger.name)) on \(SQLName.printed(trigger.table))"
        case .triggerDropped(let trigger):
            "drop trigger \(SQLName.printed(trigger.name)) on \(SQLName.printed(trigger.table))"
        case .trigger(let name, _, let change): "trigger \(SQLName.printed(name)): \(change)"
        case .virtualTableAdded(let table): "add virtual table \(SQLName.printed(table.name))"
        case .virtualTableDropped(let table): "drop virtual table \(SQLName.printed(table.name))"
        case .virtualTable(let name, let change): "virtual table \(SQLName.printed(name)): \(change)"
        case .respelled(let kind, let from, let to): "respell \(kind.rawValue) \(from) as \(to)"
        case .unparsedAdded(let object): "add \(object.type) \(SQLName.printed(object.name)) (not parsed)"
        case .unparsedDropped(let object): "drop \(object.type) \(SQLName.printed(object.name)) (not parsed)"
        case .unparsedChanged(_, let object):
            "\(object.type) \(SQLName.printed(object.name)) (not parsed): definition"
        case .setting(let change): change.description
        }
    }
}

extension IndexChange: CustomStringConvertible {
    public var description: String {
        switch self {
        case .table(let from, let to): arrow("table", from, to)
        case .unique(let isUnique): isUnique ? "now UNIQUE" : "no longer UNIQUE"
        case .terms(let from, let to): arrow("columns", listed(from), listed(to))
        case .expression(let position, let from, let to): arrow("expression \(position)", from, to)
        case .collation(let position, let from, let to): arrow("column \(position): COLLATE", from, to)
        case .direction(let position, let isDescending):
            "column \(position): now \(isDescending ? "DESC" : "ASC")"
        case .condition(let from, let to): arrow("WHERE", from, to)
        }
    }
}

extension ViewChange: CustomStringConvertible {
    public var description: String {
        switch self {
        case .columns(let from, let to): arrow("columns", from.map(listed), to.map(listed))
        case .query: "query"
        case .respelled(let from, let to): "respell columns \(listed(from)) as \(listed(to))"
        }
    }
}

extension TriggerChange: CustomStringConvertible {
    public var description: String {
        switch self {
        case .table(let from, let to): arrow("table", from, to)
        case .timing(let from, let to): arrow("timing", from.rawValue, to.rawValue)
        case .event: "event"
        case .condition(let from, let to): arrow("WHEN", from, to)
        case .body: "body"
        }
    }
}

extension VirtualTableChange: CustomStringConvertible {
    public var description: String {
        switch self {
        case .module(let from, let to): arrow("module", from, to)
        case .arguments(let from, let to):
            arrow("arguments", listed(from.map(\.text)), listed(to.map(\.text)))
        }
    }
}

extension SettingChange: CustomStringConvertible {
    public var description: String {
        switch self {
        case .userVersion(let from, let to): arrow("user_version", from, to)
        case .applicationID(let from, let to): arrow("application_id", from, to)
        case .pageSize(let from, let to): arrow("page_size", from, to)
        case .encoding(let from, let to): arrow("encoding", from.rawValue, to.rawValue)
        case .autoVacuum(let from, let to):
            arrow("auto_vacuum", "\(from)".uppercasedASCII, "\(to)".uppercasedASCII)
        }
    }
}

extension String {
    /// The text without spaces at its end.
    var trimmed: String { String(reversed().drop { $0 == " " }.reversed()) }
}

func listed(_ values: [String]) -> String { "(" + values.joined(separator: ", ") + ")" }

/// Returns `what: from -> to`, with `none` for nil.
func arrow<T>(_ what: String, _ from: T?, _ to: T?) -> String {
    "\(what): \(from.map { "\($0)" } ?? "none") -> \(to.map { "\($0)" } ?? "none")"
}
