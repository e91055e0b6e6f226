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
            guard step.after.catalog.objects[id] == nil, step.lineage.droppedObjects[id] == nil,
                let home = home(of: object, in: step), !hasTwin(object, home: home, in: step.after.catalog),
                !wentWithColumn(object, in: step)
            else { return nil }
            let kind = object.kind.rawValue
            let culprit = step.statement(at: step.lineage.droppedObjects[.init(.table, object.tableName)])
            return StepFinding(
                Finding(
                    .objectLost,
                    "\(kind) \(object.name)" + (object.kind == .view ? "" : " of \(home)") + " is gone",
                    help: """
                        No statement drops it by name; it went with the table that it stood on. Make it again:
                          \(object.text.replacing("\n", with: "\n  "));
                        If it was meant to go, write before the table is dropped:
                          DROP \(kind.uppercased()) \(quotedIfNeeded(object.name));
                        """,
                    place: culprit.map { .init($0) }, table: home),
                stands: { end in
                    end.catalog.table(home) != nil && end.catalog.objects[id] == nil
                        && !hasTwin(object, home: home, in: end.catalog)
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
        let folded = object.tableName.foldedASCII
        let lives =
            step.after.catalog.tables[folded] != nil
            || step.after.catalog.objects[.init(.view, folded)] != nil
        return lives ? object.tableName : nil
    }

    /// The index was on a column that is gone: that is reported, or declared, as the column's own loss.
    private func wentWithColumn(_ object: Catalog.Object, in step: StepView) -> Bool {
        object.kind == .index
            && step.conservation.droppedColumns.contains { dropped in
                dropped.table.name.foldedASCII == object.tableName.foldedASCII
                    && object.sql.containsWord(dropped.column.name.foldedASCII)
            }
    }
}

/// The same definition under another name.
private func hasTwin(_ object: Catalog.Object, home: String, in catalog: Catalog) -> Bool {
    let wanted = object.sql.renamingIdentifiers([object.tableName.foldedASCII: home.foldedASCII])
    return catalog.objects.values.contains { other in
        other.kind == object.kind
            && other.sql.renamingIdentifiers([other.name.foldedASCII: object.name.foldedASCII]) == wanted
    }
}
