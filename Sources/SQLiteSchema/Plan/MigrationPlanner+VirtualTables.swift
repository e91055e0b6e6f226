extension MigrationPlanner {
    /// Returns the steps for virtual tables: they are dropped before others take their names, and filled once
    /// everything that they read exists.
    func virtualTables(
        _ changed: [TablePlan], _ plan: inout MigrationPlan
    ) -> (drops: [MigrationPlan.Step], creates: [MigrationPlan.Step], fills: [MigrationPlan.Step]) {
        var gone: [String: VirtualTable] = [:]
        var made: [String: VirtualTable] = [:]
        for change in changes {
            switch change {
            case .virtualTableAdded(let table): made[table.name.foldedASCII] = table
            case .virtualTableDropped(let table): gone[table.name.foldedASCII] = table
            case .virtualTable(let name, _), .respelled(.virtualTable, _, let name):
                gone[name.foldedASCII] = old.virtualTables[name.foldedASCII]
                made[name.foldedASCII] = new.virtualTables[name.foldedASCII]
            default: break
            }
        }
        let drops = gone.sorted { $0.key < $1.key }.map { dropped($0.value, &plan) }
        let tables = made.sorted { $0.key < $1.key }.map(\.value)
        let creates = tables.map {
            MigrationPlan.Step("Virtual table \($0.name) is new.", [printer.text($0)])
        }
        var disturbed = Set(changed.filter(\.disturbsSearches).map(\.new.name.foldedASCII))
        for case .tableAdded(let table) in changes { disturbed.insert(table.name.foldedASCII) }
        let stale = new.virtualTables.filter { name, table in
            made[name] == nil && table.content.map { disturbed.contains($0.foldedASCII) } ?? false
        }.sorted { $0.key < $1.key }.map(\.value)
        let fills = (tables + stale).filter { $0.isFullText && $0.isExternalContent }.map { table in
            let name = SQLName.printed(table.name)
            return MigrationPlan.Step(
                "Virtual table \(table.name) reads what it indexes.",
                ["INSERT INTO \(name)(\(name)) VALUES ('rebuild')"])
        }
        return (drops, creates, fills)
    }

    /// Drops a virtual table. An index over another table's text can be built again; everything else that a
    /// virtual table stores is lost.
    private func dropped(_ table: VirtualTable, _ plan: inout MigrationPlan) -> MigrationPlan.Step {
        let name = SQLName.printed(table.name)
        let isDerived = table.isFullText && table.isExternalContent
        if !isDerived { plan.losses.append("virtual table \(table.name) with its rows") }
        return .init(
            "Virtual table \(table.name) goes.", declarations: isDerived ? [] : ["drops table \(name)"],
            ["DROP TABLE \(name)"])
    }
}
