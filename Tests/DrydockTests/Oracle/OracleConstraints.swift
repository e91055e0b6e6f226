@testable import DrydockTestSupport

/// What SQLite refuses in a table: read with PRAGMAs, and for CHECK and COLLATE from what the generator wrote.
struct OracleConstraints {
    struct Key {
        /// Ids of columns, with the collation that compares each.
        var columns: [Int: String]
        var isPrimary: Bool
        var isIndex: Bool
    }

    struct Reference {
        /// Ids of columns.
        var columns: Set<Int>
        var parent: String
        var actions: [String]
    }

    var keys: [Key] = []
    /// Ids of the columns that refuse NULL.
    var filled: Set<Int> = []
    var references: [Reference] = []

    init(_ database: PlainDatabase, _ table: ModelTable) throws {
        func id(_ name: String) -> Int? {
            table.columns.first { $0.name.lowercased() == name.lowercased() }?.id
        }
        if let column = table.alias {
            keys.append(Key(columns: [column: "BINARY"], isPrimary: true, isIndex: false))
            filled.insert(column)
        }
        let columns = try database.rows("PRAGMA main.table_xinfo(\(table.quoted))") {
            ($0.string(1), $0.integer(3) != 0)
        }
        filled.formUnion(columns.filter(\.1).compactMap { id($0.0) })
        let indexes = try database.rows("PRAGMA main.index_list(\(table.quoted))") {
            ($0.string(1), $0.integer(2) != 0 && $0.integer(4) == 0, $0.string(3))
        }
        for (name, isWholeAndUnique, origin) in indexes where isWholeAndUnique {
            let terms = try database.rows("PRAGMA main.index_xinfo(\(quote(name)))") {
                $0.integer(5) == 1 ? ($0.integer(1), $0.string(2), $0.string(4)) : nil
            }.compactMap { $0 }
            let own = terms.compactMap { place, name, collation in
                place < 0 ? nil : id(name).map { ($0, collation.uppercased()) }
            }
            guard own.count == terms.count else { continue }
            keys.append(
                Key(
                    columns: Dictionary(own, uniquingKeysWith: { first, _ in first }),
                    isPrimary: origin == "pk",
                    isIndex: origin == "c"))
        }
        let rows = try database.rows("PRAGMA main.foreign_key_list(\(table.quoted))") {
            ($0.integer(0), $0.string(2).lowercased(), $0.string(3), $0.string(5), $0.string(6))
        }
        for (_, parts) in Dictionary(grouping: rows, by: \.0) {
            references.append(
                Reference(
                    columns: Set(parts.compactMap { id($0.2) }), parent: parts[0].1,
                    actions: [parts[0].4, parts[0].3]))
        }
    }
}

/// The constraints that a table lost, by brute force.
struct OracleConstraintLoss {
    enum Kind: String, CaseIterable {
        case primaryKey = "PRIMARY KEY"
        case unique = "UNIQUE"
        case notNull = "NOT NULL"
        case check = "CHECK"
        case collate = "COLLATE"
        case reference = "REFERENCES"

        /// Returns the kind that a finding's message is about.
        init?(message: String) {
            if message.hasPrefix("FOREIGN KEY") {
                self = .reference
            } else {
                let kind = Self.allCases.first { message.hasPrefix($0.rawValue) }
                guard let kind else { return nil }
                self = kind
            }
        }
    }

    var kind: Kind
    /// The column that the finding must name.
    var column: String?

    /// Returns the losses; nil where it is not known which column became which.
    /// - Parameters:
    ///   - tables: the tables that there are afterwards, in lower case.
    ///   - parents: the names that a table may have afterwards, in lower case; empty where it is gone.
    static func losses(
        from old: OracleState.Table, to new: OracleState.Table, in tables: Set<String>,
        parents: (String) -> Set<String>
    ) -> [OracleConstraintLoss]? {
        var ids: [Int: ModelColumn] = [:]
        for column in old.table.columns {
            let same = new.table.columns.filter { !$0.origins.isDisjoint(with: column.origins) }
            guard same.count < 2 else { return nil }
            ids[column.id] = same.first
        }
        guard Set(ids.values.map(\.id)).count == ids.count else { return nil }
        let (before, after) = (old.constraints, new.constraints)
        var losses: [OracleConstraintLoss] = []
        func lose(_ kind: Kind, _ column: ModelColumn? = nil) {
            losses.append(.init(kind: kind, column: column?.name.lowercased()))
        }
        let alias = old.table.alias
        for key in before.keys where !key.isIndex && key.columns.keys.allSatisfy({ ids[$0] != nil }) {
            // The column has lost its own collation.
            let isLooser = key.columns.keys.contains { id in
                (old.table.column(id)?.collation ?? "BINARY") != (ids[id]?.collation ?? "BINARY")
            }
            let isKept = after.keys.contains { other in
                other.columns.allSatisfy { id, collation in
                    key.columns.contains { own, ownCollation in
                        ids[own]?.id == id
                            && (isLooser || collation == ownCollation || ownCollation == "BINARY")
                    }
                }
            }
            if !isKept { lose(key.isPrimary ? .primaryKey : .unique) }
        }
        for (id, column) in ids {
            guard let own = old.table.column(id) else { continue }
            if before.filled.contains(id), !after.filled.contains(column.id) {
                if own.isNotNull && alias != id { lose(.notNull, column) } else { lose(.primaryKey) }
            }
            if let check = own.check, column.check != check { lose(.check) }
            let collation = own.collation ?? "BINARY"
            if alias != id, collation != "BINARY", collation != column.collation { lose(.collate, column) }
        }
        for key in before.references where key.columns.allSatisfy({ ids[$0] != nil }) {
            let names = parents(key.parent)
            let columns = Set(key.columns.compactMap { ids[$0]?.id })
            // A key whose parent is gone is another matter.
            guard !names.isEmpty,
                !after.references.contains(where: { $0.columns == columns && !tables.contains($0.parent) })
            else { continue }
            let same = after.references.filter { $0.columns == columns && names.contains($0.parent) }
            // What refuses NULL could not be set to it.
            let isFilled = !columns.isDisjoint(with: after.filled)
            let isKept = same.contains { other in
                zip(key.actions, other.actions).allSatisfy { was, now in
                    was == "NO ACTION" || was == now || was == "SET NULL" && isFilled
                }
            }
            if !isKept { lose(.reference) }
        }
        return losses
    }
}

