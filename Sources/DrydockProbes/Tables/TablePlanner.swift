import DatabaseEngine
import SQLiteSchema

/// A maker of plans for tables.
struct TablePlanner {
    let present: SchemaLookup
    let later: [SchemaLookup]
    let facts: StatementFacts
    /// The numbers of tables by folded name.
    let numbers: [String: Int]
    /// The triggers that an INSERT fires, by the folded name of their table, sorted by name.
    private let triggers: [String: [Trigger]]
    /// Which columns of tables with conditions refer to a table, by its folded name.
    let children: [String: [ChildColumn]]
    private let partners: [Partners]

    init(_ request: SchemaLookup, later: [SchemaLookup], facts: StatementFacts) {
        (present, self.later, self.facts) = (request, later, facts)
        numbers = Self.numbers(request.schema)
        let inserting = request.schema.triggers.filter { $0.value.event == .insert }
        partners = PartnerReader(present: request, later: later, facts: facts).partners()
        children = ChildColumn.byParent(facts, [request] + later, partners)
        triggers = Dictionary(grouping: inserting.sorted { $0.key < $1.key }.map(\.value)) {
            $0.table.foldedASCII
        }
    }

    /// Returns a number for each table that depends on its name, so that it hardly changes when others come and go.
    private static func numbers(_ schema: Schema) -> [String: Int] {
        let names = (Array(schema.tables.keys) + Array(schema.virtualTables.keys)).sorted()
        let count = names.count < 400 ? 899 : names.count * 4
        var taken: Set<Int> = []
        var numbers: [String: Int] = [:]
        for name in names {
            var number = Int(SeededRandom.hash(name) % UInt64(count))
            while !taken.insert(number).inserted { number = (number + 1) % count }
            numbers[name] = number + 1
        }
        return numbers
    }

    func plan(_ table: Table) -> TablePlan {
        let folded = table.name.foldedASCII
        let names = facts.names(of: folded)
        var plan = TablePlan(name: table.name, folded: folded, number: numbers[folded] ?? numbers.count + 1)
        plan.reserved = names.reduce(into: []) { $0.formUnion(facts.inserted[$1] ?? []) }
        let own = present.indexes[folded] ?? []
        let demands = LaterDemands(of: table, indexes: own, names: names, later, facts)
        addColumns(table, names, demands, &plan)
        addKeys(table, own, demands, &plan)
        addRowid(table, &plan)
        addReferences(table, demands, &plan)
        addChecks(table, demands, &plan)
        addTriggers(folded, &plan)
        addConditions(table, names, &plan)
        addUses(names, &plan)
        return plan
    }

    // MARK: - Columns

    private func addColumns(
        _ table: Table, _ names: [String], _ demands: LaterDemands, _ plan: inout TablePlan
    ) {
        let alias = table.rowidAlias?.name
        let jsonChecks = table.checks.filter { $0.expression.names.contains { $0.hasPrefix("json") } }
        for column in table.columns where column.generated == nil {
            let folded = column.name.foldedASCII
            let affinity = table.affinity(of: column)
            let uses = facts.jsonUses(folded, tables: names) + Self.generatedUses(table, folded)
            var shape: JSONShape? = uses.isEmpty ? demands.json[folded] : .any
            if uses.contains(where: { $0.shape == .array }), uses.allSatisfy({ $0.path == nil }) {
                shape = .array
            }
            if shape == nil, jsonChecks.contains(where: { $0.expression.names.contains(folded) }) {
                shape = .any
            }
            var planned = ColumnPlan(
                name: column.name, folded: folded, affinity: affinity,
                kind: ColumnKind(
                    column, affinity: affinity, json: shape,
                    demands: facts.demands(folded, tables: names) + Self.generatedDemands(table, folded)),
                isNotNull: table.isNotNull(column), declaredType: column.declaredType)
            planned.isRowid = column.name == alias
            // NULL stands for the next number there.
            if planned.isRowid { planned.isNotNull = true }
            planned.isStrict = table.isStrict && column.declaredType.foldedASCII != "any"
            let collation = column.collation?.foldedASCII
            planned.collation = collation == "nocase" || collation == "rtrim" ? collation : nil
            planned.jsonPaths = Self.paths(uses)
            plan.places[folded] = plan.columns.count
            plan.columns.append(planned)
            plan.domains.append(Domain())
        }
        plan.laterNotNull = Set(demands.notNull.compactMap { plan.places[$0] })
    }

