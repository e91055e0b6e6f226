import DatabaseEngine
import DrydockConservation
import DrydockFindings
import DrydockMigrations
import DrydockState
import SQLiteSchema

extension ForeignKeyDiagnosis {
    /// Returns the faults of the state after that the state before did not have, and how to search for their cause.
    /// - Parameter state: the state before.
    func newFaults(
        _ faults: [Fault], than state: DatabaseState
    ) throws -> [(fault: Fault, probe: CulpritProbe)] {
        let names = before.tables.keys.compactMap { name in lineage.currentName(of: name).map { (name, $0) } }
        let baseline = state.faultCounts(renaming: Dictionary(names) { first, _ in first })
        return try faults.flatMap { fault -> [(Fault, CulpritProbe)] in
            let known = baseline[fault.id] ?? 0
            if fault.id.hasOrphans(in: baseline), let rows = try newOrphans(fault.id) {
                let search = NewOrphansRule(id: fault.id, before: before, migration: migration)
                return rows.map { ($0, .fault(search, fault.id, baseline: 0)) }
            }
            let probe = CulpritProbe.fault(ForeignKeyRule(), fault.id, baseline: known)
            return fault.count > known ? [(fault, probe)] : []
        }
    }

    /// Whether a table before the step is the parent of a key after it: by its name, or by what became of it.
    func isSameParent(_ earlier: String, _ parent: Catalog.Table) -> Bool {
        [parent.name.foldedASCII, pairs[parent.name.foldedASCII]?.before.name.foldedASCII].contains(
            earlier.foldedASCII)
    }

    /// Returns the rows without a parent that had one before the step, or did not exist, key by key; nil where the rows
    /// before and after cannot be distinguished.
    ///
    /// Counting is not enough: a row that loses its parent would take the place of one that gets a parent back. A row is
    /// the same before and after if its primary key is, and its value. A row whose key is new may be one that was
    /// renumbered: it is paired with an orphan that is gone and had the same value.
    /// - Parameter id: of a fault that ``ForeignKeyRule`` found in the state after.
    /// - Throws: ``EngineError``.
    func newOrphans(_ id: Fault.ID) throws -> [Fault]? {
        guard id.kind == ForeignKeyRule.violation, id.names.count == 2, let child = after.table(id.names[0]),
            let parent = after.table(id.names[1]), let earlier = pairs[id.names[0]]
        else { return nil }
        var faults: [Fault] = []
        for key in child.foreignKeys where key.parent.foldedASCII == id.names[1] {
            guard let key = ResolvedKey(key, child, parent),
                let pairing = OrphanPairing(self, key, earlier)
            else { return nil }
            var rows = try pairing.newRows(connection)
            guard rows.rowCount != 0 else { continue }
            let renumberings = try renumberings(of: key)
            if let renumbered = try renumberings.compactMap({ try pairing.following($0, connection) }).first {
                rows = try renumbered.newRows(connection)
                guard rows.rowCount != 0 else { continue }
            }
            faults.append(
                ForeignKeyRule.violation(of: child.name, key.columns, by: rows, parent: parent.name))
        }
        return faults
    }
}

extension ForeignKeyDiagnosis {
    fileprivate func renumberings(of key: ResolvedKey) throws -> [Renumbering] {
        guard key.parentColumns.count == 1, let match = pairs[key.parent.name.foldedASCII],
            let column = match.columns.first(where: {
                $0.after.name.foldedASCII == key.parentColumns[0].foldedASCII
            })
        else { return [] }
        return try Renumbering.candidates(
            from: ("\(old).\(quotedName(match.before.name))", column.before.name),
            to: ("\(new).\(quotedName(match.after.name))", column.after.name), connection)
    }
}

extension Fault.ID {
    /// Whether rows of the same child reference no parent, perhaps by a key to another table: a key may only have been
    /// given another parent.
    package func hasOrphans(in known: [Fault.ID: Int]) -> Bool {
        rule == .foreignKeyViolation && kind == ForeignKeyRule.violation
            && known.contains { id, count in
                count > 0 && id.rule == rule && id.kind == kind && id.names.first == names.first
            }
    }
}

/// Pairs the rows without a parent after a step with those before it, for one foreign key.
private struct OrphanPairing {
    /// The child's rows now and then, as SQL.
    private let (now, then): (String, String)
    private let (isOrphanNow, wasOrphan): (String, String)
    /// Values of the foreign key, now and then.
    private let values: [String]
    private var oldValues: [String]
    /// What tells rows apart, now and then; empty where nothing does.
    private let identity: [String]
    private var oldIdentity: [String]
    /// Whether the key references what tells the child's own rows apart.
    private let referencesIdentity: Bool
    private let shown: [String]
    private let encoding: TextEncoding

