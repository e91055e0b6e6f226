import DatabaseEngine
import DrydockFindings
import DrydockMigrations
import DrydockProbes
import DrydockReplay
import DrydockState
import DrydockVerify
import OverlayVFS
import SQLiteSchema

/// A small database, and what is run on it, as a script for SQLite's own shell.
struct SmallExample {
    /// The step with the statements that are needed.
    let fixture: StepFixture
    /// The schema of the database, without rows.
    let bare: DatabaseState
    let rows: [GeneratedRow]
    /// The database with its rows, which the script has to make.
    let state: DatabaseState

    /// What the shell is given, once it was run.
    struct Script {
        /// The schema without the tool's tables.
        var schema: [String] = []
        /// The schema, and the tool's rows, as the shell gets them.
        fileprivate(set) var preparation: [String] = []
        fileprivate(set) var inserts: [String] = []
        fileprivate(set) var isExact = true
        fileprivate var tables: [String] = []
        fileprivate var readsQuotedText: Bool?
        fileprivate let damage: VisibleDamage

        fileprivate init(_ damage: VisibleDamage) { self.damage = damage }

        func counterexample(tried: Int, isSmallest: Bool) -> Counterexample {
            var example = Counterexample(
                schema: preparation, inserts: inserts, migration: damage.migration, tables: tables,
                tried: tried, isSmallest: isSmallest)
            (example.checks, example.sequels) = (damage.checks, damage.sequels)
            example.readsQuotedText = readsQuotedText
            return example
        }
    }

    /// Returns a script that makes the rows of the database, which was run.
    ///
    /// An INSERT that leaves columns out says less, and is kept where it gives the same rows on a new database too.
    func script(of finding: Finding) async throws -> Script {
        let history = try await history(of: finding)
        let own = Set(history.map(\.table.foldedASCII))
        let definitions = try await definitions(with: own)
        var script = Script(VisibleDamage(finding, fixture, bare.catalog))
        script.schema = definitions.filter { !$0.isOwn }.map(\.text)
        var tables = Set(rows.map(\.table)).union(history.map(\.table))
        if let table = finding.table.flatMap(bare.catalog.table) { tables.insert(table.name) }
        script.tables = tables.sorted()
        script.readsQuotedText = try await fixture.readsQuotedText()
        let encoding = bare.catalog.encoding
        let ownRows = history.map { $0.text(encoding) }
        let triggers = definitions.filter(\.isTrigger).map(\.text)
        let others = definitions.filter { !$0.isTrigger }.map(\.text)
        let whole = try await wholeRows().map { $0.text(encoding) }
        let plain = rows.map { $0.text(encoding) }
        let all = definitions.map(\.text)
        // Triggers that have written rows already do not write them again.
        var forms = [(all, whole), (others, whole + triggers)]
        if !rows.contains(where: leavesOutComputed) { forms.insert((all, plain), at: 0) }
        let wanted = try await content(of: state.image)
        for (schema, inserts) in forms {
            (script.preparation, script.inserts) = (schema + ownRows, inserts)
            if try await content(after: schema + inserts) == wanted { return script }
        }
        (script.preparation, script.inserts, script.isExact) = (all + ownRows, plain, false)
        return script
    }

    // MARK: - The schema

    private struct Definition: Sendable {
        var text: String
        var isTrigger: Bool
        /// Whether it makes a table of the tool.
        var isOwn: Bool
    }

    /// Returns the definitions as they are without the columns that went; a virtual table makes its own tables by itself.
    /// - Parameter own: the folded names of the tool's tables that are needed.
    private func definitions(with own: Set<String>) async throws -> [Definition] {
        let tables = bare.catalog.tables
        return try await fixture.inspector.withConnection(to: bare.image) { connection in
            try connection.rows(
                "SELECT type, tbl_name, sql FROM main.sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid"
            ) { row -> Definition? in
                let (type, name) = (row.string(0), row.string(1).foldedASCII)
                let isOwn = ["table", "index"].contains(type) && tables[name] == nil
                guard !isOwn || own.contains(name) else { return nil }
                return Definition(text: row.string(2), isTrigger: type == "trigger", isOwn: isOwn)
            }.compactMap(\.self)
        }
    }

