import Drydock
import SQLiteSchema

/// What `drydock diff` prints of two schemas.
extension HumanRenderer {
    /// Returns the differences of two schemas, table by table.
    func text(_ diff: DiffSummary, _ options: RenderOptions) -> String {
        let paint = Paint(options.usesColor)
        guard !diff.isSame else {
            return "\(paint.green("same")): \(line(diff.old)) and \(line(diff.new))\n"
        }
        var text = "\(paint.red("---")) \(line(diff.old))\n\(paint.green("+++")) \(line(diff.new))\n"
        for group in diff.changesByTable {
            text += "\n\(paint.bold(line(group.name)))\n"
            for change in group.changes {
                let detail = "\(change.sign.rawValue) \(line(change.detail))"
                switch change.sign {
                case .added: text += "  \(paint.green(detail))\n"
                case .dropped: text += "  \(paint.red(detail))\n"
                case .changed: text += "  \(paint.yellow(detail))\n"
                }
                for clause in change.clauses.map(line) {
                    text += "      \(clause.hasPrefix("+") ? paint.green(clause) : paint.red(clause))\n"
                }
            }
        }
        for rename in diff.renames.taken {
            text +=
                "\n\(paint.cyan("taken as renamed:")) \(line(rename.oldPath)) → \(line(rename.to)) (\(line(rename.evidence))); "
                + "--rename or --no-detect-renames decides otherwise\n"
        }
        for rename in diff.renames.open {
            text +=
                "\n\(paint.yellow("perhaps renamed:")) \(line(rename.oldPath)) → \(line(rename.to)) (\(line(rename.evidence))); "
                + "--rename \(line(rename.oldPath))=\(line(rename.to)) says so\n"
        }
        for object in diff.unparsed {
            text += "\n\(paint.yellow("not parsed:")) \(line(object)); compared by tokens\n"
        }
        return text + "\n" + counted(diff.changes.count, "difference") + "\n"
    }

    private func line(_ text: String) -> String { VisibleText.line(text) }
}

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
