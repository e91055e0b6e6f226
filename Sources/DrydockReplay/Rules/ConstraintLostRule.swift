import DrydockFindings
import DrydockMigrations
import DrydockConservation
import DrydockState
import SQLiteSchema

/// `constraint-lost`: a table that stays, or the one that gets its rows and its name in the end, accepts what it refused, or
/// no longer has a foreign key's action. It needs only the schemas before and after. What another index, key or CHECK
/// enforces is not lost, nor what went with a column or a parent.
struct ConstraintLostRule: StepRule {
    func check(_ step: StepView, _ declarations: inout DeclarationUse) -> [StepFinding] {
        let matches = step.conservation.kept.map(\.match) + step.conservation.notCompared.map(\.match)
        // By far most tables stay as they are.
        let kept = matches.filter { $0.before.text != $0.after.text }.map { [Replacement($0, in: step)] }
        let successors = Dictionary(grouping: step.conservation.successors, by: \.before.name)
        let moved = successors.values.filter { !$0.contains(where: \.isMerged) }.map {
            $0.map(Replacement.init)
        }
        let all = kept + moved
        guard !all.isEmpty else { return [] }
        let names = SuccessorNames(matches, step)
        return all.sorted { ($0.first?.before.name ?? "") < ($1.first?.before.name ?? "") }.flatMap {
            findings($0, names, step, &declarations)
        }
    }

    /// Returns the findings for what none of the tables has that have one's place.
    private func findings(
        _ replacements: [Replacement], _ names: SuccessorNames, _ step: StepView,
        _ declarations: inout DeclarationUse
    ) -> [StepFinding] {
        let comparisons = replacements.compactMap {
            $0.comparison(with: $0.after, in: step.after.catalog, from: step.before.catalog, names)
        }
        guard comparisons.count == replacements.count, let home = replacements.first else { return [] }
        let all = comparisons.map(\.losses)
        let lost = (all.first ?? []).filter { loss in
            all.dropFirst().allSatisfy { $0.contains { $0.constraint == loss.constraint } }
                && !declarations.covers { home.isNamed(by: $0, loss) }
        }
        guard !lost.isEmpty else { return [] }
        let catalog = step.before.catalog
        return LostConstraints.groups(lost, of: home.after.name, home.after.model).map { group in
            let constraints = group.losses.map(\.constraint)
            return StepFinding(
                Finding(
                    .constraintLost, group.severity, group.message, help: group.help,
                    place: statement(home, step).map { .init($0) }, table: group.table, column: group.column),
                stands: { end, lastName in
                    let left = replacements.compactMap { replacement in
                        replacement.isStill(without: constraints, in: end.catalog, from: catalog, names) {
                            lastName($0)
                        } name: {
                            replacement.lastName(in: end, lastName)
                        }
                    }
                    return !left.isEmpty && !left.contains(false)
                }, isForgottenOnceFixed: home.successor != nil)
        }
    }

    /// Returns the statement that created the table as it is now, or that wrote the schema.
    private func statement(_ home: Replacement, _ step: StepView) -> SQLStatement? {
        step.statement(at: step.lineage[home.after.name]?.createdBy)
            ?? step.migration.statements.last { statement in
                ["sqlite_schema", "sqlite_master"].contains { statement.mentions($0) }
            }
    }
}

/// The names that tables and columns have after a step, by folded name before it.
private struct SuccessorNames: Sendable {
    var tables: [String: [String]] = [:]
    var columns: [String: [String: String]] = [:]

    init(_ matches: [TableMatch], _ step: StepView) {
        let homes = step.conservation.droppedTables.compactMap { dropped in
            dropped.home.map { (dropped.table.name.foldedASCII, $0.table.name) }
        }
        tables = Dictionary(homes.map { ($0.0, [$0.1]) }, uniquingKeysWith: { first, _ in first })
        for match in matches {
            let folded = match.before.name.foldedASCII
            // A key that follows its parent's rename is reported as such.
            let renamed = step.lineage.currentName(of: folded).flatMap(step.after.catalog.table)
            tables[folded] = [match.after.name] + (renamed.map { [$0.name] } ?? [])
            columns[folded] = match.allColumns.reduce(into: [:]) { names, pair in
                if pair.before.name != pair.after.name {
                    names[pair.before.name.foldedASCII] = pair.after.name
                }
            }
        }
    }
}

