import DrydockState
import DrydockFindings
import DatabaseEngine
import SQLiteSchema

/// A table that has the place of another one because it has its rows: what belonged to the other table beside the rows
/// (indexes, triggers, the AUTOINCREMENT mark) should be found on it.
package struct Successor: Sendable {
    /// How a table came to inherit from another one.
    package enum Cause: Sendable {
        /// The other table is gone.
        case dropped
        /// The other table is gone as declared: it has a successor only if another table takes its name later.
        case letGo
        /// The other table gave up its name and lives on under another one.
        case renamed
    }

    /// The other table, before the step.
    package var before: Catalog.Table
    /// The table that has its rows, after the step.
    package var after: Catalog.Table
    /// The columns of both that were copied or have the same name.
    package var columns: [TableMatch.ColumnPair]
    package var cause: Cause
    /// Whether the table also has rows that came from elsewhere, so that it is more than a rebuild of the other one.
    package var isMerged = false
    /// Whether the table has had the other one's name since the migration in which that one gave it up.
    package var hasReplaced = false

    /// Returns the last name of the table; nil where it is gone, or is not a successor after all.
    package func lastName(in end: DatabaseState, _ lastName: (String) -> String?) -> String? {
        guard let last = lastName(after.name), end.catalog.table(last) != nil else { return nil }
        switch cause {
        case .dropped: return last
        case .letGo: return last == before.name.foldedASCII ? last : nil
        // The name may only have been needed until the other table is dropped.
        case .renamed: return last == after.name.foldedASCII ? last : nil
        }
    }
}

extension Ledger {
    /// Returns the successors of the tables that are gone or gave up their names.
    func successors(
        of facts: Conservation, _ lineage: TableLineage
    ) throws -> [Successor] {
        guard !facts.droppedTables.isEmpty || lineage.movesNamesOrRows else { return [] }
        let inheritance = Inheritance(connection: connection, after: after, provenance: provenance())
        let replacements = inheritance.replacements(of: before.tables).filter { successor in
            // The rules compare such a pair by itself.
            !facts.kept.contains {
                $0.match.before.name == successor.before.name && $0.match.after.name == successor.after.name
            }
        }
        return try facts.droppedTables.flatMap { dropped -> [Successor] in
            let isDeclared = declarations.contains { $0.kind.isDrop(of: dropped.table.name) }
            // A table that lost rows is reported as such.
            guard isDeclared || dropped.home != nil || dropped.rowCount == 0 else { return [] }
            return try inheritance.successors(
                of: dropped.table, home: dropped.home?.table, isDeclared ? .letGo : .dropped)
        } + replacements
    }
}

/// Finds the successors of the tables that a step drops, or that gave up their names.
struct Inheritance {
    let connection: any Connection
    let after: Catalog
    let provenance: Provenance

    /// Returns the tables that have the place of a dropped table.
    /// - Parameter home: the table that is known to have all of its rows; nil where there were none.
    func successors(of table: Catalog.Table, home: Catalog.Table?, _ cause: Successor.Cause) throws
        -> [Successor]
    {
        let names = provenance.recipients(ofRowsOf: table.name)
        let others = names.compactMap { after.tables[$0] }.filter(\.keepsRows)
        // A backup is not the successor of its original.
        if let home, !others.contains(where: { $0.name == home.name }) { return [] }
        let sorted = others.filter { $0.name == home?.name } + others.filter { $0.name != home?.name }
        return try sorted.compactMap { other in
            var successor = successor(of: table, other, cause)
            let isWhole = successor.columns.count == table.columns.count
            guard home?.name == other.name || isWhole && isCopied(successor) else { return nil }
            successor.isMerged =
                try provenance.hasOtherSources(other.name, than: table.name) || isLarger(successor)
            return successor
        }
    }

    /// Returns the tables that took the name and the rows of a table that lives on under another name.
    /// - Parameter tables: those before the step.
    func replacements(of tables: [String: Catalog.Table]) -> [Successor] {
        provenance.replacements().compactMap { old, new in
            guard let table = tables[old], let other = after.tables[new], other.keepsRows else { return nil }
            var successor = successor(of: table, other, .renamed)
            successor.hasReplaced = provenance.hasReplaced(old, by: new)
            return successor
        }
    }

    private func successor(of table: Catalog.Table, _ other: Catalog.Table, _ cause: Successor.Cause)
        -> Successor
    {
        var taken: Set<String> = []
        let pairs = table.columns.compactMap { column -> TableMatch.ColumnPair? in
            let copies = provenance.columns(for: column.name, of: table, in: other).filter {
                $0.name.foldedASCII == column.name.foldedASCII || table.column($0.name) == nil
            }
            let candidates = copies + [other.column(column.name)].compactMap { $0 }
            return candidates.first { taken.insert($0.name.foldedASCII).inserted }.map {
                .init(before: column, after: $0)
            }
        }
        return Successor(before: table, after: other, columns: pairs, cause: cause)
    }

