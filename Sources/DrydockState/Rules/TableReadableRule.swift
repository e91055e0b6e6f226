import DrydockFindings
import DrydockMigrations
import DatabaseEngine
import SQLiteSchema

/// `table-unreadable`: a table that a SELECT of all its columns no longer reads, or that no longer accepts any row.
///
/// SQLite compiles the expression of a generated column when the column is read, and then computes a VIRTUAL one: an
/// expression that names an unknown function, or fails on a row, is accepted by ALTER TABLE and breaks every later
/// query (https://www.sqlite.org/gencol.html). CHECK constraints and the expressions of indexes are compiled when a row
/// is written, and only then are they and a DEFAULT computed: an expression that fails on every row is also
/// found on a table without rows.
struct TableReadableRule: StateRule {
    let rule = Rule.tableUnreadable

    func faults(in view: StateView) throws -> [Fault] {
        var faults: [Fault] = []
        lazy var indexes = view.catalog.indexesByTable
        for table in view.catalog.tables.values.sorted(by: { $0.name < $1.name }) where table.module == nil {
            let isAsBefore = view.isAsBefore(table)
            let known = isAsBefore ? view.earlierFaults(rule, of: table) : []
            if isAsBefore, view.earlier?.catalog.table(table.name)?.text == table.text {
                faults += known
                continue
            }
            var reading = TableReading(
                connection: view.connection, table: table, encoding: view.catalog.encoding,
                indexes: indexes[table.name.foldedASCII] ?? [])
            reading.facts = view.facts
            guard isAsBefore else {
                faults += try reading.faults()
                continue
            }
            // The rows are unchanged; a new column may still have a DEFAULT that cannot be computed.
            reading.readsRows = false
            let found = try reading.faults()
            faults +=
                found + known.filter { old in old.evidence != nil && !found.contains { $0.id == old.id } }
        }
        return faults
    }
}

extension Catalog {
    /// The indexes that a statement created, by folded table.
    package var indexesByTable: [String: [Object]] {
        Dictionary(
            grouping: objects.values.filter { $0.kind == .index }.sorted { $0.name < $1.name },
            by: \.tableName.foldedASCII)
    }
}

