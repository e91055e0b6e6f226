import DatabaseEngine
import DrydockFindings
import DrydockReplay
import SQLiteSchema

/// Fills tables with ordinary rows, in one transaction that is open.
struct OrdinaryFill {
    private let request: RowRequest
    private let connection: any Connection
    private let order: FillOrder
    private var builders: [String: RowBuilder] = [:]
    private var filled: Set<String> = []
    private var parentKeys: ParentKeys
    private(set) var result = GeneratedRows()
    /// How many rows each table got.
    private(set) var inserted: [String: Int] = [:]
    /// Whether rows come before those that they refer to, or refer to a table that is not there.
    let needsForeignKeysOff: Bool
    /// How many rows a table may get, where one more would roll everything back.
    private let limits: [String: Int]

    /// How many rows may still be computed so that constraints and conditions are met.
    private var work = ConditionFill.workLimit

    /// At most so many rows are inserted so that each value and each parent has one.
    private static let most = 64

    init(
        _ request: RowRequest, _ plans: [String: TablePlan], limits: [String: Int],
        on connection: any Connection
    ) {
        (self.request, self.connection, self.limits) = (request, connection, limits)
        order = FillOrder(plans)
        needsForeignKeysOff =
            order.isCircular
            || plans.values.contains { plan in
                plan.references.contains { $0.isPresent && request.schema.tables[$0.parent] == nil }
            }
        parentKeys = ParentKeys(connection, encoding: request.schema.settings.encoding)
        for (name, plan) in plans {
            builders[name] = RowBuilder(plan, seed: request.seed)
        }
    }

    private var plans: some Sequence<TablePlan> { builders.values.lazy.map(\.plan) }

    mutating func run() throws {
        for name in order.tables {
            try fill(name)
            filled.insert(name)
        }
        for name in order.tables where limits[name] == nil { try meetConditions(name) }
        if needsForeignKeysOff || plans.contains(where: { $0.references.contains(where: \.isDeferred) }) {
            try removeOrphans()
        }
        for name in request.tables.sorted() {
            guard let table = request.schema.virtualTables[name] else { continue }
            try VirtualTableFill(table, request, on: connection).run(&result)
        }
    }

    // MARK: - A table

    private mutating func fill(_ name: String) throws {
        guard var builder = builders[name] else { return }
        let plan = builder.plan
        let inserter: RowInserter
        do {
            inserter = try RowInserter(plan, on: connection)
        } catch let error as EngineError where !error.isInterrupt {
            return result.empty.append(.init(table: plan.name, reason: error.message))
        }
        let present = request.round > 0 ? try connection.rowCount(plan.name) : 0
        let sought = try seekPartners(&builder)
        let target = min(max(try target(plan, hasRows: present > 0), sought), limits[name] ?? Int.max)
        if request.round > 0 {
            builder.begin(after: max(present, request.earlier[name] ?? 0))
            try noteKeys(&builder)
        }
        var reason = plan.obstacle
        var failures = 0
        while builder.count < target, failures < 2 {
            let attempts = builder.count == 0 ? 60 : 24
            if let refusal = try insertRow(&builder, inserter, attempts) {
                reason = refusal
                failures += 1
            }
        }
        builders[name] = builder
        let columns = plan.columns.map(\.name)
        result.rows += builder.rows.map { GeneratedRow(table: plan.name, columns: columns, values: $0) }
        if builder.count == 0, try connection.isEmpty(plan.name) {
            result.empty.append(.init(table: plan.name, reason: reason ?? "no row was tried"))
        }
    }

    /// Has the first rows be those that rows of tables which are there already look for; returns how many are needed.
    private func seekPartners(_ builder: inout RowBuilder) throws -> Int {
        var most = 0
        for lookup in builder.plan.lookups where lookup.parent != builder.plan.folded {
            guard builders[lookup.parent] == nil || filled.contains(lookup.parent) else { continue }
            let values = try parentKeys.sought(lookup, in: builder.plan)
            builder.seek(values, in: lookup.columns)
            if !values.isEmpty { most = max(most, values.count + 1) }
        }
        return most
    }

    /// Adds rows for the conditions that no row meets, and for those that all rows meet.
    private mutating func meetConditions(_ name: String) throws {
        guard var builder = builders[name], builder.count > 0, !builder.plan.conditions.isEmpty else {
            return
        }
        let plan = builder.plan
        let inserter = try RowInserter(plan, on: connection)
        var fill = ConditionFill(
            plan: plan, connection: connection, freedom: try conditionFreedom(plan), work: work)
        var rows: [[SQLValue]] = []
        try fill.run(&builder) { builder, attempt in
            try baseRow(&builder, attempt)
        } insert: { row in
            try inserter.refusal(of: row) == nil
        } accept: { builder, row, _ in
            builder.accept(row)
            rows.append(row)
        }
        work = fill.work
        builders[name] = builder
        inserted[name] = builder.count
        let columns = plan.columns.map(\.name)
        result.rows += rows.map { GeneratedRow(table: plan.name, columns: columns, values: $0) }
    }

