import DrydockFindings
import DrydockReplay
import SQLiteSchema

/// The tables that a step can touch.
package struct StepTables {
    /// The tables that its statements name, also through views and triggers, by folded name.
    private(set) var named: Set<String> = []
    private let schema: Schema

    /// The largest number of tables that belong to a counterexample.
    private static let limit = 60

    /// - Parameter needsRows: whether statements that do the same with any rows are left out.
    package init(_ fixture: StepFixture, in schema: Schema, needsRows: Bool = false) {
        if let touched = fixture.touched {
            self.init(names: touched, in: schema)
        } else {
            self.init(needsRows ? fixture.statements.dependingOnRows : fixture.statements, in: schema)
        }
    }

    package init(_ statements: [SQLStatement], in schema: Schema) {
        let names = statements.reduce(into: Set<String>()) { names, statement in
            for token in statement.tokens {
                if let name = token.name(in: statement.source) { names.insert(name.foldedASCII) }
            }
        }
        self.init(names: names, in: schema)
    }

    /// - Parameter names: folded names, of other things as well.
    package init(names: Set<String>, in schema: Schema) {
        self.schema = schema
        var left = names
        // A view may name itself, in a column that is called like it.
        var seen: Set<String> = []
        while let name = left.popFirst() {
            guard seen.insert(name).inserted else { continue }
            if let view = schema.views[name] { left.formUnion(view.query.names) }
            guard schema.tables[name] != nil || schema.virtualTables[name] != nil else { continue }
            named.insert(name)
            for trigger in schema.triggers(on: name) {
                left.formUnion(
                    trigger.names.filter { schema.tables[$0] != nil || schema.virtualTables[$0] != nil })
            }
        }
        // What names only the table of marks is about the tables that have one.
        if named.isEmpty, names.contains("sqlite_sequence") {
            named = Set(schema.tables.filter { $0.value.primaryKey?.isAutoincrement == true }.keys)
        }
    }

    /// Returns the tables and those that refer to them.
    var withChildren: Set<String> { named.union(children(of: named)) }

    /// Returns the tables, and another one, with the parents that their rows cannot do without.
    package func withNeededParents(_ other: String?) -> Set<String> {
        let other = [other?.foldedASCII].compactMap(\.self)
        var tables = named.union(other.filter { schema.virtualTables[$0] != nil })
        var left = named.union(other).filter { schema.tables[$0] != nil }
        tables.formUnion(left)
        while let name = left.popFirst() {
            guard let table = schema.tables[name] else { continue }
            for key in table.foreignKeys where table.needsParent(key) {
                let parent = key.parent.foldedASCII
                if schema.tables[parent] != nil, tables.insert(parent).inserted { left.insert(parent) }
            }
        }
        return tables
    }

    /// Returns the tables with those that their foreign keys name, without which SQLite refuses to write to them.
    package func withParents(_ tables: Set<String>) -> Set<String> {
        let parents = tables.flatMap { schema.tables[$0]?.foreignKeys.map(\.parent.foldedASCII) ?? [] }
        return tables.union(parents)
    }

    /// Returns the tables with all that refer to them or that they refer to, at any distance.
    package var family: Set<String> {
        var (family, edge) = (named, named)
        while !edge.isEmpty, family.count < Self.limit {
            let parents = edge.flatMap { schema.tables[$0]?.foreignKeys.map(\.parent.foldedASCII) ?? [] }
            edge = children(of: edge).union(parents).subtracting(family)
                .filter { schema.tables[$0] != nil }
            family.formUnion(edge)
        }
        return family
    }

    private func children(of parents: Set<String>) -> Set<String> {
        Set(
            schema.tables.filter { _, table in
                table.foreignKeys.contains { parents.contains($0.parent.foldedASCII) }
            }.keys)
    }
}

extension Table {
    /// Whether a row must refer to a parent: no column of the key may be NULL.
    func needsParent(_ key: ForeignKey) -> Bool {
        key.columns.allSatisfy { name in column(name).map(isNotNull) ?? false }
    }
}

extension [SQLStatement] {
    /// The statements, without additions that no row has a say in; none where the rows make no difference at all.
    var dependingOnRows: [SQLStatement] {
        contains(where: \.dependsOnRows) ? filter { !$0.isPlainAddition } : []
    }
}

extension SQLStatement {
    /// Whether what it does, or whether it fails, can depend on rows.
    var dependsOnRows: Bool {
        switch action {
        case .begin, .commit, .rollback, .savepoint, .release, .rollbackTo, .pragma, .dropIndex, .dropView,
            .dropTrigger, .createView, .createTrigger, .createTable(_, _, asSelect: false):
            false
        default: !isPlainAddition
        }
    }

    /// Whether it adds an index that any rows can have, or a column that demands nothing of them.
    fileprivate var isPlainAddition: Bool {
        let words = Set(tokens.map { $0.text(in: source).foldedASCII })
        switch action {
        case .createIndex:
            // An expression is computed for each row, and may fail.
            return words.isDisjoint(with: ["unique", "where"])
                && tokens.count { $0.isSymbol("(", in: source) } == 1
        case .addColumn:
            return words.isDisjoint(with: ["not", "check", "as"])
                && !words.isSuperset(of: ["references", "default"])
        default: return false
        }
    }
}
