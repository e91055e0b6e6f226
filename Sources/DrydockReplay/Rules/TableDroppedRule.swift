import DrydockFindings
import DrydockMigrations
import DrydockConservation
import DrydockState
import SQLiteSchema

/// `table-dropped`: a table was dropped without a declaration. A table without rows is a warning; one with every row in
/// a remaining table, a note. So is one that was renamed before another table got its name. Tables that changed places are
/// errors, and so is one that had the same rows as another, where the remaining table does not have them all.
struct TableDroppedRule: StepRule {
    func check(_ step: StepView, _ declarations: inout DeclarationUse) -> [StepFinding] {
        let moved = step.conservation.kept.map(\.match).filter { $0.isMovedAside(in: step) }
        return moved.compactMap { replaced($0, in: step, &declarations) } + dropped(in: step, &declarations)
    }

    /// Returns the note on a table that lives on under another name, while a new table has its name and none of its
    /// rows.
    private func replaced(
        _ match: TableMatch, in step: StepView, _ declarations: inout DeclarationUse
    ) -> StepFinding? {
        let (old, new) = (match.before.name, match.after.name)
        let isDeclared = declarations.covers { $0.isRename(of: old, to: new) }
        guard !isDeclared else { return nil }
        let place = step.statement(at: step.lineage[old]?.createdBy).map { Finding.Place($0) }
        return StepFinding(
            Finding(
                .tableDropped, .note,
                "table \(old) is now \(new), with its rows; the new table \(old) has none of them",
                place: place,
                table: old))
    }

    private func dropped(in step: StepView, _ declarations: inout DeclarationUse) -> [StepFinding] {
        let homes = Dictionary(
            uniqueKeysWithValues: step.conservation.droppedTables.compactMap { dropped in
                dropped.home.map { (dropped.table.name.foldedASCII, $0.table.name.foldedASCII) }
            })
        return step.conservation.droppedTables.compactMap { dropped in
            let name = dropped.table.name
            let isDeclared = declarations.covers {
                if case .dropsTable(let table) = $0 { table.foldedASCII == name.foldedASCII } else { false }
            }
            guard !isDeclared else { return nil }
            if dropped.needsDeclarations { _ = declarations.covers { $0.letsGo(of: name) } }
            let place = step.statement(at: step.lineage.dropStatement(ofTable: name)).map {
                Finding.Place($0)
            }
            if let crowding = dropped.crowding {
                return StepFinding(Self.crowded(dropped, crowding, place))
            }
            if let home = dropped.home,
                let taker = Self.taker(of: name, homes) ?? emptied(name, home, in: step),
                !declarations.covers({ $0.isRename(of: name, to: home.table.name) })
            {
                let other = step.before.catalog.table(taker)?.name ?? taker
                return StepFinding(
                    Self.crossed(name, other, home: home.table.name, rowCount: dropped.rowCount, place))
            }
            if let found = found(dropped, &declarations, place) { return found }
            // Whether the rows that are left need them cannot be said.
            _ = declarations.covers { $0.letsGo(of: name) }
            return gone(dropped, place)
        }
    }

    /// Returns the note on a table whose rows are all in one that remains, or in several.
    private func found(
        _ dropped: Conservation.DroppedTable, _ declarations: inout DeclarationUse, _ place: Finding.Place?
    ) -> StepFinding? {
        let name = dropped.table.name
        var homes = dropped.parts.filter(\.missing.isEmpty).map(\.table.name)
        if let home = dropped.home, isWhole(home, of: name, &declarations) { homes = [home.table.name] }
        guard !homes.isEmpty else { return nil }
        return StepFinding(
            Finding(
                .tableDropped, .note,
                "table \(name) is gone; all its rows are in \(homes.joined(separator: " or "))"
                    + (dropped.needsDeclarations ? ", except those that declarations allow to go" : ""),
                place: place, table: name, evidence: Evidence(rowCount: dropped.rowCount)))
    }

    /// Returns the finding on a table whose rows are gone, if it had any.
    private func gone(_ dropped: Conservation.DroppedTable, _ place: Finding.Place?) -> StepFinding {
        let (name, rows) = (dropped.table.name, dropped.rowCount)
        return StepFinding(
            Finding(
                .tableDropped, rows == 0 ? .warning : .error,
                "table \(name) is gone"
                    + (rows == 0 ? "; it had no rows" : ", with its \(counted(rows, "row"))") + lack(dropped),
                help: help(dropped), place: place, table: name, evidence: Evidence(rowCount: rows)))
    }

