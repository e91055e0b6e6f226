import DrydockConservation
import DrydockFindings
import DrydockMigrations
import DrydockState
import SQLiteSchema

/// Explains rows that reference something else than before, or that need a parent for the first time.
extension ForeignKeyDiagnosis {
    func childrenChanged(_ key: ResolvedKey, _ culprit: Int?) -> Finding? {
        let (child, parent) = (key.child.name, key.parent.name)
        if let trackedTable = lineage[child], trackedTable.createdBy != nil,
            let copy = trackedTable.copies.last
        {
            let statement = migration.statements[copy.statement]
            if let crossed = CrossedCopy(statement, into: key.child, from: before.table(copy.origin)),
                crossed.concerns(key.columns)
            {
                return Finding(cause: crossed.cause(migration.mention(copy.statement)), help: crossed.help)
            }
        }
        if let earlier = pairs[child.foldedASCII], !isOld(key, in: earlier) { return newKey(key, earlier) }
        if let computed = computed(key) {
            return Finding(
                cause:
                    "\(quotedIfNeeded(computed.name)) is generated, as \(computed.expression), and \(parent) has no such row",
                help: advice(key, child: child, columns: [], parent: nil, "in the same migration"))
        }
        guard let culprit else { return nil }
        let place = migration.mention(culprit)
        switch migration.statements[culprit].action {
        case .update(let name, _) where name.folded == child.foldedASCII:
            return Finding(
                cause: "\(place) gives them values that no row of \(parent) has",
                help: "Insert the rows of \(parent) first, or write values that it has, or NULL.")
        case .insert(let name, _, _) where name.folded == child.foldedASCII:
            return Finding(
                cause: "\(place) inserts them",
                help: "Insert the rows of \(parent) that they reference too, in the same migration.")
        case .addColumn(let name, let column) where name.folded == child.foldedASCII:
            return Finding(
                cause: "no row of \(parent) has the default of \(column) in \(place)",
                help:
                    "Let the column be NULL by default, or first insert the row of \(parent) that the default references."
            )
        default: return since(culprit, "this is the case", key)
        }
    }

    private func isOld(_ key: ResolvedKey, in earlier: TableMatch) -> Bool {
        let columns = key.columns.compactMap { name in
            earlier.columns.first { $0.after.name.foldedASCII == name.foldedASCII }?.before.name.foldedASCII
        }
        return columns.count < key.columns.count
            || earlier.before.foreignKeys.contains { $0.columns.map(\.foldedASCII) == columns }
    }

    /// Explains a new key: before, nothing required the rows to have a parent.
    private func newKey(_ key: ResolvedKey, _ earlier: TableMatch) -> Finding {
        // A value that the copy computes, or one that was NOT NULL, is not changed by an UPDATE of the old table.
        let names = key.columns.compactMap { name in
            earlier.columns.first { pair in
                pair.after.name.foldedASCII == name.foldedASCII && !pair.isGuess
                    && earlier.before.model?.column(pair.before.name).map {
                        earlier.before.model?.isNotNull($0) == false
                    } ?? true
            }?.before.name
        }
        let parent = pairs[key.parent.name.foldedASCII]?.before
        return Finding(
            cause: "the foreign key is new, and the rows had these values before",
            help: advice(
                key, child: earlier.before.name, columns: names, parent: parent?.name,
                "before they are copied"))
    }

    /// What to do about orphans that the step did not make.
    func orphanAdvice(_ id: Fault.ID) -> Help? {
        guard let child = id.names.first.flatMap(after.table), id.names.count > 1,
            let parent = after.table(id.names[1])
        else { return nil }
        let keys = child.foreignKeys.filter { $0.parent.foldedASCII == id.names[1] }
            .compactMap { ResolvedKey($0, child, parent) }
        guard let key = keys.first(where: { (try? count($0.orphans(in: new))) ?? 0 > 0 }) else { return nil }
        return advice(key, child: child.name, columns: key.columns, parent: parent.name, "in this migration")
    }

    /// Returns the first column of a key that is generated, with its expression.
    private func computed(_ key: ResolvedKey) -> (name: String, expression: String)? {
        key.columns.lazy.compactMap { key.child.model?.column($0) }.compactMap { column in
            column.generated.map { (column.name, "\($0.expression)") }
        }.first
    }

    private func advice(
        _ key: ResolvedKey, child: String, columns: [String], parent: String?, _ when: String
    ) -> Help {
        if let computed = computed(key) {
            return Help(
                "\(quotedIfNeeded(computed.name)) is generated, as \(computed.expression): insert the rows of \(key.parent.name) that are missing, or change what it is computed from, \(when)."
            )
        }
        // One NULL is enough for a key of several columns. Those of the row's own key stay.
        let own = Set(key.child.primaryKey.map(\.name.foldedASCII))
        let freed = zip(key.columns, columns).filter { name, _ in
            guard let model = key.child.model else { return true }
            return !own.contains(name.foldedASCII)
                && (model.column(name).map { !model.isNotNull($0) } ?? true)
        }.map(\.1)
        guard !freed.isEmpty, let parent, columns.count == key.columns.count else {
            return
                "Insert the rows of \(key.parent.name) that are missing, or give \(key.columns.joined(separator: ", ")) "
                + "values that it has, \(when)."
        }
        let table = quotedIfNeeded(child)
        let same = zip(key.parentColumns, columns).map {
            "\(quotedIfNeeded(parent)).\(quotedIfNeeded($0)) = \(table).\(quotedIfNeeded($1))"
        }
        let filled = columns.map { "\(quotedIfNeeded($0)) IS NOT NULL" }
        let rewrites = freed.map { Help.declaration("rewrites \(table).\(quotedIfNeeded($0))") }
        return """
            Insert the rows of \(key.parent.name) that are missing, or let these rows reference nothing, \(when):
              UPDATE \(table) SET \(freed.map { "\(quotedIfNeeded($0)) = NULL" }.joined(separator: ", ")) WHERE \(filled.joined(separator: " AND ")) AND NOT EXISTS (SELECT 1 FROM \(quotedIfNeeded(parent)) WHERE \(same.joined(separator: " AND ")));
            \(rewrites.joinedLines())
            """
    }

    package func since(_ culprit: Int, _ what: String, _ key: ResolvedKey) -> Finding {
        Finding(
            cause: "\(what) since \(migration.mention(culprit))",
            help:
                "Keep the rows of \(key.parent.name) that are referenced, or give the rows of \(key.child.name) another parent or NULL."
        )
    }
}