    /// Returns what is recorded as applied, where the finding is about that or a statement names the table.
    private func history(of finding: Finding) async throws -> [GeneratedRow] {
        let schema = Schema()
        let all = try await TrialDatabase(fixture: fixture, schema: schema, state: bare).historyRows()
        guard !finding.rule.isOfHistory else { return all }
        let named = Set(
            fixture.allStatements.flatMap { statement in
                statement.tokens.compactMap { $0.name(in: statement.source)?.foldedASCII }
            })
        return all.filter { named.contains($0.table.foldedASCII) }
    }

    // MARK: - The rows

    /// Whether a row has a value that is computed when it is inserted, such as the time.
    private func leavesOutComputed(_ row: GeneratedRow) -> Bool {
        let given = Set(row.columns.map(\.foldedASCII))
        let left = bare.catalog.table(row.table)?.model?.columns.filter {
            !given.contains($0.name.foldedASCII)
        }
        return left?.contains { $0.defaultValue?.isComputed ?? false } ?? false
    }

    /// Returns the rows of the database with all that is stored of each, where its table is an ordinary one.
    private func wholeRows() async throws -> [GeneratedRow] {
        let (catalog, rows) = (bare.catalog, rows)
        return try await fixture.inspector.withConnection(to: state.image) { connection in
            var (result, seen): ([GeneratedRow], Set<String>) = ([], [])
            func add(_ table: Catalog.Table) throws {
                guard seen.insert(table.name).inserted else { return }
                let columns = table.storedColumns.map(\.name)
                let order = table.rowidName.map { " ORDER BY \($0)" } ?? ""
                let list = columns.map(quotedName).joined(separator: ", ")
                result += try connection.rows("SELECT \(list) FROM main.\(quotedName(table.name))\(order)") {
                    row in
                    GeneratedRow(
                        table: table.name, columns: columns, values: columns.indices.map(row.value))
                }
            }
            for row in rows {
                guard let table = catalog.table(row.table), table.isOrdinary else {
                    result.append(row)
                    continue
                }
                try add(table)
            }
            for table in catalog.tables.values.sorted(by: { $0.name < $1.name }) where table.isOrdinary {
                try add(table)
            }
            return result
        }
    }

    /// Returns the rows that statements make on a new database; nil where one of them fails.
    private func content(after statements: [String]) async throws -> [String]? {
        let overlay = try Overlay(emptyNamed: "script.sqlite")
        var settings = fixture.context.settings(fixture.watchdog)
        (settings.foreignKeys, settings.doubleQuotedStrings) = (false, true)
        let encoding = bare.catalog.encoding
        do {
            try await fixture.context.engine.use(overlay, settings: settings) { database in
                try await database.withConnection { connection in
                    try connection.execute("PRAGMA encoding = '\(encoding.rawValue)'")
                    for sql in statements { try connection.execute(sql) }
                    try connection.checkpoint()
                }
            }
            return try await content(of: overlay.freeze().image)
        } catch let error as EngineError where !error.isInterrupt {
            return nil
        }
    }

    private func content(of image: Image) async throws -> [String] {
        let tables = bare.catalog.tables.values.filter(\.keepsRows)
        return try await fixture.inspector.withConnection(to: image) { connection in
            try tables.flatMap { table -> [String] in
                let columns = table.storedColumns.map { quotedName($0.name) }
                let list = columns.joined(separator: ", ")
                do {
                    return try connection.rows("SELECT \(list) FROM main.\(quotedName(table.name))") { row in
                        ([table.name] + columns.indices.map { row.value($0).literal })
                            .joined(separator: "\u{0}")
                    }
                } catch let error as EngineError where !error.isInterrupt {
                    // A virtual table that lacks what it reads.
                    return [table.name + "\u{0}" + error.messageWithoutValues]
                }
            }.sorted()
        }
    }
}

extension DefaultValue {
    fileprivate var isComputed: Bool {
        switch self {
        case .currentTime, .currentDate, .currentTimestamp, .expression: true
        default: false
        }
    }
}

extension Catalog.Table {
    fileprivate var isOrdinary: Bool { kind == .ordinary || kind == .withoutRowid }
}