    /// Adds the rowid of a table that has no column for it, so that rows do not just count from 1: rows were deleted from
    /// most tables.
    private func addRowid(_ table: Table, _ plan: inout TablePlan) {
        guard let name = table.hiddenRowid else { return }
        var column = ColumnPlan(
            name: name, folded: name, affinity: .integer, kind: .number, isNotNull: true,
            declaredType: "INTEGER")
        (column.isRowid, column.isImplicit, column.isUnique) = (true, true, true)
        let place = plan.columns.count
        plan.places[name] = place
        plan.columns.append(column)
        plan.domains.append(Domain())
        plan.keys.append(.init(columns: [place], foldsCase: [false], isPresent: true))
    }

    private static func paths(_ uses: [Usage.JSONUse]) -> [JSONPath] {
        var paths: [JSONPath] = []
        for use in uses {
            guard let path = use.path else { continue }
            let found = JSONPath(path, isElement: use.isElement)
            let known = paths.firstIndex { $0.text == found.text && $0.isElement == found.isElement }
            if known == nil { paths.append(found) }
            let place = known ?? paths.count - 1
            if let value = use.value, !paths[place].values.contains(value) {
                paths[place].values.append(value)
            }
        }
        return paths
    }

    /// The JSON that the generated columns and indexes of the table read from a column.
    private static func generatedUses(_ table: Table, _ column: String) -> [Usage.JSONUse] {
        table.columns.compactMap(\.generated).flatMap { generated in
            UsageReader.usage(generated.expression.items, comparisons: false).json.filter {
                $0.column == column
            }
        }
    }

    /// What the generated columns of the table demand of a column.
    private static func generatedDemands(_ table: Table, _ column: String) -> [Demand] {
        table.columns.compactMap(\.generated).flatMap { generated in
            DemandReader.demands(generated.expression.items).filter { $0.column == column }.map(\.demand)
        }
    }

    // MARK: - Keys

    private func addKeys(
        _ table: Table, _ indexes: [Index], _ demands: LaterDemands, _ plan: inout TablePlan
    ) {
        func add(_ names: [(name: String, collation: String?)], isPresent: Bool, isPrimary: Bool = false) {
            let columns = names.compactMap { plan.places[$0.name.foldedASCII] }
            guard columns.count == names.count, !columns.isEmpty else { return }
            let folds = names.map {
                ($0.collation ?? table.column($0.name)?.collation)?.foldedASCII == "nocase"
            }
            plan.keys.append(
                .init(columns: columns, foldsCase: folds, isPresent: isPresent, isPrimary: isPrimary))
            if columns.count == 1 { plan.columns[columns[0]].isUnique = true }
        }
        if let key = table.primaryKey {
            add(key.terms.map { ($0.column, $0.collation) }, isPresent: true, isPrimary: true)
        }
        for unique in table.uniques { add(unique.terms.map { ($0.column, $0.collation) }, isPresent: true) }
        for index in indexes where index.isUnique {
            add(LaterDemands.columns(of: index), isPresent: index.condition == nil)
        }
        for key in demands.keys { add(key.map { ($0.column, $0.collation) }, isPresent: false) }
        let conflicts =
            [table.primaryKey?.onConflict] + table.uniques.map(\.onConflict)
            + table.columns.map { $0.notNull?.onConflict }
        plan.mayIgnore = conflicts.contains(.ignore)
    }

    // MARK: - References