extension Oracle {
    /// What is known of the constraints of a table before the file.
    struct ConstraintVerdict {
        /// The table's names before and after, in lower case.
        var names: Set<String>
        /// Nil where it is not known what the table became.
        var losses: [OracleConstraintLoss]?
        /// Those that the end lacks, too.
        var lasting: [OracleConstraintLoss] = []
    }

    func constraintVerdicts(last: OracleState) -> [ConstraintVerdict] {
        before.tables.compactMap { old in
            guard old.table.module == nil else { return nil }
            let related = Self.related(to: old, in: after)
            let names = Set(([old] + related).map { $0.table.name.lowercased() })
            let isOpen =
                related.count != 1 || after.tables.count { Self.areRelatedTables($0.table, old.table) } != 1
                || before.tables.count { Self.areRelatedTables($0.table, old.table) } != 1
                || losses.contains { !$0.names.isDisjoint(with: names) }
                || exemptions.tables.contains(old.table.id)
                // A table under another name is not the one that stays, unless it was renamed.
                || related.contains { new in
                    new.table.id != old.table.id && new.table.name.lowercased() != old.table.name.lowercased()
                }
            guard !isOpen, let new = related.first, let lost = losses(of: old, to: new, in: after) else {
                return ConstraintVerdict(names: names, losses: nil)
            }
            var verdict = ConstraintVerdict(names: names, losses: lost)
            if let end = last[new.table.id], end.table.name == new.table.name {
                verdict.lasting = (losses(of: old, to: end, in: last) ?? []).filter { loss in
                    lost.contains { $0.kind == loss.kind && $0.column == loss.column }
                }
            }
            return verdict
        }
    }

    private func losses(
        of old: OracleState.Table, to new: OracleState.Table, in state: OracleState
    ) -> [OracleConstraintLoss]? {
        let names = Set(state.tables.map { $0.table.name.lowercased() })
        return OracleConstraintLoss.losses(from: old, to: new, in: names) { parents($0, in: state) }
    }

    private func parents(_ name: String, in state: OracleState) -> Set<String> {
        guard let parent = before.tables.first(where: { $0.table.name.lowercased() == name }) else {
            return []
        }
        let related = Self.related(to: parent, in: state)
        // Where nothing has its name, it may count as gone.
        guard
            related.contains(where: { $0.table.id == parent.table.id || $0.table.name.lowercased() == name })
        else { return [] }
        // A key whose parent's columns are gone went with them.
        func isThere(_ key: ModelColumn) -> Bool {
            related.flatMap(\.table.columns).contains { !$0.origins.isDisjoint(with: key.origins) }
        }
        guard parent.table.keyColumns.compactMap(parent.table.column).allSatisfy(isThere) else { return [] }
        return Set(related.map { $0.table.name.lowercased() })
    }

    private static func related(to old: OracleState.Table, in state: OracleState) -> [OracleState.Table] {
        state.tables.filter { areRelatedTables($0.table, old.table) }
    }

    private static func areRelatedTables(_ a: ModelTable, _ b: ModelTable) -> Bool {
        a.id == b.id || !Set(a.columns.flatMap(\.origins)).isDisjoint(with: Set(b.columns.flatMap(\.origins)))
    }
}

extension ModelTable {
    /// The column that is the rowid.
    fileprivate var alias: Int? {
        switch key {
        case .integer(let id, _): id
        case .columns(let ids, isWithoutRowid: false) where ids.count == 1:
            column(ids[0])?.type == "INTEGER" ? ids[0] : nil
        default: nil
        }
    }
}
