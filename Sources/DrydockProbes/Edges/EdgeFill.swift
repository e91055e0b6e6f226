import DatabaseEngine
import DrydockReplay
import SQLiteSchema

/// Adds rows that the constraints allow and few would expect. Each has one unusual value, or is like another row.
struct EdgeFill {
    private let request: RowRequest
    private let plans: [String: TablePlan]
    private let connection: any Connection
    private let enforcesForeignKeys: Bool
    private var parents: ParentKeys
    private(set) var result = GeneratedRows()
    /// How many rows may still be computed for conditions, and for constraints.
    private var work = ConditionFill.workLimit
    private var fittingWork = ConditionFill.workLimit / 2
    /// What was changed in the last row so that it satisfies the constraints.
    private var changes: [Int: SQLValue] = [:]
    /// The rows that a migration replaces, and those that are equal except for their keys, by table.
    private var replaced: [String: [[SQLValue]]] = [:]
    private var alike: [String: [[SQLValue]]] = [:]
    /// Computes the constraints of the table that is being filled.
    private var judge: RowJudge?

    /// At most so many rows a table, and so many values of columns that nothing says more about.
    private static let mostRows = 44
    private static let mostColumns = 24
    private static let mostTelling = 8
    /// At most so many rows more have NULL where no other row of the table has it; of more columns, several share a row.
    private static let mostNull = 24
    /// How many rows refer to rows that a migration replaces, and to each of two equal rows.
    private static let (mostReplaced, childrenOfAlike) = (3, 2)

    init(
        _ request: RowRequest, _ plans: [String: TablePlan], enforcesForeignKeys: Bool,
        on connection: any Connection
    ) {
        (self.request, self.plans, self.connection) = (request, plans, connection)
        self.enforcesForeignKeys = enforcesForeignKeys
        parents = ParentKeys(connection, encoding: request.schema.settings.encoding)
    }

    /// - Parameter excluded: the tables that stay as they are, and why.
    mutating func run(leavingOut excluded: [String: String]) throws {
        // Before the first row, so that each depends only on ordinary rows.
        for name in plans.keys.sorted() {
            for reference in (plans[name]?.references ?? []) + (plans[name]?.lookups ?? []) {
                _ = try parents.keys(for: reference, isFinal: true)
            }
        }
        for name in FillOrder(plans).tables {
            guard let plan = plans[name] else { continue }
            if let reason = excluded[name] {
                result.empty.append(.init(table: plan.name, reason: reason))
            } else {
                try fill(plan)
            }
        }
        for name in plans.keys.sorted() where excluded[name] == nil {
            if let plan = plans[name] { try addChildren(plan) }
        }
        for name in request.tables.sorted() {
            guard let table = request.schema.virtualTables[name] else { continue }
            try VirtualTableFill(table, request, on: connection).runEdges(&result)
        }
    }

    private mutating func fill(_ plan: TablePlan) throws {
        let inserter: RowInserter
        do {
            inserter = try RowInserter(plan, on: connection)
        } catch let error as EngineError where !error.isInterrupt && !error.isOutage {
            return result.empty.append(.init(table: plan.name, reason: error.message))
        }
        var builder = RowBuilder(plan, seed: request.seed, isEdge: true)
        changes = [:]
        judge = plan.checks.isEmpty && plan.laterChecks.isEmpty ? nil : RowJudge(plan, on: connection)
        let shared = parents
        defer { parents = shared }
        if try noteTakenParents(&builder) {
            // Ordinary rows have all parents but the edge rows among them.
            parents = ParentKeys(connection, encoding: request.schema.settings.encoding)
        }
        var reason = "every value that was tried for a key is already used"
        guard let sample = try insertSample(&builder, inserter, &reason) else {
            return result.empty.append(.init(table: plan.name, reason: reason))
        }
        var count = 1
        if let copy = try ordinary(&builder) {
            let keys = Set(plan.keys.filter(\.isPresent).flatMap(\.columns))
            let other = plan.columns.indices.map { keys.contains($0) ? copy[$0] : sample[$0] }
            if try insert(other, plan, inserter) {
                count += 1
                alike[plan.folded] = [sample, other]
            }
        }
        for reference in plan.references where reference.isJoined {
            // A row without a partner.
            guard let place = reference.columns.first, var row = try ordinary(&builder) else { continue }
            row[place] = sample[place].text == nil ? .integer(987_654_321) : "no such parent"
            if try insert(row, plan, inserter) { count += 1 }
        }
        for (place, value) in values(plan, sample) {
            guard count < Self.mostRows / request.edgeShare, var row = try ordinary(&builder) else { break }
            row[place] = value
            // A key of several columns stays one.
            if value == sample[place] {
                for reference in plan.references where reference.columns.contains(place) {
                    for column in reference.columns { row[column] = sample[column] }
                }
            }
            if try insert(row, plan, inserter) { count += 1 }
        }
        for lookup in plan.lookups where !plan.isUnique(lookup.columns) {
            // A second partner for one row.
            guard let key = try parents.keys(for: lookup, isFinal: true).first,
                var row = try ordinary(&builder)
            else {
                continue
            }
            for (place, value) in zip(lookup.columns, key) { row[place] = value }
            _ = try insert(row, plan, inserter)
        }
        try addNulls(&builder, inserter)
        try meetConditions(&builder, inserter)
    }