/// Reads a table's generated columns, and compiles the statements that write a row.
package struct TableReading {
    package let connection: any Connection
    package let table: Catalog.Table
    package let encoding: TextEncoding
    /// The indexes that a statement created.
    package var indexes: [Catalog.Object] = []
    /// Whether rows are read, and not only statements compiled.
    package var readsRows = true
    /// What other databases with this schema share.
    package var facts: SchemaFacts?
    /// Whether the table has no row, where that is known already.
    package var isKnownEmpty: Bool?

    package init(
        connection: any Connection, table: Catalog.Table, encoding: TextEncoding,
        indexes: [Catalog.Object] = [], readsRows: Bool = true
    ) {
        self.connection = connection
        self.table = table
        self.encoding = encoding
        self.indexes = indexes
        self.readsRows = readsRows
    }

    var name: String { "main.\(quotedName(table.name))" }

    /// - Throws: ``EngineError`` where the file, or the access to it, is the cause.
    package func faults() throws -> [Fault] {
        guard let facts else { return try foundFaults() }
        let claim = SchemaFacts.Claim.isReadable(table: table.name.foldedASCII, isEmpty: try isEmpty)
        guard facts.knows(claim) else {
            let faults = try foundFaults()
            if faults.isEmpty { facts.note(claim) }
            return faults
        }
        // The definition is known to be right; what a generated column gives depends on the rows.
        guard readsRows else { return [] }
        let faults = try table.columns.filter(\.isGenerated).compactMap { try fault(of: $0) }
        return faults.isEmpty ? [] : try foundFaults()
    }

    private var isEmpty: Bool {
        get throws {
            if let isKnownEmpty { return isKnownEmpty }
            return try connection.firstRow("SELECT 1 FROM \(name)", [], { _ in true }) == nil
        }
    }

    private func foundFaults() throws -> [Fault] {
        var faults: [Fault] = []
        for column in table.columns where column.isGenerated {
            if let fault = try fault(of: column) { faults.append(fault) }
        }
        if faults.isEmpty, let message = try failure(of: "SELECT * FROM \(name)") {
            faults.append(
                fault("table \(table.name) cannot be read: \(message)", kind: "reading", help: Self.help))
        }
        // A column that cannot be compiled for reading cannot be compiled for writing either.
        let isCompiled = faults.allSatisfy { $0.evidence != nil }
        if isCompiled, let message = try failureOfWriting() {
            faults.append(
                fault(
                    "no row can be written to table \(table.name): \(message)", kind: "writing",
                    help:
                        "Every later INSERT fails. Correct the generated column, CHECK constraint or index that "
                        + "names it. If the app registers what is missing, give a stand-in."))
        }
        faults += try collationFaults(besides: faults)
        return faults + (try knownExpressionFaults(besides: faults))
    }

    /// Returns the faults of expressions as they were found when the definition was first met.
    private func knownExpressionFaults(besides faults: [Fault]) throws -> [Fault] {
        guard faults.isEmpty else { return try expressionFaults(besides: faults) }
        let key = ParsedDefinition.ExpressionKey(
            name: table.name, text: table.text, indexes: indexes.map(\.text), isEmpty: try isEmpty)
        return try table.definition.expressionFaults(key) { try expressionFaults(besides: []) }
    }

    static let help =
        "Every later SELECT of the column, and so SELECT *, fails. Correct the expression, or drop the column "
        + "again. If the app registers what is missing, give a stand-in."

    package func fault(
        _ sentence: Sentence, kind: String, help: String, column: String? = nil, evidence: Evidence? = nil
    ) -> Fault {
        var fault = Fault(
            id: .init(
                rule: .tableUnreadable, kind: kind, names: [table.name.foldedASCII],
                column: column?.foldedASCII),
            sentence: sentence, help: help, table: table.name, evidence: evidence)
        fault.column = column
        return fault
    }

    // MARK: - Reading

    private func fault(of column: Catalog.Column) throws -> Fault? {
        let path = "\(table.name).\(column.name)"
        let sql = "SELECT \(quotedName(column.name)) FROM \(name)"
        if let message = try failure(of: sql, needsCollations: true) {
            return fault(
                "\(path) cannot be read: \(message)", kind: "reading", help: Self.help, column: column.name)
        }
        let values = RowwiseValues(connection: connection, schema: "main", table: table, column: column)
        guard readsRows, try !values.isReadable else { return nil }
        var (evidence, first) = (Evidence(rowCount: 0), EngineError?.none)
        _ = try values.forEach { row in
            guard case .failure(let error) = row.value else { return }
            first = first ?? error
            evidence.rowCount = (evidence.rowCount ?? 0) + 1
            guard evidence.rows.count < Evidence.rowLimit else { return }
            evidence.rows.append(
                .init(
                    key: zip(values.keyColumns, row.key).map {
                        .init(column: $0, value: Evidence.Sample($1, encoding: encoding))
                    }))
        }
        let count = evidence.rowCount ?? 0
        let what = "\(path) cannot be read in " + (count == 0 ? "some row" : counted(count, "row"))
        var fault = fault(
            Sentence(what) + (first.map { Sentence(": \($0.sentence)") } ?? ""), kind: "reading",
            help:
                "Every SELECT of the column, and so SELECT *, fails at such a row. Correct the rows before the column "
                + "is added, or write an expression that works for every row.",
            column: column.name, evidence: evidence)
        fault.count = max(1, count)
        return fault
    }

    /// Returns why a statement does not compile.
    /// - Parameter needsCollations: whether a missing collation is a reason: the app registers those that its columns
    ///   name, but a query that computes with one fails in every other program.
    func failure(of sql: String, needsCollations: Bool = false) throws -> String? {
        do {
            _ = try connection.prepare(sql)
            return nil
        } catch let error as EngineError
            where error.isOfExpression && (needsCollations || !error.isMissingCollation)
        {
            return error.message
        } catch let error as EngineError where error.isMissingCollation {
            return nil
        }
    }

    // MARK: - Writing

    /// Returns a statement that writes a row with only these columns.
    func insert(_ columns: [Catalog.Column]) -> String {
        guard !columns.isEmpty else { return "INSERT INTO \(name) DEFAULT VALUES" }
        let names = columns.map { quotedName($0.name) }.joined(separator: ", ")
        return "INSERT INTO \(name)(\(names)) VALUES(\(columns.map { _ in "NULL" }.joined(separator: ", ")))"
    }

    private func failureOfWriting() throws -> String? {
        guard !table.storedColumns.isEmpty else { return nil }
        let insert = insert(table.storedColumns)
        guard try failure(of: insert) != nil, try !isReserved else { return nil }
        // A trigger that does not compile is a separate fault.
        let triggers = try connection.rows(
            "SELECT name FROM main.sqlite_schema WHERE type = 'trigger' AND tbl_name = ? COLLATE NOCASE",
            [.text(Array(table.name.utf8))]
        ) { $0.string(0) }
        try connection.execute("SAVEPOINT drydock_reading")
        defer { try? connection.execute("ROLLBACK TO drydock_reading; RELEASE drydock_reading") }
        for trigger in triggers { try connection.execute("DROP TRIGGER main.\(quotedName(trigger))") }
        return try failure(of: insert)
    }
}

extension TableReading {
    /// Whether the user's table has a name that is reserved for a module: SQLite refuses to write to it on a defensive
    /// connection (https://www.sqlite.org/c3ref/c_dbconfig_defensive.html).
    private var isReserved: Bool {
        get throws {
            try connection.firstRow(
                "SELECT 1 FROM pragma_table_list WHERE schema = 'main' AND type = 'shadow' AND name = \(quotedText(table.name)) COLLATE NOCASE"
            ) { _ in true } ?? false
        }
    }
}
