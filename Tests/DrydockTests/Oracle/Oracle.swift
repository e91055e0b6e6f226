import DatabaseEngine

@testable import DrydockTestSupport

/// Compares a database before and after a migration by brute force: every row as a tuple, in plain loops. Which column
/// became which is not inferred but known.
struct Oracle {
    /// What a table lost.
    struct Loss {
        /// The table's names, before and after: an error must contain one of them.
        var names: Set<String>
        var reason: String
        /// Whether the rules allow both verdicts.
        var isOpen = false
    }

    let before: OracleState
    let after: OracleState
    let exemptions: MigrationCase.Exemptions

    private(set) var losses: [Loss] = []
    /// Whether an error that is not about rows and values has a cause.
    private(set) var hasOtherCause = false

    /// - Parameter last: the state after all files.
    init(
        _ before: OracleState, _ after: OracleState, _ exemptions: MigrationCase.Exemptions, last: OracleState
    ) {
        (self.before, self.after, self.exemptions) = (before, after, exemptions)
        for table in before.tables { judge(table) }
        for (table, reason) in after.unreadable
        where !before.unreadable.contains(where: { $0.table.id == table.id }) {
            // A fault that a later file repairs is a warning.
            let isHealed = !last.unreadable.contains { Self.areRelated($0.table, table) }
            losses.append(
                Loss(
                    names: [table.name.lowercased()], reason: "\(table.name) cannot be read: \(reason)",
                    isOpen: isHealed))
        }
        // These rows could not be read.
        for (table, _) in before.unreadable {
            let related = after.tables.map(\.table).filter { Self.areRelated($0, table) }
            losses.append(
                Loss(
                    names: Set(([table] + related).map { $0.name.lowercased() }), reason: "unreadable before",
                    isOpen: true))
        }
        let areMarksLowered = before.marks.contains { id, mark in
            guard let name = before[id]?.table.name.lowercased() else { return true }
            // The app reads by name.
            return !after.tables.contains {
                $0.table.name.lowercased() == name && (after.marks[$0.table.id] ?? 0) >= mark
            }
        }
        hasOtherCause =
            after.foreignKeyFaults > before.foreignKeyFaults || !after.brokenObjects.isEmpty
            || !after.isIntact || areMarksLowered
            || !before.objects.isSubset(of: after.objects)
            // A key that follows a rename points elsewhere at once, and to nothing when a later file drops that.
            || !after.keysWithoutParent.union(last.keysWithoutParent).isSubset(of: before.keysWithoutParent)
    }

    private static func areRelated(_ a: ModelTable, _ b: ModelTable) -> Bool {
        !Set(a.columns.flatMap(\.origins)).isDisjoint(with: Set(b.columns.flatMap(\.origins)))
    }