    /// Adds rows with NULL in the columns that may have it and do not have it in any row so far: a column that a migration
    /// copies is never left out, however many others there are.
    private mutating func addNulls(_ builder: inout RowBuilder, _ inserter: RowInserter) throws {
        let plan = builder.plan
        let rows = result.rows.reversed().prefix { $0.table == plan.name }
        let columns = plan.columns.indices.filter { place in
            !plan.columns[place].isNotNull && !rows.contains { $0.values[place].isNull }
        }
        let most = Self.mostNull / request.edgeShare
        let size = max((columns.count + most - 1) / most, 1)
        var groups = stride(from: 0, to: columns.count, by: size).map { columns[$0...].prefix(size) }[...]
        while let group = groups.popFirst(), var row = try ordinary(&builder) {
            for place in group { row[place] = .null }
            if try insert(row, plan, inserter) || group.count == 1 { continue }
            // A constraint may refuse all of them together, and take each alone.
            let half = group.count / 2
            groups = [group.prefix(half), group.dropFirst(half)] + groups
        }
    }

    /// Adds rows for what no ordinary row can meet, and for what changes values.
    private mutating func meetConditions(_ builder: inout RowBuilder, _ inserter: RowInserter) throws {
        let plan = builder.plan
        guard !plan.conditions.isEmpty else { return }
        var freedom = Self.freedom(plan)
        freedom.isUnusual = true
        let referring = Set(plan.references.filter { !$0.isJoined }.flatMap(\.columns))
        for (place, column) in plan.columns.enumerated() where column.isRowid && !referring.contains(place) {
            freedom.fixed.remove(place)
        }
        freedom.taken = plan.takenPlainly
        var fill = ConditionFill(plan: plan, connection: connection, freedom: freedom, work: work)
        var rows: [[SQLValue]] = []
        try fill.run(&builder) { builder, attempt in
            try ordinary(&builder, attempt)
        } insert: { row in
            try inserter.refusal(of: row) == nil
        } accept: { _, row, condition in
            rows.append(row)
            if condition.isConflict { replaced[plan.folded, default: []].append(row) }
        }
        work = fill.work
        for row in rows { append(row, plan) }
    }

    /// Adds a row that refers to each row that a migration replaces: where it is deleted for that, so are they. Rows that
    /// are alike have several each, since a migration may delete all but one of them.
    private mutating func addChildren(_ plan: TablePlan) throws {
        let references = plan.references.filter { reference in
            reference.isPresent && (replaced[reference.parent] ?? alike[reference.parent]) != nil
        }
        guard !references.isEmpty else { return }
        let inserter = try RowInserter(plan, on: connection)
        var builder = RowBuilder(plan, seed: request.seed, isEdge: true)
        builder.begin(after: Self.mostRows * 2)
        for reference in references {
            guard let parent = plans[reference.parent] else { continue }
            let places = reference.parentColumns.compactMap { parent.places[$0] }
            guard places.count == reference.columns.count else { continue }
            let several = (alike[reference.parent] ?? []).flatMap {
                Array(repeating: $0, count: Self.childrenOfAlike)
            }
            for row in (replaced[reference.parent] ?? []).prefix(Self.mostReplaced) + several {
                guard var child = try ordinary(&builder) else { break }
                for (column, place) in zip(reference.columns, places) { child[column] = row[place] }
                _ = try insert(child, plan, inserter)
            }
        }
    }

    /// Returns the values to try: first those of columns of which later migrations demand something, then one of each
    /// column after the other.
    private func values(_ plan: TablePlan, _ sample: [SQLValue]) -> [(place: Int, value: SQLValue)] {
        let (telling, others) = columns(plan)
        var open: [(place: Int, values: ArraySlice<SQLValue>)] = (telling + others).map { place in
            (place, EdgeValues(plan.columns[place], sample: sample[place], self.place(place, plan)).all[...])
        }
        var result: [(place: Int, value: SQLValue)] = []
        for index in telling.indices {
            result += open[index].values.prefix(Self.mostTelling).map { (open[index].place, $0) }
            open[index].values = open[index].values.dropFirst(Self.mostTelling)
        }
        while open.contains(where: { !$0.values.isEmpty }) {
            for index in open.indices {
                if let value = open[index].values.popFirst() { result.append((open[index].place, value)) }
            }
        }
        return result
    }