    private func isCopied(_ successor: Successor) -> Bool {
        successor.columns.contains { pair in
            provenance.isCopied(
                pair.before.name, of: successor.before, to: pair.after.name, in: successor.after)
        }
    }

    private func isLarger(_ successor: Successor) throws -> Bool {
        let (old, new) = (quotedName(successor.before.name), quotedName(successor.after.name))
        return try connection.firstRow(
            "SELECT (SELECT count(*) FROM main.\(old)) < (SELECT count(*) FROM \(StateInspector.laterSchema).\(new))"
        ) { $0.integer(0) != 0 } ?? false
    }
}

extension Provenance {
    /// Returns the tables after the step, folded, into which statements inserted rows of a table from before it.
    fileprivate func recipients(ofRowsOf table: String) -> [String] {
        guard let id = start[table]?.id else { return [] }
        let own = end.trackedTable(id).map(end.sources) ?? []
        // What has had the name and the rows since an earlier step has been compared there.
        let known = start.successions().filter { $0.old == id }.map(\.new)
        return end.state.trackedTables.filter { key, other in
            // Of two tables that exchanged rows, the younger one is the copy.
            key.schema == "main" && other.id != id && end.sources(of: other).contains(id)
                && (other.id > id || !own.contains(other.id)) && !known.contains(other.id)
        }.map(\.key.name).sorted()
    }

    /// Whether rows of a table may also come from tables that have nothing to do with the other one.
    fileprivate func hasOtherSources(_ later: String, than table: String) -> Bool {
        guard let id = start[table]?.id, let successor = end[later] else { return false }
        let own = (end.trackedTable(id).map(end.sources) ?? []).union([id, successor.id])
        return end.sources(of: successor).subtracting(own).contains { source in
            end.trackedTable(source).map { end.sources(of: $0).isEmpty } ?? false
        }
    }

    /// Whether a table got another's name in the migration in which that one gave it up.
    fileprivate func hasReplaced(_ old: String, by new: String) -> Bool {
        guard let id = start[old]?.id else { return false }
        return end[new]?.replaced.contains(id) ?? false
    }

    /// Returns the pairs of a table before the step and the one that has its former name and its rows since this step,
    /// both folded.
    fileprivate func replacements() -> [(old: String, new: String)] {
        let known = Set(start.successions().map { [$0.old, $0.new] })
        return end.successions().compactMap { old, new in
            guard !known.contains([old, new]), let before = start.name(of: old), let after = end.name(of: new)
            else { return nil }
            return (before, after)
        }
    }
}

extension TableLineage {
    /// Whether the step renamed a table, or inserted rows of one table into another.
    var movesNamesOrRows: Bool {
        state.trackedTables.contains { key, table in
            key.schema == "main" && (!table.copied.isEmpty || table.origin.map { $0 != key.name } ?? false)
        }
    }

    /// Returns the tables whose rows statements copied into a table, directly or through others.
    fileprivate func sources(of table: TrackedTable) -> Set<Int> { suppliers(of: table, by: \.copied) }

    /// Records which table has which name after a migration.
    mutating func noteLastingNames() {
        for key in state.trackedTables.keys where key.schema == "main" {
            state.trackedTables[key]?.lastingNames.insert(key.name)
        }
    }

    /// The pairs of a table that lives on under another name and the one that has its former name and its rows. A name
    /// that a table only had while a migration made it is not its former name.
    fileprivate func successions() -> [(old: Int, new: Int)] {
        state.trackedTables.filter { $0.key.schema == "main" && !$0.value.predecessors.isEmpty }
            .sorted { $0.value.id < $1.value.id }.flatMap { key, table in
                let sources = sources(of: table)
                return table.predecessors.filter { id in
                    sources.contains(id) && name(of: id) != nil
                        && trackedTable(id)?.lastingNames.contains(key.name) == true
                }.map { (old: $0, new: table.id) }
            }
    }
}

extension ObjectText {
    /// Returns the statement with the successor in the place of the other table, and with its columns' new names.
    package func moved(to successor: Successor) -> String {
        let renamed = successor.columns.filter { $0.before.name.foldedASCII != $0.after.name.foldedASCII }
        let columns = Dictionary(
            renamed.map { ($0.before.name.foldedASCII, $0.after.name) },
            uniquingKeysWith: { first, _ in first })
        return renaming(table: successor.before.name, to: successor.after.name, columns: columns)
    }
}
