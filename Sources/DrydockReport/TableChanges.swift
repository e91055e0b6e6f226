import Drydock
import SQLiteSchema

extension DiffSummary {
    /// The differences under the name of their table.
    var changesByTable: [TableChanges] { changes.byTable }

    /// The names of the objects that differ, one on each line.
    package var names: String {
        var seen: Set<String> = []
        return changes.map { $0.table ?? $0.description }.filter { seen.insert($0).inserted }
            .map { VisibleText.line($0) + "\n" }.joined()
    }
}

/// The differences of one table or view.
struct TableChanges {
    var name: String
    var changes: [SchemaChange]

    /// What became of the table itself.
    var sign: SchemaChange.Sign {
        for change in changes {
            switch change {
            case .tableAdded, .viewAdded, .virtualTableAdded, .unparsedAdded: return .added
            case .tableDropped, .viewDropped, .virtualTableDropped, .unparsedDropped: return .dropped
            default: break
            }
        }
        return .changed
    }
}

extension [SchemaChange] {
    /// The differences under the name of their table, in the order in which these first appear.
    var byTable: [TableChanges] {
        var order: [String] = []
        var byName: [String: [SchemaChange]] = [:]
        for change in self {
            let name = change.table ?? "database"
            if byName[name] == nil { order.append(name) }
            byName[name, default: []].append(change)
        }
        return order.map { TableChanges(name: $0, changes: byName[$0] ?? []) }
    }
}

extension SchemaChange {
    package enum Sign: String { case added = "+", dropped = "-", changed = "~" }

    package var sign: Sign {
        switch self {
        case .tableAdded, .indexAdded, .viewAdded, .triggerAdded, .virtualTableAdded, .unparsedAdded: .added
        case .tableDropped, .indexDropped, .viewDropped, .triggerDropped, .virtualTableDropped,
            .unparsedDropped:
            .dropped
        case .table(_, .columnAdded), .table(_, .uniqueAdded), .table(_, .checkAdded),
            .table(_, .foreignKeyAdded):
            .added
        case .table(_, .columnDropped), .table(_, .uniqueDropped), .table(_, .checkDropped),
            .table(_, .foreignKeyDropped):
            .dropped
        default: .changed
        }
    }

    /// The change without the table under which it is shown.
    package var detail: String {
        if case .table(_, let change) = self { change.description } else { description }
    }

    /// The queries of a view, or the bodies of a trigger, that differ.
    var bodies: (old: [SQLFragment], new: [SQLFragment])? {
        switch self {
        case .view(_, .query(let before, let after)): ([before], [after])
        case .trigger(_, _, .body(let before, let after)): (before, after)
        default: nil
        }
    }

    /// The clauses in which two queries or trigger bodies differ, one on each line.
    var clauses: [String] {
        guard let bodies else { return [] }
        let (old, new) = (bodies.old.flatMap(\.lines), bodies.new.flatMap(\.lines))
        let difference = new.difference(from: old)
        let gone = Set(difference.removals.map(\.offset)), come = Set(difference.insertions.map(\.offset))
        return old.indices.filter(gone.contains).map { "- " + old[$0] }
            + new.indices.filter(come.contains).map { "+ " + new[$0] }
    }
}

extension CollectionDifference.Change {
    fileprivate var offset: Int {
        switch self {
        case .insert(let offset, _, _), .remove(let offset, _, _): offset
        }
    }
}
