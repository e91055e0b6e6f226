import DrydockConservation
import DrydockFindings
import DrydockMigrations
import DrydockReplay
import DrydockState
import SQLiteSchema

/// Reads the schema's history from the states of a fresh install. Only what a migration changed is parsed and compared,
/// so that a thousand migrations of a thousand tables cost little more than the looking.
struct SchemaHistoryReader {
    private var follower = SchemaFollower()
    private var references = SchemaReferences()

    static func history(
        of fresh: FreshInstall, _ context: ReplayContext, _ results: [ReplayResult]
    ) -> SchemaHistory {
        var reader = SchemaHistoryReader()
        var history = SchemaHistory()
        var catalog = fresh.base ?? Catalog()
        _ = reader.changes(from: Catalog(), to: catalog, [])
        var known = 0
        let migrations = context.targets.map { migration in
            SchemaHistory.Migration(
                name: migration.identifier, file: migration.path,
                isReleased: isReleased(migration, context, results))
        }
        for count in fresh.catalogs.keys.sorted() where (1...max(1, migrations.count)).contains(count) {
            guard let next = fresh.catalogs[count], count <= migrations.count else { continue }
            let changes = reader.changes(from: catalog, to: next, Array(context.targets[known..<count]))
            let schema = reader.follower.schema
            history.versions.append(
                SchemaHistory.Version(
                    migrations: Array(migrations[known..<count]), changes: changes,
                    excerpt: reader.references.excerpt(of: schema, around: changes)))
            (catalog, known) = (next, count)
        }
        history.schema = reader.follower.schema
        history.unknown = Array(migrations[known...])
        if !history.unknown.isEmpty { history.failure = fresh.failure?.reason }
        return history
    }

    /// Returns whether users have a migration, as far as anything shows it.
    private static func isReleased(
        _ migration: Migration, _ context: ReplayContext, _ results: [ReplayResult]
    ) -> Bool? {
        if context.lock?.isReleased(migration) == true { return true }
        let snapshots = results.filter { !$0.summary.isProbe }
        if snapshots.contains(where: { $0.applied.contains(migration.identifier) }) { return true }
        return context.lock == nil && snapshots.isEmpty ? nil : false
    }

    /// Updates the schema, and returns how it differs.
    private mutating func changes(
        from old: Catalog, to new: Catalog, _ migrations: [Migration]
    ) -> [SchemaChange] {
        let (gone, come) = (old.rows(changedIn: new), new.rows(changedIn: old))
        guard !gone.isEmpty || !come.isEmpty else { return [] }
        // With an index or trigger goes its table, on both sides.
        let names = Set((gone + come).flatMap { [$0.name.foldedASCII, $0.table.foldedASCII] })
        let before = follower.schema
        let kept = Set(come.map { [$0.type, $0.name.foldedASCII] })
        follower.remove(gone.filter { !kept.contains([$0.type, $0.name.foldedASCII]) })
        follower.take(come)
        let after = follower.schema
        for name in names { references.update(from: before.tables[name], to: after.tables[name]) }
        let hints = Self.renames(old, new, gone, come, migrations)
        // What a renamed column is called in a view depends on every table that the view reads.
        let whole = !hints.tables.isEmpty || !hints.columns.isEmpty
        let diff = SchemaDiff(
            from: whole ? before : before.excerpt(names), to: whole ? after : after.excerpt(names),
            hints: hints)
        return diff.changes().filter { !$0.isQuiet }
    }

    /// Returns the renames that the statements made, or declarations say.
    private static func renames(
        _ old: Catalog, _ new: Catalog, _ gone: [SchemaRow], _ come: [SchemaRow], _ migrations: [Migration]
    ) -> RenameHints {
        let tables = gone.filter { $0.type == "table" }.map(\.name.foldedASCII)
        let mayBeRenamed = tables.contains { name in
            guard let table = old.tables[name], let after = new.tables[name] else { return true }
            return table.columns.contains { after.column($0.name) == nil }
        }
        guard mayBeRenamed else { return RenameHints() }
        let statements = migrations.flatMap(\.statements)
        let before = old.only(Set(tables))
        let match = SchemaMatch(
            before: before, after: new.only(Set(come.map(\.name.foldedASCII))),
            lineage: TableLineage(before, statements: statements),
            declarations: migrations.flatMap(\.declarations))
        var (names, columns): ([String: String], [String: [String: String]]) = ([:], [:])
        for pair in match.pairs {
            if pair.before.name.foldedASCII != pair.after.name.foldedASCII {
                names[pair.before.name] = pair.after.name
            }
            for column in pair.columns where column.before.name.foldedASCII != column.after.name.foldedASCII {
                columns[pair.before.name, default: [:]][column.before.name] = column.after.name
            }
        }
        return RenameHints(tables: names, columns: columns)
    }
}

extension Catalog {
    /// Returns the objects that another catalog does not have, or has with another text, in a fixed order.
    fileprivate func rows(changedIn other: Catalog) -> [SchemaRow] {
        var rows: [SchemaRow] = []
        for (key, table) in tables where other.tables[key]?.text != table.text {
            rows.append(SchemaRow(type: "table", name: table.name, table: table.name, sql: table.text))
        }
        for (key, object) in objects where other.objects[key]?.text != object.text {
            rows.append(
                SchemaRow(
                    type: object.kind.rawValue, name: object.name, table: object.tableName, sql: object.text))
        }
        return rows.sorted { ($0.type, $0.name) < ($1.type, $1.name) }
    }

    fileprivate func only(_ names: Set<String>) -> Catalog {
        var catalog = Catalog()
        catalog.tables = tables.filter { names.contains($0.key) }
        return catalog
    }
}

extension Schema {
    /// Returns the objects with these folded names.
    fileprivate func excerpt(_ names: Set<String>) -> Schema {
        var schema = Schema()
        for name in names {
            schema.tables[name] = tables[name]
            schema.virtualTables[name] = virtualTables[name]
            schema.views[name] = views[name]
            schema.unparsed[name] = unparsed[name]
            schema.indexes[name] = indexes[name]
            schema.triggers[name] = triggers[name]
        }
        return schema
    }
}