    private func addReferences(_ table: Table, _ demands: LaterDemands, _ plan: inout TablePlan) {
        var known: Set<[Int]> = []
        func add(_ key: ForeignKey, isPresent: Bool, isLater: Bool = false) {
            let columns = key.columns.compactMap { plan.places[$0.foldedASCII] }
            guard columns.count == key.columns.count, isPresent || !known.contains(columns) else { return }
            let parent = key.parent.foldedASCII
            let parentColumns = present.schema.parentColumns(of: key) ?? []
            let isThere = present.schema.tables[parent] != nil
            guard isPresent || !isThere || parentColumns.count == columns.count else { return }
            known.insert(columns)
            let rowid = present.schema.tables[parent]?.rowidAlias?.name.foldedASCII
            plan.references.append(
                .init(
                    columns: columns, parent: parent, parentColumns: parentColumns.map(\.foldedASCII),
                    isPresent: isPresent, isDeferred: isPresent && key.isDeferred,
                    isImpossible: columns.count == 1 && plan.columns[columns[0]].affinity == .real
                        && parentColumns.first?.foldedASCII == rowid, isLater: isLater))
        }
        for key in table.foreignKeys { add(key, isPresent: true) }
        for key in demands.foreignKeys {
            // Where its parents come before it, or are made of the values here, these are not NULL.
            let parent = key.parent.foldedASCII
            let hasParents =
                demands.keysAfterParents.contains(key)
                || present.schema.tables[parent] == nil
                    && facts.copiesRows(of: plan.folded, into: parent)
            add(key, isPresent: false, isLater: !hasParents)
        }
        for reference in (triggers[plan.folded] ?? []).flatMap(TriggerReader.references) {
            guard let place = plan.places[reference.column], !known.contains([place]),
                present.schema.tables[reference.parent]?.column(reference.parentColumn) != nil
            else { continue }
            known.insert([place])
            plan.references.append(
                .init(
                    columns: [place], parent: reference.parent, parentColumns: [reference.parentColumn],
                    isPresent: false))
        }
        addPartners(&plan)
        let referencing = Set(plan.references.flatMap(\.columns))
        for (place, column) in plan.columns.enumerated() where !referencing.contains(place) && !column.isRowid
        {
            guard
                let (parent, key) = Self.impliedParent(
                    column.name, column.affinity, of: table, in: present.schema)
            else { continue }
            plan.references.append(
                .init(columns: [place], parent: parent, parentColumns: [key], isPresent: false))
        }
        for (place, reference) in plan.references.enumerated() {
            let key = Set(reference.parentColumns)
            plan.references[place].isEnumerated =
                present.schema.tables[reference.parent]?.checks.contains {
                    !$0.expression.names.isDisjoint(with: key)
                } ?? false
        }
        plan.references.sort {
            ($0.isPresent ? 1 : 0, $0.columns.count) > ($1.isPresent ? 1 : 0, $1.columns.count)
        }
    }

    /// Adds the columns by which statements join the table with others.
    private func addPartners(_ plan: inout TablePlan) {
        for partners in partners {
            let isChild = partners.child == plan.folded
            guard isChild || partners.parent == plan.folded else { continue }
            let names = isChild ? partners.columns : partners.parentColumns
            let places = names.compactMap { plan.places[$0] }
            guard places.count == names.count else { continue }
            var reference = TablePlan.Reference(
                columns: places, parent: isChild ? partners.parent : partners.child,
                parentColumns: isChild ? partners.parentColumns : partners.columns, isPresent: false)
            (reference.isJoined, reference.isOuter) = (true, partners.isOuter)
            reference.isCovering = partners.isCovering
            if !isChild {
                plan.lookups.append(reference)
            } else if !plan.references.contains(where: { $0.columns == places }) {
                plan.references.append(reference)
                guard partners.isSingle else { continue }
                plan.keys.append(
                    .init(columns: places, foldsCase: places.map { _ in false }, isPresent: false))
            }
        }
    }

    /// Returns the table that a column without a foreign key names: `user_id` names `user` or `users`, and `parent_id`
    /// the table itself.
    static func impliedParent(
        _ column: String, _ affinity: Affinity, of table: Table, in schema: Schema
    ) -> (table: String, key: String)? {
        var words = ColumnKind.words(column)
        guard words.count > 1, words.last == "id" else { return nil }
        words.removeLast()
        let stem = words.joined(separator: "_")
        let plural = stem.hasSuffix("y") ? String(stem.dropLast()) + "ies" : stem + "s"
        var names = [stem, plural, stem + "es", words.joined(), words.joined() + "s"]
        if words == ["parent"] { names.insert(table.name.foldedASCII, at: 0) }
        for name in names where name != table.name.foldedASCII || words == ["parent"] {
            guard let parent = schema.tables[name], let key = parent.primaryKey, key.terms.count == 1,
                let term = parent.column(key.terms[0].column), parent.affinity(of: term) == affinity
            else { continue }
            return (name, term.name.foldedASCII)
        }
        return nil
    }

