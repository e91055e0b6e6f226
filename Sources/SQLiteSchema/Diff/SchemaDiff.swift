/// The differences between two schemas.
///
/// Spelling never counts: whitespace, comments, the case of keywords, quoting style, the position of a
/// constraint, columns that ALTER appended, the order of statements. Settings differ only if both are known.
///
///     let parser = SchemaParser()
///     let diff = SchemaDiff(from: try parser.schema(of: oldSource), to: try parser.schema(of: newSource))
///     for change in diff.changes() { print(change) }
public struct SchemaDiff: Sendable {
    let old: Schema
    let new: Schema
    let hints: RenameHints

    /// - Parameter hints: the renames; those that do not fit are ignored (`RenameHints.unused`).
    public init(from old: Schema, to new: Schema, hints: RenameHints = RenameHints()) {
        self.old = old
        self.new = new
        self.hints = hints.fitting(old, new)
    }

    /// Returns the changes in a fixed order: tables, virtual tables, indexes, views, triggers, unparsed
    /// objects, settings; each kind sorted by folded name.
    public func changes() -> [SchemaChange] {
        tableChanges() + virtualTableChanges() + indexChanges() + viewChanges() + triggerChanges()
            + unparsedChanges() + settingChanges()
    }

    /// Returns whether there are no changes except quiet ones.
    public func isEmptyButForQuiet() -> Bool { changes().allSatisfy(\.isQuiet) }

    /// Compares the objects of one kind in the order of their names.
    func compare<T>(
        _ old: [String: T], _ new: [String: T], rename: (String) -> String = { $0 },
        added: (T) -> SchemaChange, dropped: (T) -> SchemaChange, changed: (T, T) -> [SchemaChange]
    ) -> [SchemaChange] {
        var renamed: [String: T] = [:]
        for (name, object) in old { renamed[rename(name)] = object }
        let names = Set(renamed.keys).union(new.keys).sorted()
        return names.flatMap { name -> [SchemaChange] in
            switch (renamed[name], new[name]) {
            case (let old?, let new?): changed(old, new)
            case (let old?, nil): [dropped(old)]
            case (nil, let new?): [added(new)]
            case (nil, nil): []
            }
        }
    }

    private func tableChanges() -> [SchemaChange] {
        compare(
            old.tables, new.tables, rename: { hints.table($0) }, added: SchemaChange.tableAdded,
            dropped: SchemaChange.tableDropped
        ) { before, after in
            var changes: [SchemaChange] = []
            if hints.tables[before.name.foldedASCII] != nil {
                changes.append(.tableRenamed(from: before.name, to: after.name))
            } else if before.name != after.name {
                changes.append(.respelled(.table, from: before.name, to: after.name))
            }
            // By far the commonest case, and equality costs less than a comparison.
            guard before != after else { return changes }
            let comparison = TableDiff(schemas: self, old: before, new: after)
            return changes + comparison.changes().map { .table(after.name, $0) }
        }
    }

    func respelling(_ kind: SchemaChange.ObjectKind, _ old: String, _ new: String) -> [SchemaChange] {
        old == new ? [] : [.respelled(kind, from: old, to: new)]
    }

    private func unparsedChanges() -> [SchemaChange] {
        compare(
            old.unparsed, new.unparsed, added: SchemaChange.unparsedAdded,
            dropped: SchemaChange.unparsedDropped
        ) { $0.normalized == $1.normalized ? [] : [.unparsedChanged(from: $0, to: $1)] }
    }

    private func settingChanges() -> [SchemaChange] {
        func change<T: Equatable>(
            _ setting: KeyPath<DatabaseSettings, T?>, _ make: (T, T) -> SettingChange
        ) -> [SchemaChange] {
            guard let from = old.settings[keyPath: setting], let to = new.settings[keyPath: setting],
                from != to
            else { return [] }
            return [.setting(make(from, to))]
        }
        return change(\.encoding, SettingChange.encoding) + change(\.pageSize, SettingChange.pageSize)
            + change(\.autoVacuum, SettingChange.autoVacuum)
            + change(\.applicationID, SettingChange.applicationID)
            + change(\.userVersion, SettingChange.userVersion)
    }
}
