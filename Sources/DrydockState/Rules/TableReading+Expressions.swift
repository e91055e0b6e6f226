import DrydockFindings
import DrydockMigrations
import DatabaseEngine
import SQLiteSchema

/// Tests the expressions of a table's definition where no row of the table shows whether they can be computed.
extension TableReading {
    /// Returns the columns with a collation that SQLite does not know: every comparison and every sort of them fails.
    func collationFaults(besides known: [Fault]) throws -> [Fault] {
        let columns = table.columns.filter { column in
            !known.contains { $0.id.column == column.name.foldedASCII }
        }
        func query(_ columns: [Catalog.Column]) -> String {
            let names = columns.map { quotedName($0.name) }.joined(separator: ", ")
            return "SELECT 1 FROM \(name) ORDER BY \(names)"
        }
        var faults: [Fault] = []
        if !columns.isEmpty, try missesCollation(query(columns)) != nil {
            faults = try columns.compactMap { column in
                guard let message = try missesCollation(query([column])) else { return nil }
                return fault(
                    "\(table.name).\(column.name) cannot be compared: \(message)", kind: "collation",
                    help:
                        "Every comparison, index and sort of the column fails. Correct the collation in its definition. If "
                        + "the app registers it, give a stand-in.",
                    column: column.name)
            }
        }
        // An index may name a different collation than its columns.
        let isCompiled = known.allSatisfy { $0.evidence != nil }
        if faults.isEmpty, isCompiled, let message = try missesCollation(insert(table.storedColumns)) {
            faults.append(
                fault(
                    "no row can be written to table \(table.name): \(message)", kind: "collation",
                    help:
                        "Every later INSERT fails. Correct the index or constraint that names the collation. If the app "
                        + "registers it, give a stand-in."))
        }
        return faults
    }

    private func missesCollation(_ sql: String) throws -> String? {
        do {
            _ = try connection.prepare(sql)
            return nil
        } catch let error as EngineError where error.isMissingCollation {
            return error.message
        } catch let error as EngineError where !error.isInterrupt && !error.isOutage {
            return nil
        }
    }

    /// Returns the expressions that fail on every row, unless SQLite already reports them when it compiles a
    /// statement: it calls a function only when there is a row, and a DEFAULT only when a row leaves the column out.
    func expressionFaults(besides known: [Fault]) throws -> [Fault] {
        // A definition that does not compile shows nothing about what it would compute.
        guard known.allSatisfy({ $0.evidence != nil || $0.id.kind == "collation" }), let schema,
            let model = schema.table(table.name),
            try failure(of: insert(table.storedColumns)) == nil
        else { return [] }
        var probe = ExpressionProbe(table: model, connection: connection)
        probe.countsRefusals = false
        var faults = try model.columns.compactMap { try fault(ofDefault: $0, probe) }
        for check in model.checks {
            if let error = probe.failure(of: .check(check)) {
                faults.append(unwritable("a CHECK", error))
            } else if let refused = probe.refusedValue(of: .check(check)) {
                faults.append(unwritable("a CHECK", refused.error, value: refused.value))
            }
        }
        faults += refusedValues(model, schema, probe, besides: known)
        guard !model.columns.allSatisfy({ $0.generated == nil }) || !schema.indexes.isEmpty,
            try connection.firstRow("SELECT 1 FROM \(name)", [], { _ in true }) == nil
        else { return faults }
        for column in model.columns {
            guard let generated = column.generated,
                let error = probe.failure(of: .generated(column, generated.expression))
            else { continue }
            faults.append(
                fault(
                    "\(table.name).\(column.name) cannot be read in any row: \(error.message)",
                    kind: "reading",
                    help:
                        "The table is empty; from its first row on, every SELECT * fails. Correct the expression.",
                    column: column.name))
        }
        for index in schema.indexes.values.sorted(by: { $0.name < $1.name }) {
            if let error = probe.failure(of: .index(index)) {
                faults.append(unwritable("index \(index.name)", error))
            }
        }
        return faults
    }

    /// Returns what fails as soon as a row has a value, which the existing rows may not have.
    private func refusedValues(
        _ model: Table, _ schema: Schema, _ probe: ExpressionProbe, besides known: [Fault]
    ) -> [Fault] {
        let columns = model.columns.compactMap { column -> Fault? in
            guard let generated = column.generated,
                !known.contains(where: { $0.id.column == column.name.foldedASCII }),
                let refused = probe.refusedValue(of: .generated(column, generated.expression)),
                probe.failure(of: .generated(column, generated.expression)) == nil
            else { return nil }
            return fault(
                "\(table.name).\(column.name) cannot be read in rows with values such as \(refused.value): \(refused.error.message)",
                kind: "reading",
                help:
                    "Once the table has such a row, every SELECT of the column fails, SELECT * included. Correct the expression.",
                column: column.name)
        }
        let indexes = schema.indexes.values.sorted { $0.name < $1.name }.compactMap { index -> Fault? in
            guard let refused = probe.refusedValue(of: .index(index)), probe.failure(of: .index(index)) == nil
            else { return nil }
            return unwritable("index \(index.name)", refused.error, value: refused.value)
        }
        return columns + indexes
    }

    private var schema: Schema? {
        SchemaParser().schema(
            of: [SchemaRow(type: "table", name: table.name, table: table.name, sql: table.text)]
                + indexes.map { SchemaRow(type: "index", name: $0.name, table: $0.tableName, sql: $0.text) })
    }

    /// - Parameter value: a value, as SQL, without which a row can be written; nil if no row can be.
    private func unwritable(_ what: String, _ error: EngineError, value: String? = nil) -> Fault {
        let rows = value.map { "rows with values such as \($0) cannot" } ?? "no row can"
        return fault(
            "\(rows) be written to table \(table.name): \(what) cannot be computed: \(error.message)",
            kind: "writing",
            help: (value == nil ? "Every later INSERT fails." : "Every INSERT of such a row fails.")
                + " Correct the expression.")
    }

    private func fault(ofDefault column: Column, _ probe: ExpressionProbe) throws -> Fault? {
        guard case .expression(let expression)? = column.defaultValue else { return nil }
        let others = table.storedColumns.filter { $0.name.foldedASCII != column.name.foldedASCII }
        // An expression that compiles here may still fail when it is computed.
        var message = try failure(of: insert(others))
        if message == nil { message = probe.failure(of: .defaultValue(column, expression))?.message }
        return message.map {
            fault(
                "an INSERT that leaves out \(table.name).\(column.name) fails, since its DEFAULT cannot be computed: \($0)",
                kind: "default",
                help:
                    "Correct the DEFAULT, which takes a rebuild of the table. If the app registers what is missing, give "
                    + "a stand-in.",
                column: column.name)
        }
    }
}