    // MARK: - Checks

    private func addChecks(_ table: Table, _ demands: LaterDemands, _ plan: inout TablePlan) {
        for check in table.checks {
            let text = check.expression.description
            let labels = Set([check.name, text].compactMap { $0?.foldedASCII })
            let expression = ExpressionReader.expression(check.expression)
            let alternatives = Alternatives(expression)
            add(.init(alternatives: alternatives, text: text, labels: labels, expression: expression), &plan)
        }
        plan.laterChecks = demands.checks.map {
            .init(alternatives: $0.alternatives, expression: $0.expression)
        }
    }

    private func add(_ check: TablePlan.Check, _ plan: inout TablePlan) {
        for way in check.alternatives.all {
            for case .unknown(let columns) in way {
                for place in columns.compactMap({ plan.places[$0] }) {
                    plan.columns[place].isUncertain = true
                }
            }
        }
        plan.checks.append(check)
        // What has one way is settled once for all rows.
        guard check.alternatives.all.count == 1 else { return }
        var choice = Choice(plan)
        guard choice.add(check.alternatives.all[0]) else { return }
        (plan.domains, plan.orders) = choice.made
        plan.checks[plan.checks.count - 1].isSettled = true
    }

    /// Adds what the triggers of the table refuse: `SELECT RAISE(ABORT, ...) WHERE condition`, also with WHEN.
    private func addTriggers(_ folded: String, _ plan: inout TablePlan) {
        for trigger in triggers[folded] ?? [] {
            let refusals = TriggerReader.refusals(trigger)
            if refusals.ignores { plan.mayIgnore = true }
            for condition in refusals.conditions {
                let alternatives = Alternatives(condition, isNegated: true)
                if alternatives.columns.isSubset(of: Set(plan.places.keys)) {
                    add(.init(alternatives: alternatives, expression: .unary("not", condition)), &plan)
                }
            }
        }
    }

    // MARK: - Uses

    /// Adds the values that statements compare columns with, and sorts the columns by what they are compared with.
    private func addUses(_ names: [String], _ plan: inout TablePlan) {
        let referencing = Set(plan.references.flatMap(\.columns))
        for (place, column) in plan.columns.enumerated() where !column.isRowid && !referencing.contains(place)
        {
            plan.columns[place].suggestions = suggestions(column, names, plan)
            guard column.isUnique, plan.domains[place].values == nil else { continue }
            let keys = facts.handledKeys(column.folded, on: names).map { $0.stored(as: column.affinity) }
            if keys.count >= 3 { plan.columns[place].handledKeys = keys }
        }
        ColumnRanks.rank(&plan)
    }

    private func suggestions(_ column: ColumnPlan, _ names: [String], _ plan: TablePlan) -> [SQLValue] {
        if column.isBoolean { return [] }
        if case .json = column.kind { return [] }
        let isKey = plan.keys.contains { key in
            key.columns.contains { plan.columns[$0].folded == column.folded }
        }
        var found: [SQLValue] = []
        for comparison in facts.comparisons(column.folded, tables: names) where found.count < 8 {
            let value = Self.value(comparison, of: column).stored(as: column.affinity)
            let fits =
                switch (column.affinity, value) {
                case (.integer, .integer), (.real, .real), (.numeric, .integer), (.numeric, .real),
                    (.text, .text),
                    (.blob, .text), (.blob, .blob):
                    true
                case (.numeric, .text): !column.isStrict
                default: false
                }
            guard fits, !found.contains(value), !(isKey && plan.reserved.contains(value)) else { continue }
            // A key that a condition names beside something else is for a row that meets the whole condition.
            if column.isUnique, plan.asksMore(of: column.folded, value) { continue }
            found.append(value)
        }
        return found
    }

    /// Returns a value that a column is compared with; for a pattern a moment that matches it, where the column has those.
    private static func value(_ comparison: Usage.Comparison, of column: ColumnPlan) -> SQLValue {
        guard let pattern = comparison.pattern, column.kind.isMoment,
            let text = DateTime(day: 1).texts.first(where: pattern.matches)
        else { return comparison.value }
        return SQLValue(text)
    }
}