    /// Returns what to do: where only columns are missing, nothing that would let the rows go.
    private func help(_ dropped: Conservation.DroppedTable) -> Help {
        let name = quotedIfNeeded(dropped.table.name)
        guard let missing = dropped.homes.first?.missing, !missing.isEmpty else {
            return remedy(
                "its rows are no longer needed", "drops table \(name)",
                else: "If it was only renamed, declare that:\n"
                    + .declaration("renames table \(name) to NEW_NAME"))
        }
        let columns = missing.map { quotedIfNeeded($0.column.name) }
        let isNewKey = dropped.home?.hasNewKeys == true && missing.count == 1
        let help: Help = columns.reduce(
            isNewKey
                ? "If its rows may have new keys, declare it:"
                : "If \(listed(columns)) \(columns.count == 1 ? "is" : "are") no longer needed, declare it:"
        ) {
            $0 + "\n" + .declaration((isNewKey ? "rewrites " : "drops column ") + "\(name).\($1)")
        }
        return help + "\nOtherwise copy \(columns.count == 1 ? "it" : "them") with the rows."
    }

    /// Returns the table whose rows a table now has, if tables have exchanged their names.
    /// - Parameter homes: the table that has the rows of each dropped one.
    private static func taker(of name: String, _ homes: [String: String]) -> String? {
        var (table, seen) = (name.foldedASCII, Set<String>())
        while let next = homes[table], seen.insert(table).inserted {
            if next == name.foldedASCII { return table }
            table = next
        }
        return nil
    }

    /// Returns the table with a dropped one's rows, where it had none to give for them.
    private func emptied(_ name: String, _ home: Ledger.Home, in step: StepView) -> String? {
        step.lineage.areCrossed(name, home.table.name) ? home.table.name : nil
    }

    /// Returns the finding on a table that has another one's rows, while its own are in another one.
    static func crossed(
        _ name: String, _ other: String, home: String, rowCount: Int?, _ place: Finding.Place?
    ) -> Finding {
        Finding(
            .tableDropped, "table \(name) now has the rows of \(other), and its own are in \(home)",
            help: remedy(
                "that is intended", "renames table \(quotedIfNeeded(name)) to \(quotedIfNeeded(home))",
                else: "If not, correct the names where the rows are copied or the tables renamed."),
            place: place, table: name, evidence: rowCount.map { Evidence(rowCount: $0) })
    }

    /// Returns the finding on a table whose home does not have each row that it and others had.
    static func crowded(
        _ dropped: Conservation.DroppedTable, _ crowding: Conservation.Crowding, _ place: Finding.Place?
    ) -> Finding {
        let (name, count) = (dropped.table.name, crowding.missing)
        let isPair = count == 1 && crowding.others.count == 1
        let homes = crowding.homes.map(\.name)
        return Finding(
            .tableDropped,
            "table \(name) is gone, with \(counted(count, "row")): "
                + "\(crowding.others.joined(separator: " and ")) had the same, and \(homes.joined(separator: " and ")) "
                + "\(homes.count == 1 ? "does" : "do") not have \(isPair ? "both" : "all of them")",
            help: remedy(
                "equal rows mean the same", "drops table \(quotedIfNeeded(name))",
                else:
                    "If each row counts, copy all of them: UNION ALL keeps equal rows; UNION keeps only one of them."
            ),
            place: place, table: name, evidence: Evidence(rowCount: count))
    }

    /// Whether everything that the new table lacks is declared.
    private func isWhole(
        _ home: Ledger.Home, of table: String, _ declarations: inout DeclarationUse
    ) -> Bool {
        home.missing.allSatisfy { missing in
            declarations.covers {
                guard case .dropsColumn(let named, let column) = $0 else { return false }
                return [table.foldedASCII, home.table.name.foldedASCII].contains(named.foldedASCII)
                    && column.foldedASCII == missing.column.name.foldedASCII
            }
        }
    }

    /// Returns where the rows are, and without which columns.
    private func lack(_ dropped: Conservation.DroppedTable) -> String {
        guard let missing = dropped.homes.first?.missing, !missing.isEmpty else { return "" }
        let homes = dropped.homes.map(\.table.name)
        let columns = missing.map { "\($0.column.name) with \(counted($0.valueCount, "value"))" }
        return
            "; \(homes.joined(separator: " and ")) \(homes.count == 1 ? "has" : "have") them without column "
            + columns.joined(separator: ", ")
    }
}

extension TableMatch {
    /// Whether the table got a new name, and its own was given to a table that the step created for something else.
    func isMovedAside(in step: StepView) -> Bool {
        guard before.name.foldedASCII != after.name.foldedASCII,
            step.before.catalog.table(after.name) == nil, step.after.catalog.table(before.name) != nil,
            step.lineage.currentName(of: before.name) == after.name.foldedASCII,
            let created = step.lineage[before.name], created.origin == nil, created.createdBy != nil
        else { return false }
        return !step.conservation.kept.contains {
            $0.match.after.name.foldedASCII == before.name.foldedASCII
        }
    }
}

extension Declaration.Kind {
    /// Whether the declaration allows rows or values of a table to go.
    fileprivate func letsGo(of table: String) -> Bool {
        switch self {
        case .deletes(let name, _), .rewrites(let name, _), .dropsColumn(let name, _):
            name.foldedASCII == table.foldedASCII
        default: false
        }
    }
}
