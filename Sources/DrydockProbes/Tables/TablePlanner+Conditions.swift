import DatabaseEngine
import SQLiteSchema

/// What statements ask of the rows of a table.
extension TablePlanner {
    /// At most so many conditions on a table are those of rows that refer to it, and so many those of keys that are
    /// replaced.
    private static let (mostOfChildren, mostConflicts) = (8, 12)
    /// References are followed so far.
    private static let deepest = 4

    /// Adds what is solved for values: constraints, and the conditions of statements.
    func addConditions(_ table: Table, _ names: [String], _ plan: inout TablePlan) {
        for column in table.columns {
            guard let generated = column.generated else { continue }
            plan.generated[column.name.foldedASCII] = ExpressionReader.expression(generated.expression)
        }
        // One generated column may be made of another.
        for _ in 0..<min(plan.generated.count, 4) {
            plan.generated = plan.generated.mapValues { $0.replacing(plan.generated) }
        }
        for check in plan.checks + plan.laterChecks {
            for case .isNull(let name) in check.alternatives.all.joined() {
                if let place = plan.places[name] { plan.mustBeNull.insert(place) }
            }
            if check.expression?.functions.contains("typeof") ?? false { plan.hasTypeChecks = true }
        }
        let found = facts.conditions(
            on: names, columns: table.columns.map(\.name.foldedASCII),
            rowid: table.rowidAlias?.name.foldedASCII ?? table.hiddenRowid)
        // A row that meets several conditions at once is sought first: it meets each of them alone too.
        let sorted = found.prefix(ConditionFill.most).enumerated().sorted {
            (-$0.element.partCount, $0.offset) < (-$1.element.partCount, $1.offset)
        }.map(\.element)
        let ofChildren = keyConditions(plan.folded, names, 0).filter { plan.places[$0.column] != nil }
            .map { StatedCondition.Local(expression: $0.expression) }.filter { !sorted.contains($0) }
        // A row that others refer to is there before them, also in the table itself.
        plan.conditions = ofChildren.prefix(Self.mostOfChildren) + sorted
        addTakenKeys(names, &plan)
        plan.conditions += conflicts(names, plan).prefix(Self.mostConflicts)
    }

    // MARK: - Keys that migrations name

    private func addTakenKeys(_ names: [String], _ plan: inout TablePlan) {
        let all = plan.columns.map(\.folded)
        for (place, column) in plan.columns.enumerated() where column.isUnique {
            func values(_ conflicts: Set<InsertedRow.Conflict>) -> Set<SQLValue> {
                let found = facts.insertedValues(column.folded, of: names, all: all, conflicts)
                return Set(found.map { $0.stored(as: column.affinity) })
            }
            plan.taken[place] = values([.fails, .replaces])
            plan.takenPlainly[place] = values([.fails])
        }
    }

    /// Returns a condition for each key with which a migration replaces the row that has it, unless a migration inserts
    /// it as well.
    private func conflicts(_ names: [String], _ plan: TablePlan) -> [StatedCondition.Local] {
        let all = plan.columns.map(\.folded)
        let rows = facts.insertedRows(names)
        func key(_ row: InsertedRow, _ places: [Int]) -> [SQLValue]? {
            let values = places.compactMap { place in
                facts.names(ofColumn: all[place]).lazy.compactMap { row.value(of: $0, all: all) }.first
            }
            return values.count == places.count && !values.contains(where: \.isNull) ? values : nil
        }
        var found: [StatedCondition.Local] = []
        for places in plan.keys.filter(\.isPresent).map(\.columns) {
            let plain = Set(rows.filter { $0.conflict == .fails }.compactMap { key($0, places) })
            for row in rows where row.conflict == .replaces {
                guard let values = key(row, places), !plain.contains(values) else { continue }
                let parts = zip(places, values).map { Expression.binary("=", .column(all[$0]), .value($1)) }
                let condition = StatedCondition.Local(
                    expression: parts.dropFirst().reduce(parts[0]) { .binary("and", $0, $1) },
                    isConflict: true)
                if !found.contains(condition) { found.append(condition) }
            }
        }
        return found
    }

    // MARK: - Conditions of children

    /// Returns what statements ask of the columns that refer to a table, with the referenced column in their place: for
    /// a row with `a_id = 7` there has to be a parent with that key.
    private func keyConditions(_ table: String, _ names: [String], _ depth: Int) -> [(
        column: String, expression: Expression
    )] {
        guard depth < Self.deepest else { return [] }
        var found: [(column: String, expression: Expression)] = []
        for child in names.flatMap({ children[$0] ?? [] }) {
            let childNames = facts.names(of: child.table)
            var own = facts.conditions(on: childNames, columns: [child.column]).filter {
                !$0.isChange && !$0.expression.hasQuery && !$0.expression.constants.isEmpty
            }.map(\.expression)
            own += keyConditions(child.table, childNames, depth + 1)
                .filter { $0.column == child.column }.map(\.expression)
            for expression in own {
                let moved = expression.replacing([child.column: .column(child.parentColumn)])
                if !found.contains(where: { $0.column == child.parentColumn && $0.expression == moved }) {
                    found.append((child.parentColumn, moved))
                }
            }
        }
        return found
    }
}

/// A column that refers to a table's key.
struct ChildColumn: Sendable {
    var table: String
    var column: String
    var parentColumn: String

    /// Returns the columns that refer to each table, of the tables that statements have conditions on, as each is
    /// defined first.
    static func byParent(
        _ facts: StatementFacts, _ schemas: [SchemaLookup], _ partners: [Partners]
    ) -> [String: [ChildColumn]] {
        var children: [String: [ChildColumn]] = [:]
        for partners in partners where partners.columns.count == 1 {
            children[partners.parent, default: []].append(
                .init(
                    table: partners.child, column: partners.columns[0],
                    parentColumn: partners.parentColumns[0]))
        }
        for name in facts.conditionedTables {
            guard let schema = schemas.first(where: { $0.schema.tables[name] != nil })?.schema,
                let table = schema.tables[name]
            else { continue }
            var known: Set<String> = []
            for key in table.foreignKeys where key.columns.count == 1 {
                guard let column = schema.parentColumns(of: key), column.count == 1 else { continue }
                known.insert(key.columns[0].foldedASCII)
                children[key.parent.foldedASCII, default: []].append(
                    .init(
                        table: name, column: key.columns[0].foldedASCII,
                        parentColumn: column[0].foldedASCII))
            }
            for column in table.columns where !known.contains(column.name.foldedASCII) {
                guard
                    let parent = TablePlanner.impliedParent(
                        column.name, table.affinity(of: column), of: table, in: schema)
                else { continue }
                children[parent.table, default: []].append(
                    .init(table: name, column: column.name.foldedASCII, parentColumn: parent.key))
            }
        }
        return children
    }
}

extension TablePlan {
    /// Whether a condition names a value of a column together with something else.
    func asksMore(of column: String, _ value: SQLValue) -> Bool {
        conditions.contains { condition in
            let parts = Constraint(expression: condition.expression).conjuncts
            return parts.count > 1 && !condition.isForUnusualRows
                && parts.contains { part in
                    part.isWanted && part.expression.ownColumns == [column]
                        && part.expression.constants.contains(value)
                }
        }
    }
}

extension StatedCondition.Local {
    /// The number of conditions that must hold together.
    fileprivate var partCount: Int {
        isChange ? 0 : Constraint(expression: expression).conjuncts.count + (whole == nil ? 0 : 1)
    }
}
