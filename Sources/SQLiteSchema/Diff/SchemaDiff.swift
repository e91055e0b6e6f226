/// Finds what tells two schemas apart.
///
/// Spelling never does: whitespace, comments, the case of keywords, quoting style, where a constraint stands,
/// what ALTER appended, the order of statements. Settings differ only where both are known.
public struct SchemaDiff: Sendable {
    let old: Schema
    let new: Schema
    let hints: RenameHints

    /// - Parameter hints: what was renamed; those that do not fit are passed over (`RenameHints.unused`).
    public init(from old: Schema, to new: Schema, hints: RenameHints = RenameHints()) {
        self.old = old
        self.new = new
        self.hints = hints.fitting(old, new)
    }

    /// The changes in one order: tables, virtual tables, indexes, views, triggers, what could not be parsed,
    /// settings; of each kind by folded name.
    public func changes() -> [SchemaChange] {
        tableChanges() + virtualTableChanges() + indexChanges() + viewChanges() + triggerChanges()
            + unparsedChanges() + settingChanges()
    }

    /// Whether nothing differs but what is quiet.
    public func isEmptyButForQuiet() -> Bool { changes().allSatisfy(\.isQuiet) }

    /// Goes through the objects of one kind in the order of their names.
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
            // The commonest case by far, and equality costs less than a comparison.
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