    /// Returns a row to begin with; nil where none is found.
    private mutating func baseRow(_ builder: inout RowBuilder, _ attempt: Int) throws -> [SQLValue]? {
        for further in 0..<8 {
            do {
                return try builder.row(attempt: attempt + further) { reference in
                    // Each parent may have the rows that it can have, but for those that were added for a condition.
                    further == 0 ? try keys(for: reference) : try parentKeys.present(reference)
                }
            } catch is RowBuilder.Refusal {
                continue
            }
        }
        return nil
    }

    /// Returns what may change in a row: keys and references are chosen elsewhere.
    private mutating func freedom(_ plan: TablePlan) throws -> RowFreedom {
        var freedom = RowFreedom(fixed: Set(plan.columns.indices.filter { plan.columns[$0].isRowid }))
        for (place, column) in plan.columns.enumerated() where !column.handledKeys.isEmpty {
            freedom.allowed[place] = Set(column.handledKeys)
        }
        for reference in plan.references where !reference.isOuter {
            if reference.isJoined, try keys(for: reference).isEmpty { continue }
            if reference.columns.count == 1 {
                freedom.allowed[reference.columns[0]] = Set(try keys(for: reference).compactMap(\.first))
            } else {
                freedom.fixed.formUnion(reference.columns)
            }
        }
        return freedom
    }

    /// Returns what may change in a row so that it meets a condition: the key too, where the condition names one, and the
    /// parent, where another has been added for that.
    private mutating func conditionFreedom(_ plan: TablePlan) throws -> RowFreedom {
        var freedom = try freedom(plan)
        for (place, column) in plan.columns.enumerated() where column.isRowid { freedom.fixed.remove(place) }
        for reference in plan.references where reference.columns.count == 1 {
            // What only some rows have a partner by may have any value.
            if reference.isJoined, freedom.allowed[reference.columns[0]] == nil { continue }
            let keys = try parentKeys.present(reference).compactMap(\.first)
            freedom.allowed[reference.columns[0], default: []].formUnion(keys)
            // What the table itself gets for its conditions; SQLite refuses what it did not get.
            guard reference.parent == plan.folded, reference.isPresent else { continue }
            freedom.allowed[reference.columns[0], default: []].formUnion(
                plan.conditions.flatMap(\.expression.constants))
        }
        freedom.taken = plan.taken
        return freedom
    }

    /// Returns a row that satisfies the constraints, found from one that does not.
    private mutating func solved(_ row: [SQLValue], _ builder: RowBuilder, _ judge: RowJudge) throws
        -> [SQLValue]?
    {
        let constraints = builder.plan.constraints(keepsLater: builder.keepsLater)
        guard !constraints.isEmpty, work > 0 else { return nil }
        let solver = RowSolver(builder, judge, try freedom(builder.plan))
        return try solver.solved(row, constraints, &work)
    }

    /// Inserts one row; returns what refused it.
    private mutating func insertRow(
        _ builder: inout RowBuilder, _ inserter: RowInserter, _ attempts: Int
    ) throws -> String? {
        var reason: String?
        let judge = RowJudge(builder.plan, on: connection)
        for attempt in 0..<attempts {
            var row: [SQLValue]
            do {
                row = try builder.row(attempt: attempt) { try keys(for: $0) }
                // What later migrations demand, SQLite does not refuse yet.
                if attempt < 3, builder.keepsLater, !builder.plan.laterChecks.isEmpty {
                    row = try solved(row, builder, judge) ?? row
                }
            } catch let refusal as RowBuilder.Refusal {
                switch refusal {
                case .noParent(let reference): return reason ?? noParent(reference, builder.plan)
                case .duplicate(let key):
                    let names = key.columns.map { builder.plan.columns[$0].name }.joined(separator: ", ")
                    reason = "UNIQUE (\(names)): every row that was tried has values that are already used"
                    builder.advanceKey()
                }
                continue
            }
            guard let refusal = try inserter.refusal(of: row) else {
                builder.accept(row)
                inserted[builder.plan.folded] = builder.count
                return nil
            }
            reason = refusal.reason
            if !refusal.isDuplicate, !refusal.isAboutParent, Self.solvingAttempts.contains(attempt),
                let other = try solved(row, builder, judge)
            {
                guard let next = try inserter.refusal(of: other) else {
                    builder.accept(other)
                    inserted[builder.plan.folded] = builder.count
                    return nil
                }
                reason = next.reason
                if next.isDuplicate { builder.advanceKey() }
            }
            refusal.vary(&builder, attempt)
        }
        return reason
    }

    /// The attempts after which a row is solved for, each from other values.
    private static let solvingAttempts: Set<Int> = [0, 1, 4, 11, 30]