    private mutating func judge(_ old: OracleState.Table) {
        let table = old.table
        let origins = Set(table.columns.flatMap(\.origins))
        let related = after.tables.filter { new in
            !origins.isDisjoint(with: Set(new.table.columns.flatMap(\.origins)))
        }
        // A table that cannot be read may contain all of the data.
        let isHidden = after.unreadable.contains { Self.areRelated($0.table, table) }
        let names = Set(([table] + related.map(\.table)).map { $0.name.lowercased() })
        if exemptions.tables.contains(table.id) {
            losses.append(Loss(names: names, reason: "declared", isOpen: true))
            return
        }
        // A declaration that one statement needs and another makes false.
        for column in table.columns where exemptions.columns.contains(column.id) {
            let isThere = related.contains { new in
                new.table.columns.contains { $0.name.lowercased() == column.name.lowercased() }
            }
            if isThere == exemptions.drops.contains(column.id) {
                losses.append(Loss(names: names, reason: "declared otherwise", isOpen: true))
            }
        }
        // By the rules, a different row in place of one that may go is the same row with other values.
        if old.mayGo.contains(true), related.contains(where: { isNew(in: $0, to: old) }) {
            losses.append(Loss(names: names, reason: "replaced", isOpen: true))
        }
        let rows = zip(old.rows, old.mayGo).filter { !$0.1 }.map(\.0)
        // The rows may go as declared, although the table may not.
        if rows.isEmpty, !old.rows.isEmpty,
            !related.contains(where: { $0.table.name.lowercased() == table.name.lowercased() })
        {
            losses.append(Loss(names: names, reason: "its rows may go", isOpen: true))
        }
        if rows.isEmpty || after.unreadable.contains(where: { $0.table.id == table.id }) { return }
        let verdicts = related.map { (new: $0, loss: loss(of: rows, in: table, to: $0)) }
        let own = verdicts.first { $0.new.table.id == table.id }
        let sameName = verdicts.first { $0.new.table.name.lowercased() == table.name.lowercased() }
        if let own {
            if let loss = own.loss {
                // A table with the old name has all of the data, and that is the table that an app reads.
                let hasTaker = sameName.map { $0.new.table.id != table.id && $0.loss == nil } ?? false
                losses.append(
                    Loss(names: names, reason: loss.reason, isOpen: loss.isOpen || hasTaker || isHidden))
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
                    isOpen: isHidden || verdicts.contains { $0.loss?.isOpen == true }))
        }
    }

    /// Returns the data of these rows that another table, or the same table afterwards, does not have; nil where it has
    /// all.
    private func loss(
        of rows: [[SQLValue]], in old: ModelTable, to new: OracleState.Table
    ) -> (reason: String, isOpen: Bool)? {
        var places: [(old: Int, new: Int)] = []
        var isOpen = false
        for (place, column) in old.columns.enumerated() {
            if exemptions.columns.contains(column.id) {
                // A column that is only derived from columns that may change may still have to stay.
                if column.generated != nil { isOpen = true }
                continue
            }
            let candidates = new.table.columns.indices.filter {
                new.table.columns[$0].origins.isSuperset(of: column.origins)
            }
            let named = candidates.first {
                new.table.columns[$0].id == column.id
                    || new.table.columns[$0].name.lowercased() == column.name.lowercased()
            }
            let best = named ?? candidates.first
            // Any of several copies may be the successor.
            if named == nil, candidates.count > 1 { isOpen = true }
            if let generated = column.generated {
                let areSourcesKept = generated.sources.compactMap(old.column).allSatisfy { source in
                    new.table.columns.contains { $0.origins.isSuperset(of: source.origins) }
                }
                if let best, new.table.columns[best].generated != nil {
                    // The loss of its sources may be reported.
                    if !areSourcesKept { isOpen = true }
                    continue
                }
                // In another table, or under another name, it counts as derived as long as its sources exist.
                if named == nil || new.table.name.lowercased() != old.name.lowercased() {
                    let sources = generated.sources.compactMap(old.column)
                    let kept = sources.filter { source in
                        new.table.columns.contains { $0.origins.isSuperset(of: source.origins) }
                    }
                    // In a renamed table it may be compared with the column of the same name.
                    if named != nil { isOpen = true }
                    // Unless its sources have different values, declared or not.
                    if kept.count == sources.count,
                        sources.contains(where: { exemptions.columns.contains($0.id) })
                    {
                        isOpen = true
                    }
                    if kept.count == sources.count { continue }
                    if best == nil, !kept.isEmpty { isOpen = true }
                }
            }
            let values = rows.map { $0[place] }.filter { $0 != .null }
            // A column without values may be matched with any column of another name.
            if values.isEmpty, best.map({ new.table.columns[$0].name != column.name }) ?? true {
                // Unless a declaration says that the two are the same.
                if let best, new.rows.contains(where: { $0[best] != .null }) { isOpen = true }
                continue
            }
            if let best, named != nil || !isElsewhere(values, column, new) {
                places.append((place, best))
                // A copy of the key proves little.
                if named == nil,
                    old.columns.contains(where: {
                        old.keyColumns.contains($0.id) && $0.id != column.id && $0.origins == column.origins
                    })
                {
                    isOpen = true
                }
                continue
            }
            if isElsewhere(values, column, new) {
                // A renamed column is compared with its original, wherever else its values are.
                if best != nil || !isElsewhereByRow(rows, place, old, new) { isOpen = true }
                continue
            }
            // A declaration may name the column of the table that has all of the data.
            let isDeclared = before.tables.flatMap(\.table.columns).contains {
                exemptions.drops.contains($0.id) && $0.origins.isSuperset(of: column.origins)
            }
            return ("\(old.name).\(column.name) is not in \(new.table.name)", isOpen || isDeclared)
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
        guard let first = missing.first else { return isOpen ? ("it may be seen either way", true) : nil }
        let named = zip(places, first).map { "\(old.columns[$0.old].name) = \(Self.text($1))" }
        return (
            "\(missing.count) of \(rows.count) rows of \(old.name) are not in \(new.table.name), such as \(named.joined(separator: ", "))",
            isOpen
        )
    }

    /// Whether a table has a row that is not among another's rows, compared in the columns that both have.
    private func isNew(in new: OracleState.Table, to old: OracleState.Table) -> Bool {
        let places = old.table.columns.enumerated().compactMap { place, column in
            new.table.columns.firstIndex { $0.origins == column.origins }.map { (old: place, new: $0) }
        }
        let known = Set(old.rows.map { row in places.map { row[$0.old] } })
        return new.rows.contains { row in !known.contains(places.map { row[$0.new] }) }
    }

    /// Whether every value of a dropped column is in another table that received them.
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

    /// Whether every value of a dropped column is in another table beside values that identify its row.
    private func isElsewhereByRow(
        _ rows: [[SQLValue]], _ place: Int, _ old: ModelTable, _ new: OracleState.Table
    ) -> Bool {
        let filled = rows.filter { $0[place] != .null }
        return after.tables.contains { table in
            guard table.table.id != new.table.id else { return false }
            let pairs = old.columns.enumerated().compactMap { number, column in
                table.table.columns.firstIndex { $0.origins.isSuperset(of: column.origins) }
                    .map { (old: number, new: $0) }
            }
            guard pairs.contains(where: { $0.old == place }) else { return false }
            let own = filled.map { row in pairs.map { row[$0.old] } }
            let others = filled.map { row in pairs.filter { $0.old != place }.map { row[$0.old] } }
            return Set(own).isSubset(of: table.rows.map { row in pairs.map { row[$0.new] } })
                && Set(others).count == filled.count
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