    /// Notes the parents that can have no second child; returns whether there are references to such.
    private func noteTakenParents(_ builder: inout RowBuilder) throws -> Bool {
        var isFound = false
        for (place, key) in builder.plan.keys.enumerated() where key.isPresent {
            guard builder.plan.references.contains(where: { $0.columns == key.columns }) else { continue }
            isFound = true
            let columns = key.columns.map { builder.plan.columns[$0].name }
            for values in try parents.values(columns, of: builder.plan.name) {
                builder.note(values, of: place)
            }
        }
        return isFound
    }

    /// - Parameter reason: gets what refused every row that was tried.
    private mutating func insertSample(
        _ builder: inout RowBuilder, _ inserter: RowInserter, _ reason: inout String
    ) throws -> [SQLValue]? {
        for attempt in 0..<24 {
            guard let row = try ordinary(&builder, attempt) else { return nil }
            guard let refusal = try inserter.refusal(of: row) else {
                append(row, builder.plan)
                return row
            }
            reason = refusal.reason
            refusal.vary(&builder, attempt)
        }
        return nil
    }

    /// Returns an ordinary row with a key of its own.
    private mutating func ordinary(_ builder: inout RowBuilder, _ attempt: Int = 0) throws -> [SQLValue]? {
        for attempt in attempt..<(attempt + 8) {
            do {
                var row = try builder.row(attempt: attempt) { try parents.keys(for: $0, isFinal: true) }
                row = try fitted(row, builder)
                builder.accept(row)
                return row
            } catch is RowBuilder.Refusal {
                builder.advanceKey()
            }
        }
        return nil
    }

    /// Returns a row that satisfies the constraints, or the row itself where none is found.
    private mutating func fitted(_ row: [SQLValue], _ builder: RowBuilder) throws -> [SQLValue] {
        guard let judge else { return row }
        let constraints = builder.plan.constraints(keepsLater: builder.keepsLater)
        // What did for the last row mostly does for this one.
        var again = row
        for (place, value) in changes { again[place] = value }
        for candidate in [row, again] where try constraints.allSatisfy({ try judge.holds($0, candidate) }) {
            return candidate
        }
        guard fittingWork > 0 else { return row }
        let solver = RowSolver(builder, judge, Self.freedom(builder.plan))
        guard let solved = try solver.solved(row, constraints, &fittingWork) else { return row }
        for place in row.indices where row[place] != solved[place] { changes[place] = solved[place] }
        return solved
    }

    /// Keys and references keep the values that they have.
    private static func freedom(_ plan: TablePlan) -> RowFreedom {
        var fixed = Set(plan.columns.indices.filter { plan.columns[$0].isRowid })
        for reference in plan.references where !reference.isJoined { fixed.formUnion(reference.columns) }
        return RowFreedom(fixed: fixed)
    }

    private mutating func insert(_ row: [SQLValue], _ plan: TablePlan, _ inserter: RowInserter) throws -> Bool
    {
        guard try inserter.refusal(of: row) == nil else { return false }
        append(row, plan)
        return true
    }

    private mutating func append(_ row: [SQLValue], _ plan: TablePlan) {
        result.rows.append(GeneratedRow(table: plan.name, columns: plan.columns.map(\.name), values: row))
    }

    /// Returns the columns of which later migrations demand something, and others.
    private func columns(_ plan: TablePlan) -> (telling: [Int], others: [Int]) {
        var telling = plan.laterNotNull.union(plan.keys.filter { !$0.isPresent }.flatMap(\.columns))
        for check in plan.laterChecks {
            telling.formUnion(check.alternatives.columns.compactMap { plan.places[$0] })
        }
        for (place, column) in plan.columns.enumerated() {
            if case .json = column.kind { telling.insert(place) }
            if !column.suggestions.isEmpty { telling.insert(place) }
        }
        let first = telling.sorted().prefix(Self.mostColumns)
        let rest = plan.columns.indices.filter { !telling.contains($0) }.prefix(Self.mostColumns)
        return (Array(first), Array(rest))
    }

    private func place(_ place: Int, _ plan: TablePlan) -> EdgeValues.Place {
        let isReferring = plan.references.contains { !$0.isJoined && $0.columns.contains(place) }
        let isEnforced =
            enforcesForeignKeys && plan.references.contains { $0.isPresent && $0.columns.contains(place) }
        return .init(
            isKey: plan.keys.contains { $0.isPresent && $0.columns == [place] },
            isReference: isReferring, mayBeOrphan: isReferring && !isEnforced)
    }
}
