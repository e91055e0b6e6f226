import DatabaseEngine

/// Compares a database before and after a migration by brute force: every row as a tuple, in plain loops. Which
/// column became which is not looked for but known.
struct Oracle {
    /// What a table lost.
    struct Loss {
        /// The table's names, before and after: an error must name one of them.
        var names: Set<String>
        var reason: String
        /// A reader of the rules may see it either way.
        var isOpen = false
    }

    let before: OracleState
    let after: OracleState
    let exemptions: MigrationCase.Exemptions

    private(set) var losses: [Loss] = []
    /// Whether an error that is not about rows and values has a cause.
    private(set) var hasOtherCause = false

    init(_ before: OracleState, _ after: OracleState, _ exemptions: MigrationCase.Exemptions) {
        (self.before, self.after, self.exemptions) = (before, after, exemptions)
        for table in before.tables { judge(table) }
        for (table, reason) in after.unreadable
        where !before.unreadable.contains(where: { $0.table.id == table.id }) {
            losses.append(
                Loss(names: [table.name.lowercased()], reason: "\(table.name) cannot be read: \(reason)"))
        }
        let marksFell = before.marks.contains { id, mark in
            guard let origins = before[id]?.table.columns.first?.origins else { return true }
            return !after.tables.contains {
                $0.table.columns.contains { $0.origins.isSuperset(of: origins) }
                    && (after.marks[$0.table.id] ?? 0) >= mark
            }
        }
        hasOtherCause =
            after.foreignKeyFaults > 0 || !after.brokenObjects.isEmpty || !after.isIntact || marksFell
            || !before.objects.isSubset(of: after.objects)
    }

    private mutating func judge(_ old: OracleState.Table) {
        let table = old.table
        let origins = Set(table.columns.flatMap(\.origins))
        let related = after.tables.filter { new in
            !origins.isDisjoint(with: Set(new.table.columns.flatMap(\.origins)))
        }
        let names = Set(([table] + related.map(\.table)).map { $0.name.lowercased() })
        if exemptions.tables.contains(table.id) {
            losses.append(Loss(names: names, reason: "declared", isOpen: true))
            return
        }
        // A declaration that one statement needs and another makes untrue.
        for column in table.columns where exemptions.columns.contains(column.id) {
            let isThere = related.contains { new in
                new.table.columns.contains { $0.name.lowercased() == column.name.lowercased() }
            }
            if isThere == exemptions.drops.contains(column.id) {
                losses.append(Loss(names: names, reason: "declared otherwise", isOpen: true))
            }
        }
        // Another row in the place of one that may go is the same row with other values, as the rules have it.
        if old.mayGo.contains(true), related.contains(where: { isNew(in: $0, to: old) }) {
            losses.append(Loss(names: names, reason: "replaced", isOpen: true))
        }
        let rows = zip(old.rows, old.mayGo).filter { !$0.1 }.map(\.0)
        if rows.isEmpty || after.unreadable.contains(where: { $0.table.id == table.id }) { return }
        let verdicts = related.map { (new: $0, loss: loss(of: rows, in: table, to: $0)) }
        let own = verdicts.first { $0.new.table.id == table.id }
        let sameName = verdicts.first { $0.new.table.name.lowercased() == table.name.lowercased() }
        if let own {
            if let loss = own.loss {
                losses.append(Loss(names: names, reason: loss.reason, isOpen: loss.isOpen))
            } else if let sameName, sameName.new.table.id != table.id {
                losses.append(Loss(names: names, reason: "another has its name", isOpen: true))
            }
        } else if verdicts.contains(where: { $0.loss == nil }) {
            if sameName?.loss != nil {
                losses.append(
                    Loss(names: names, reason: "a copy has it all, not the table of its name", isOpen: true))
            }
        } else {
            let reasons = verdicts.map { "\($0.new.table.name): \($0.loss?.reason ?? "")" }
            losses.append(
                Loss(
                    names: names,
                    reason: reasons.isEmpty
                        ? "\(table.name) is nowhere, of \(rows.count) rows" : reasons.joined(separator: "; "),
                    isOpen: verdicts.contains { $0.loss?.isOpen == true }))
        }
    }

