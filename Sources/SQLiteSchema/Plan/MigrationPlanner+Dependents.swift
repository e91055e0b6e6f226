extension MigrationPlanner {
    /// Returns the steps that drop views and triggers before tables change and create them afterwards,
    /// including those that changed themselves.
    /// - Parameter isCompiled: whether an ALTER TABLE compiles all views and triggers, so that broken ones
    ///   must be dropped for that time.
    func dependents(
        on touched: Set<String>, isCompiled: Bool
    ) -> (drops: [MigrationPlan.Step], creates: [MigrationPlan.Step]) {
        let touched = isCompiled ? touched.union(broken) : touched
        let views = affectedViews(touched)
        let names = touched.union(views)
        let triggers = affectedTriggers(names)
        var drops: [String] = []
        for trigger in old.triggers.values.sorted(by: { $0.name < $1.name })
        where triggers.contains(trigger.name.foldedASCII) {
            drops.append("DROP TRIGGER \(SQLName.printed(trigger.name))")
        }
        for view in inOrder(old.views).reversed() where views.contains(view.name.foldedASCII) {
            drops.append("DROP VIEW \(SQLName.printed(view.name))")
        }
        var creates: [String] = []
        for view in inOrder(new.views)
        where views.contains(view.name.foldedASCII) || old.views[view.name.foldedASCII] == nil {
            creates.append(printer.text(view))
        }
        for trigger in new.triggers.values.sorted(by: { $0.name < $1.name })
        where triggers.contains(trigger.name.foldedASCII) || old.triggers[trigger.name.foldedASCII] == nil {
            creates.append(printer.text(trigger))
        }
        return (
            drops.isEmpty ? [] : [.init("Views and triggers that the changes would break.", drops)],
            creates.isEmpty ? [] : [.init("Views and triggers.", creates)]
        )
    }

    /// Returns the old views that changed, are dropped, or name something that is touched, directly or
    /// through other views.
    private func affectedViews(_ touched: Set<String>) -> Set<String> {
        var affected: Set<String> = []
        for change in changes {
            switch change {
            case .viewDropped(let view): affected.insert(view.name.foldedASCII)
            case .view(let name, _), .respelled(.view, let name, _): affected.insert(name.foldedASCII)
            default: break
            }
        }
        affected.formUnion(touched.intersection(old.views.keys))
        var grew = true
        while grew {
            let names = touched.union(affected)
            let more = old.views.filter {
                !affected.contains($0.key) && !$0.value.query.names.isDisjoint(with: names)
            }
            grew = !more.isEmpty
            affected.formUnion(more.keys)
        }
        return affected
    }

    private func affectedTriggers(_ names: Set<String>) -> Set<String> {
        var affected: Set<String> = []
        for change in changes {
            switch change {
            case .triggerDropped(let trigger): affected.insert(trigger.name.foldedASCII)
            case .trigger(let name, _, _), .respelled(.trigger, let name, _):
                affected.insert(name.foldedASCII)
            default: break
            }
        }
        for (key, trigger) in old.triggers
        where names.contains(key) || names.contains(trigger.table.foldedASCII)
            || !trigger.names.isDisjoint(with: names)
        {
            affected.insert(key)
        }
        return affected
    }

    /// Returns the views, each after those that it names.
    private func inOrder(_ views: [String: View]) -> [View] {
        var left = views.sorted { $0.key < $1.key }
        var done: Set<String> = []
        var ordered: [View] = []
        while !left.isEmpty {
            let ready = left.filter { entry in
                left.allSatisfy { $0.key == entry.key || !entry.value.query.names.contains($0.key) }
            }
            // Views that name each other cannot be used, but SQLite stores them.
            let next = ready.isEmpty ? left : ready
            ordered += next.map(\.value)
            done.formUnion(next.map(\.key))
            left.removeAll { done.contains($0.key) }
        }
        return ordered
    }

    // MARK: - Indexes

    /// Drops indexes by name, even if a rebuild drops them too: only the statement shows that this is
    /// intended.
    func droppedIndexes() -> [MigrationPlan.Step] {
        let gone = Set(
            changes.compactMap { change -> String? in
                if case .tableDropped(let table) = change { table.name.foldedASCII } else { nil }
            })
        let names = changedIndexes.filter { name in
            guard let index = old.indexes[name] else { return false }
            return !gone.contains(index.table.foldedASCII)
        }
        guard !names.isEmpty else { return [] }
        return [
            .init(
                "Indexes that go or change.",
                names.sorted().compactMap { old.indexes[$0] }.map { "DROP INDEX \(SQLName.printed($0.name))" }
            )
        ]
    }

    /// - Parameter rebuilt: the new names of tables that were rebuilt.
    func indexes(rebuilt: Set<String>) -> [MigrationPlan.Step] {
        let changed = changedIndexes
        let made = new.indexes.sorted { $0.key < $1.key }.filter { name, index in
            rebuilt.contains(index.table.foldedASCII) || old.indexes[name] == nil || changed.contains(name)
        }
        guard !made.isEmpty else { return [] }
        return [.init("Indexes.", made.map { printer.text($0.value) })]
    }

    /// Folded names of old indexes that are dropped, or dropped and created again.
    private var changedIndexes: Set<String> {
        Set(
            changes.compactMap { change in
                switch change {
                case .indexDropped(let index): index.name.foldedASCII
                case .index(let name, _, _), .respelled(.index, let name, _): name.foldedASCII
                default: nil
                }
            })
    }
}