    /// nil where a column of the key cannot be followed.
    init?(_ diagnosis: ForeignKeyDiagnosis, _ key: ResolvedKey, _ match: TableMatch) {
        let (old, new) = (match.before, match.after)
        func before(_ name: String) -> String? {
            match.columns.first { $0.after.name.foldedASCII == name.foldedASCII }?.before.name
        }
        let columns = key.columns.compactMap(before)
        guard columns.count == key.columns.count else { return nil }
        now = "\(diagnosis.new).\(quotedName(new.name)) AS c"
        then = "\(diagnosis.old).\(quotedName(old.name)) AS b"
        isOrphanNow = key.isOrphan("c", in: diagnosis.new)
        (values, oldValues) = (
            key.columns.map { "c.\(quotedName($0))" }, columns.map { "b.\(quotedName($0))" }
        )
        // A key may name its columns in another order, or another table than before.
        let required = old.foreignKeys.filter {
            $0.columns.count == columns.count
                && Set($0.columns.map(\.foldedASCII)) == Set(columns.map(\.foldedASCII))
        }
        let same = required.filter { diagnosis.isSameParent($0.parent, key.parent) }
        var conditions: [String] = []
        for required in same.isEmpty ? required : same {
            guard let parent = diagnosis.before.table(required.parent) else {
                // Without a parent's table each value is without a parent.
                conditions.append(oldValues.map { "\($0) IS NOT NULL" }.joined(separator: " AND "))
                continue
            }
            guard let key = ResolvedKey(required, old, parent) else { return nil }
            conditions.append(key.isOrphan("b", in: diagnosis.old))
        }
        // Without a key no value is without a parent.
        wasOrphan =
            conditions.isEmpty ? "0" : "(" + conditions.map { "(\($0))" }.joined(separator: " OR ") + ")"
        let keys = new.primaryKey.map(\.name)
        let oldKeys = keys.compactMap(before)
        if !keys.isEmpty, Set(oldKeys) == Set(old.primaryKey.map(\.name)) {
            (identity, oldIdentity) = (
                keys.map { "c.\(quotedName($0))" }, oldKeys.map { "b.\(quotedName($0))" }
            )
        } else if diagnosis.lineage[new.name]?.createdBy == nil, let rowid = new.rowidName,
            let oldRowid = old.rowidName
        {
            (identity, oldIdentity) = (["c.\(rowid)"], ["b.\(oldRowid)"])
        } else {
            (identity, oldIdentity) = ([], [])
        }
        referencesIdentity =
            key.parent.name == new.name && identity == key.parentColumns.map { "c.\(quotedName($0))" }
        encoding = diagnosis.after.encoding
        shown = keys.isEmpty ? [new.rowidName].compactMap(\.self) : keys
    }

    /// Returns the orphans without a counterpart, and their number.
    func newRows(_ connection: any Connection) throws -> Evidence {
        let known = "EXISTS (SELECT 1 FROM \(then) WHERE \(same(oldIdentity, identity))"
        let isEqual = same(oldValues.map { "CAST(\($0) AS TEXT)" }, values.map { "CAST(\($0) AS TEXT)" })
        let isThere = "EXISTS (SELECT 1 FROM \(now) WHERE \(same(identity, oldIdentity)))"
        // Orphans whose row is gone, by value.
        var spare: [[String]: Int] = [:]
        try connection.forEachRow(
            "SELECT \(texts(oldValues)) FROM \(then) WHERE \(wasOrphan) AND NOT \(isThere)"
        ) { row in
            spare[(0..<oldValues.count).map(row.string), default: 0] += 1
        }
        var rows = Evidence(rowCount: 0)
        let columns = shown.map { "c.\(quotedName($0))" }
        try connection.forEachRow(
            """
            SELECT \(known)), \((values.map { "CAST(\($0) AS TEXT)" } + columns).joined(separator: ", ")) FROM \(now) \
            WHERE \(isOrphanNow) AND NOT \(known) AND \(isEqual) AND \(wasOrphan))
            """
        ) { row in
            let value = (0..<values.count).map { row.string($0 + 1) }
            if row.integer(0) == 0, let left = spare[value], left > 0 {
                spare[value] = left - 1
                return
            }
            rows.rowCount = (rows.rowCount ?? 0) + 1
            guard rows.rows.count < Evidence.rowLimit, !shown.isEmpty else { return }
            let key = shown.enumerated().map { index, name in
                Evidence.Cell(
                    column: name,
                    value: Evidence.Sample(row.value(values.count + 1 + index), encoding: encoding))
            }
            rows.rows.append(.init(key: key))
        }
        return rows
    }

    /// Returns the pairing for rows that a step renumbered; nil where it did not change all references with the keys.
    func following(_ numbers: Renumbering, _ connection: any Connection) throws -> OrphanPairing? {
        guard !identity.isEmpty else { return nil }
        var pairing = self
        pairing.oldValues = oldValues.map(numbers.renumbered)
        if referencesIdentity { pairing.oldIdentity = oldIdentity.map(numbers.renumbered) }
        let isThere =
            "EXISTS (SELECT 1 FROM \(now) WHERE "
            + "\(same(identity + values, pairing.oldIdentity + pairing.oldValues)))"
        let counts = try connection.firstRow(
            """
            SELECT count(*), count(CASE WHEN \(isThere) THEN 1 END) FROM \(then) WHERE NOT \(wasOrphan) \
            AND \(oldValues.map { "\($0) IS NOT NULL" }.joined(separator: " AND "))
            """
        ) { (all: $0.integer(0), kept: $0.integer(1)) }
        guard let counts, counts.all == counts.kept, counts.all > 0 || referencesIdentity else { return nil }
        return pairing
    }

    private func texts(_ columns: [String]) -> String {
        columns.map { "CAST(\($0) AS TEXT)" }.joined(separator: ", ")
    }

    /// The condition that a row of the one table is that of the other; the plus sign keeps the first one's index usable.
    private func same(_ sought: [String], _ given: [String]) -> String {
        sought.isEmpty ? "0" : zip(sought, given).map { "\($0) IS +\($1)" }.joined(separator: " AND ")
    }
}

/// Searches for the statement since which rows have no parent, where other rows had none before.
struct NewOrphansRule: StateRule {
    let rule = Rule.foreignKeyViolation
    let id: Fault.ID
    let before: Catalog
    let migration: Migration

    func faults(in view: StateView) throws -> [Fault] {
        let diagnosis = ForeignKeyDiagnosis(
            connection: view.connection, old: StepFork.beforeSchema, new: "main", before: before,
            after: view.catalog, migration: migration)
        return try diagnosis.newOrphans(id) ?? []
    }
}