    /// What another table, or the same afterwards, does not have of these rows; nil where it has all.
    private func loss(
        of rows: [[SQLValue]], in old: ModelTable, to new: OracleState.Table
    ) -> (reason: String, isOpen: Bool)? {
        var places: [(old: Int, new: Int)] = []
        var isOpen = false
        for (place, column) in old.columns.enumerated() where !exemptions.columns.contains(column.id) {
            let candidates = new.table.columns.indices.filter {
                new.table.columns[$0].origins.isSuperset(of: column.origins)
            }
            let best =
                candidates.first { new.table.columns[$0].name.lowercased() == column.name.lowercased() }
                ?? candidates.first
            if let generated = column.generated {
                if let best, new.table.columns[best].generated != nil { continue }
                // In another table it is derived as long as its sources are there.
                if best == nil || new.table.name.lowercased() != old.name.lowercased() {
                    let sources = generated.sources.compactMap(old.column)
                    let kept = sources.filter { source in
                        new.table.columns.contains { $0.origins.isSuperset(of: source.origins) }
                    }
                    if kept.count == sources.count { continue }
                    if best == nil, !kept.isEmpty { isOpen = true }
                }
            }
            let values = rows.map { $0[place] }.filter { $0 != .null }
            // A column that held nothing and is called otherwise is as good as another.
            if values.isEmpty, best.map({ new.table.columns[$0].name != column.name }) ?? true { continue }
            if let best {
                places.append((place, best))
                continue
            }
            if isElsewhere(values, column, new) { continue }
            return ("\(old.name).\(column.name) is not in \(new.table.name)", isOpen)
        }
        var counts: [[SQLValue]: Int] = [:]
        for row in new.rows { counts[places.map { row[$0.new] }, default: 0] += 1 }
        var missing: [[SQLValue]] = []
        for row in rows {
            let tuple = places.map { row[$0.old] }
            if let count = counts[tuple], count > 0 {
                counts[tuple] = count - 1
            } else {
                missing.append(tuple)
            }
        }
        guard let first = missing.first else { return nil }
        let named = zip(places, first).map { "\(old.columns[$0.old].name) = \(Self.text($1))" }
        return (
            "\(missing.count) of \(rows.count) rows of \(old.name) are not in \(new.table.name), such as \(named.joined(separator: ", "))",
            isOpen
        )
    }

    /// Whether a table has a row that is not one of another's rows, as far as they have the same columns.
    private func isNew(in new: OracleState.Table, to old: OracleState.Table) -> Bool {
        let places = old.table.columns.enumerated().compactMap { place, column in
            new.table.columns.firstIndex { $0.origins == column.origins }.map { (old: place, new: $0) }
        }
        let known = Set(old.rows.map { row in places.map { row[$0.old] } })
        return new.rows.contains { row in !known.contains(places.map { row[$0.new] }) }
    }

    /// Whether a dropped column's every value is in another table that was given them.
    private func isElsewhere(_ values: [SQLValue], _ column: ModelColumn, _ new: OracleState.Table) -> Bool {
        after.tables.contains { table in
            guard table.table.id != new.table.id else { return false }
            return table.table.columns.indices.contains { place in
                guard table.table.columns[place].origins.isSuperset(of: column.origins) else { return false }
                let there = Set(table.rows.map { $0[place] })
                return values.allSatisfy(there.contains)
            }
        }
    }

    static func text(_ value: SQLValue) -> String {
        switch value {
        case .null: "NULL"
        case .integer(let value): "\(value)"
        case .real(let value): "\(value)"
        case .text(let bytes): "'\(String(decoding: bytes, as: UTF8.self))'"
        case .blob(let bytes): "x'\(bytes.prefix(8).map { String($0, radix: 16) }.joined())' (\(bytes.count))"
        }
    }
}
