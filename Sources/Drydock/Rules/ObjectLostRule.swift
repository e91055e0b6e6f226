import SQLiteSchema

/// `object-lost`: an index, trigger or view vanished although no statement dropped it by name and its
/// table lives on. SQLite drops the indexes and triggers of a table with it, so a rebuild must make them
/// anew (https://www.sqlite.org/lang_altertable.html#otheralter, steps 3 and 8).
struct ObjectLostRule: StepRule {
    func check(_ step: StepView, _ declarations: inout DeclarationUse) -> [StepFinding] {
        let before = step.before.catalog.objects.sorted {
            ($0.value.kind.rawValue, $0.key.name) < ($1.value.kind.rawValue, $1.key.name)
        }
        return before.compactMap { id, object in
            guard let home = home(of: object, in: step), !lives(object, on: home, in: step.after.catalog),
                step.lineage.dropStatement(of: id) == nil, !wentWithColumn(object, in: step)
            else { return nil }
            let kind = object.kind.rawValue
            let culprit =
                step.lineage.dropStatement(ofTable: object.tableName)
                ?? step.lineage.dropStatement(of: .init(.view, object.tableName))
                ?? step.migration.statements.lastIndex { $0.drops(object.tableName) }
            return StepFinding(
                Finding(
                    .objectLost,
                    "\(kind) \(object.name)" + (object.kind == .view ? "" : " of \(home)") + " is gone",
                    help: """
                        No statement drops it by name; it went with what it stood on. Make it again:
                          \(object.text.replacing("\n", with: "\n  "));
                        If it was meant to go, drop it by name before:
                          DROP \(kind.uppercased()) \(quotedIfNeeded(object.name));
                        """,
                    place: step.statement(at: culprit).map { .init($0) }, table: home),
                stands: { end, lastName in
                    guard let home = object.kind == .view ? home : lastName(home) else { return false }
                    return end.catalog.has(home) && !lives(object, on: home, in: end.catalog)
                        || object.kind == .view && end.catalog.objects[id] == nil
                })
        }
    }

    /// The name that the object's table has after the step; nil when it did not live on.
    private func home(of object: Catalog.Object, in step: StepView) -> String? {
        if object.kind == .view { return object.name }
        if let kept = step.conservation.kept.first(where: {
            $0.match.before.name.foldedASCII == object.tableName.foldedASCII
        }) {
            return kept.match.after.name
        }
        // A trigger on a view, or an object of a table that is not compared.
        return step.after.catalog.has(object.tableName) ? object.tableName : nil
    }

    /// The index was on a column that is gone: that is reported, or declared, as the column's own loss.
    private func wentWithColumn(_ object: Catalog.Object, in step: StepView) -> Bool {
        object.kind == .index
            && step.conservation.droppedColumns.contains { dropped in
                dropped.table.name.foldedASCII == object.tableName.foldedASCII
                    && object.sql.indexedPart.containsWord(dropped.column.name.foldedASCII)
            }
    }
}

/// Whether an object is there, under its own name or with the same definition under another.
private func lives(_ object: Catalog.Object, on home: String, in catalog: Catalog) -> Bool {
    if let same = catalog.objects[.init(object.kind, object.name)],
        object.kind == .view || same.tableName.foldedASCII == home.foldedASCII
    {
        return true
    }
    let wanted = object.sql.renamingIdentifiers([object.tableName.foldedASCII: home.foldedASCII])
    return catalog.objects.values.contains { other in
        other.kind == object.kind
            && other.sql.renamingIdentifiers([other.name.foldedASCII: object.name.foldedASCII]) == wanted
    }
}

extension Catalog {
    /// Whether there is a table or view of a name.
    fileprivate func has(_ name: String) -> Bool {
        table(name) != nil || objects[.init(.view, name)] != nil
    }
}

extension NormalizedSQL {
    /// Of CREATE INDEX, what is behind the table's name: the columns and the condition.
    fileprivate var indexedPart: NormalizedSQL {
        NormalizedSQL(items: Array(items.drop { $0 != .symbol("(") }))
    }
}

extension SQLStatement {
    /// Whether it drops a table or view of a name.
    fileprivate func drops(_ name: String) -> Bool {
        switch action {
        case .dropTable(let dropped), .dropView(let dropped): dropped.folded == name.foldedASCII
        default: false
        }
    }
}
