/// A builder that collects objects, and decides what depends on all of them.
struct SchemaBuilder {
    var schema = Schema()
    /// The statements of tables with a name that a virtual table's module may also create.
    var texts: [String: String] = [:]

    /// Stores a table's statement if it may be needed to distinguish a module's table from a user's.
    mutating func note(table: String, sql: String) {
        if table.foldedASCII.hasSuffix("_stat") { texts[table.foldedASCII] = sql }
    }

    mutating func add(_ object: CreateStatement.Object) {
        switch object {
        case .table(let table): schema.tables[table.name.foldedASCII] = table
        case .index(let index): schema.indexes[index.name.foldedASCII] = index
        case .view(let view): schema.views[view.name.foldedASCII] = view
        case .trigger(let trigger): schema.triggers[trigger.name.foldedASCII] = trigger
        case .virtualTable(let table): schema.virtualTables[table.name.foldedASCII] = table
        }
    }

    mutating func add(unparsed row: SchemaRow, _ sql: String, reason: String) {
        schema.unparsed[row.name.foldedASCII] = Unparsed(
            type: row.type, name: row.name, table: row.table, text: sql, reason: reason)
    }

    /// Returns whether the name is taken: tables, views and indexes share one namespace, triggers have
    /// another.
    func contains(_ object: CreateStatement.Object) -> Bool {
        let name: String
        switch object {
        case .trigger(let trigger): return schema.triggers[trigger.name.foldedASCII] != nil
        case .table(let table): name = table.name.foldedASCII
        case .index(let index): name = index.name.foldedASCII
        case .view(let view): name = view.name.foldedASCII
        case .virtualTable(let table): name = table.name.foldedASCII
        }
        return schema.tables[name] != nil || schema.indexes[name] != nil || schema.views[name] != nil
            || schema.virtualTables[name] != nil
    }

    /// Removes a table or view, and everything on it.
    mutating func dropTable(_ name: String) {
        let folded = name.foldedASCII
        schema.tables[folded] = nil
        schema.views[folded] = nil
        schema.virtualTables[folded] = nil
        schema.unparsed = schema.unparsed.filter { !$0.value.table.isSameName(as: name) && $0.key != folded }
        schema.indexes = schema.indexes.filter { !$0.value.table.isSameName(as: name) }
        schema.triggers = schema.triggers.filter { !$0.value.table.isSameName(as: name) }
    }

    /// Removes the tables that belong to virtual tables, and the named ones.
    mutating func removeShadowTables(_ named: Set<String>) {
        let owners = schema.virtualTables.values
        let candidates = Array(schema.tables.keys) + Array(schema.unparsed.keys)
        for name in candidates
        where named.contains(name) || owners.contains(where: { $0.owns(table: name, sql: texts[name]) }) {
            dropTable(name)
        }
    }
}

extension SchemaBuilder {
    /// Decides whether double-quoted names are names or texts (https://www.sqlite.org/quirks.html#dblquote).
    ///
    /// In the expressions of a table and its indexes, the columns decide. In views and triggers too much is
    /// in scope to be sure: there the quotes are dropped if a table in use has the column, and kept
    /// otherwise.
    mutating func resolveDoubleQuotes() {
        for name in schema.tables.keys { resolveTable(name) }
        for (name, index) in schema.indexes { resolveIndex(name, index) }
        for name in schema.views.keys { resolveView(name) }
        for name in schema.triggers.keys { resolveTrigger(name) }
    }

    /// Does the same for one object.
    mutating func resolveDoubleQuotes(of object: CreateStatement.Object) {
        switch object {
        case .table(let table): resolveTable(table.name.foldedASCII)
        case .index(let index): resolveIndex(index.name.foldedASCII, index)
        case .view(let view): resolveView(view.name.foldedASCII)
        case .trigger(let trigger): resolveTrigger(trigger.name.foldedASCII)
        case .virtualTable: break
        }
    }

    private mutating func resolveView(_ name: String) {
        guard var query = schema.views[name]?.query else { return }
        resolveQuery(&query, names: query.names)
        schema.views[name]?.query = query
    }

    private mutating func resolveTrigger(_ name: String) {
        guard let trigger = schema.triggers[name] else { return }
        let names = trigger.names.union([trigger.table.foldedASCII])
        if var condition = trigger.condition {
            resolveQuery(&condition, names: names)
            schema.triggers[name]?.condition = condition
        }
        for place in trigger.body.indices {
            var statement = trigger.body[place]
            resolveQuery(&statement, names: names)
            schema.triggers[name]?.body[place] = statement
        }
    }

    private static let rowidNames: Set<String> = ["rowid", "oid", "_rowid_"]

    private func columns(of table: String) -> Set<String>? {
        schema.tables[table].map { Set($0.columns.map(\.name.foldedASCII)) }
    }

    private mutating func resolveTable(_ name: String) {
        guard var table = schema.tables[name], let columns = columns(of: name) else { return }
        func resolve(_ fragment: inout SQLFragment) {
            let isColumn = { columns.contains($0) || Self.rowidNames.contains($0) }
            fragment.resolveDoubleQuotes(possible: isColumn, certain: isColumn)
        }
        for place in table.checks.indices { resolve(&table.checks[place].expression) }
        for place in table.columns.indices {
            if var generated = table.columns[place].generated {
                resolve(&generated.expression)
                table.columns[place].generated = generated
            }
        }
        schema.tables[name] = table
    }

    private mutating func resolveIndex(_ name: String, _ index: Index) {
        guard let columns = columns(of: index.table.foldedASCII) else { return }
        var index = index
        let isColumn = { columns.contains($0) || Self.rowidNames.contains($0) }
        for place in index.terms.indices {
            switch index.terms[place].value {
            case .column(let column) where !isColumn(column.foldedASCII):
                // SQLite accepts only a double-quoted name here, as a text; printed in single quotes it would
                // be a name.
                index.terms[place].value = .expression(SQLFragment(sql: SQLName.quoted(column)))
            case .column: break
            case .expression(var expression):
                expression.resolveDoubleQuotes(possible: isColumn, certain: isColumn)
                index.terms[place].value = .expression(expression)
            }
        }
        index.condition?.resolveDoubleQuotes(possible: isColumn, certain: isColumn)
        schema.indexes[name] = index
    }

    private func resolveQuery(_ query: inout SQLFragment, names: Set<String>) {
        query.resolveDoubleQuotes(
            possible: { _ in true },
            certain: { name in
                if schema.tables[name] != nil { return true }
                return names.contains { schema.tables[$0]?.column(name) != nil }
            })
    }
}