/// A table that replaces one from before the step.
private struct Replacement: Sendable {
    let before: Catalog.Table
    let after: Catalog.Table
    let columns: [TableMatch.ColumnPair]
    let match: TableMatch?
    let successor: Successor?

    init(_ match: TableMatch, in step: StepView) {
        // In a table that was not rebuilt, a column that was filled from another one has constraints of its own.
        let isSame = step.lineage[match.after.name]?.origin == match.before.name.foldedASCII
        (before, after) = (match.before, match.after)
        columns = match.allColumns.filter { !isSame || !$0.isGuess }
        (self.match, successor) = (match, nil)
    }

    init(_ successor: Successor) {
        (before, after, columns) = (successor.before, successor.after, successor.columns)
        (match, self.successor) = (nil, successor)
    }

    /// Returns the last name of the table; nil where it is gone, or has not got the other one's name.
    func lastName(in end: DatabaseState, _ lastName: (String) -> String?) -> String? {
        guard let successor else { return lastName(after.name) }
        let name = successor.lastName(in: end, lastName)
        return name?.foldedASCII == before.name.foldedASCII ? name : nil
    }

    func isNamed(by declaration: Declaration.Kind, _ loss: LostConstraint) -> Bool {
        guard case .dropsConstraint(let constraint, let table) = declaration else { return false }
        let isMeant =
            match?.isCalled(table)
            ?? [before.name.foldedASCII, after.name.foldedASCII].contains(table.foldedASCII)
        return isMeant && (constraint.names(loss.constraint) || constraint.names(loss.wanted))
    }

    /// Compares the table from before the step with a later form of its successor.
    func comparison(
        with table: Catalog.Table, in catalog: Catalog, from earlier: Catalog, _ names: SuccessorNames
    ) -> ConstraintComparison? {
        guard let old = before.model, let new = table.model else { return nil }
        let parents = old.foreignKeys.map(\.parent)
        let now = parents.flatMap { names.tables[$0.foldedASCII] ?? [$0] } + new.foreignKeys.map(\.parent)
        return ConstraintComparison(
            from: old, in: earlier.schema(of: parents), to: new,
            in: catalog.schema(of: now, withIndexesOf: table),
            columns: Dictionary(
                columns.filter { table.column($0.after.name) != nil }.map {
                    ($0.before.name.foldedASCII, $0.after.name)
                }, uniquingKeysWith: { first, _ in first }),
            tables: names.tables, tableColumns: names.columns)
    }

    /// Whether the successor's last form lacks any of these constraints; nil where there is none.
    func isStill(
        without constraints: [TableConstraint], in catalog: Catalog, from earlier: Catalog,
        _ names: SuccessorNames, lastName: (String) -> String?, name: () -> String?
    ) -> Bool? {
        guard let table = name().flatMap(catalog.table) else { return nil }
        var names = names
        for parent in before.foreignKeys.map(\.parent) {
            let now = names.tables[parent.foldedASCII] ?? [parent]
            names.tables[parent.foldedASCII] = now.compactMap(lastName)
        }
        guard let comparison = comparison(with: table, in: catalog, from: earlier, names) else { return nil }
        // What a later step did to a column is not known.
        let gone = columns.filter { table.column($0.after.name) == nil }.map(\.before.name.foldedASCII)
        let left = comparison.losses.map(\.constraint)
        return constraints.contains { constraint in
            left.contains(constraint) || !constraint.names.isDisjoint(with: gone)
        }
    }
}

extension Catalog {
    /// Returns a schema of some tables, and one table with its indexes.
    fileprivate func schema(of names: [String], withIndexesOf table: Table? = nil) -> Schema {
        var schema = Schema()
        for name in names { schema.tables[name.foldedASCII] = self.table(name)?.model }
        guard let table else { return schema }
        schema.tables[table.name.foldedASCII] = table.model
        let indexes = objects.values.filter {
            $0.kind == .index && $0.tableName.foldedASCII == table.name.foldedASCII
        }
        if !indexes.isEmpty {
            let rows = [SchemaRow(type: "table", name: table.name, table: table.name, sql: table.text)]
            schema.indexes =
                table.schema(
                    of: rows
                        + indexes.map {
                            SchemaRow(type: "index", name: $0.name, table: $0.tableName, sql: $0.text)
                        }
                ).indexes
        }
        return schema
    }
}