    private func noParent(_ reference: TablePlan.Reference, _ plan: TablePlan) -> String {
        let names = reference.columns.map { plan.columns[$0].name }.joined(separator: ", ")
        let parent = request.schema.tables[reference.parent]?.name
        let cause =
            reference.isImpossible
            ? "SQLite finds no rowid by a value of a REAL column"
            : parent == nil ? "there is no such table" : "\(parent ?? "") has no rows that it can refer to"
        return "FOREIGN KEY (\(names)) REFERENCES \(parent ?? reference.parent): \(cause)"
    }

    // MARK: - Numbers of rows

    /// Returns how many rows a table gets: more than an enumeration has values, and one for each parent. A table that
    /// has rows already gets only those that a new column needs.
    private mutating func target(_ plan: TablePlan, hasRows: Bool) throws -> Int {
        var target = request.rowCount
        for check in plan.checks + plan.laterChecks {
            let ways = check.alternatives.all
            target = max(target, ways.count > 1 ? ways.count : 0)
            for name in check.alternatives.columns {
                var values: Set<SQLValue> = []
                for way in ways {
                    for case .isIn(let column, let list) in way where column == name {
                        values.formUnion(list)
                    }
                }
                if !values.isEmpty { target = max(target, values.count + 1) }
            }
        }
        for column in plan.columns where !column.suggestions.isEmpty {
            target = max(target, column.suggestions.count + 1)
        }
        for reference in plan.references where !hasRows && reference.parent != plan.folded {
            let count = try keys(for: reference).count
            // One of those that all have a partner has two.
            let more = reference.isCovering && count > 0 && !plan.isUnique(reference.columns) ? 1 : 0
            target = max(target, count + more)
        }
        // Some keys are left for the rows that later columns need.
        for column in plan.columns where !column.handledKeys.isEmpty {
            target = min(target, max(3, column.handledKeys.count * 2 / 3))
        }
        return min(target, max(Self.most, request.rowCount))
    }

    // MARK: - Keys of parents

    /// Returns the keys that a reference may have: those in the parent, or those that it will have.
    private mutating func keys(for reference: TablePlan.Reference) throws -> [[SQLValue]] {
        if let builder = builders[reference.parent], !filled.contains(reference.parent), builder.count == 0,
            let keys = builder.expectedKeys(reference.parentColumns, count: request.rowCount),
            order.isCircular
        {
            return keys
        }
        let isFinal = filled.contains(reference.parent) || builders[reference.parent] == nil
        return try parentKeys.keys(for: reference, isFinal: isFinal)
    }

    /// Notes the values of keys that only later migrations demand, since SQLite does not refuse those yet, and the
    /// parents that can have no second child.
    private func noteKeys(_ builder: inout RowBuilder) throws {
        let plan = builder.plan
        for (place, key) in plan.keys.enumerated()
        where !key.isPresent || plan.references.contains(where: { $0.columns == key.columns }) {
            let columns = key.columns.map { plan.columns[$0].name }
            for values in try parentKeys.values(columns, of: plan.name) { builder.note(values, of: place) }
        }
    }

    // MARK: - Circles

    /// Removes the rows of which the expected parents were refused.
    private mutating func removeOrphans() throws {
        var isClean = false
        while !isClean {
            isClean = true
            for name in order.tables {
                guard let plan = builders[name]?.plan, plan.references.contains(where: \.isPresent) else {
                    continue
                }
                let table = quotedName(plan.name)
                let rowids: [SQLValue]
                do {
                    rowids = try connection.rows("PRAGMA main.foreign_key_check(\(table))") { $0.value(1) }
                } catch let error as EngineError where !error.isInterrupt && !error.isOutage {
                    continue
                }
                let found = Set(rowids).subtracting([.null])
                guard !found.isEmpty else { continue }
                isClean = false
                let delete = try connection.prepare("DELETE FROM main.\(table) WHERE rowid = ?")
                for rowid in rowids where found.contains(rowid) {
                    try delete.reset(binding: [rowid])
                    while try delete.step() {}
                }
                try forgetMissing(plan)
            }
        }
    }

    /// Takes the rows out of the result that are not in the table any more.
    private mutating func forgetMissing(_ plan: TablePlan) throws {
        let condition = plan.columns.map { "\(quotedName($0.name)) IS ?" }.joined(separator: " AND ")
        let statement = try connection.prepare(
            "SELECT 1 FROM main.\(quotedName(plan.name)) WHERE \(condition)")
        var kept: [GeneratedRow] = []
        for row in result.rows {
            guard row.table == plan.name else {
                kept.append(row)
                continue
            }
            try statement.reset(binding: row.values)
            if try statement.step() { kept.append(row) }
        }
        result.rows = kept
        if !kept.contains(where: { $0.table == plan.name }), try connection.isEmpty(plan.name) {
            result.empty.append(
                .init(table: plan.name, reason: "its foreign keys form a cycle in which a table stays empty")
            )
        }
    }
}
