import Drydock
import Foundation
import GRDBEngine
import TestTools
import SQLiteSchema
import Testing

@testable import DrydockTestSupport

/// Takes random schemas, edits and rows through diff, plan, apply and a second diff.
@Suite struct PlanPropertyTests {
    @Test(arguments: seeds(40, of: 150, soak: 4_000))
    func `a plan makes the new schema and keeps the rows, or there is a reason in the rows`(seed: Int)
        async throws
    {
        try await PlanRound(seed: UInt64(seed)).run()
    }
}

/// One seed: two databases, the plan between them, and what must be true of it.
struct PlanRound {
    struct Fault: Error, CustomStringConvertible { var description: String }

    let seed: UInt64

    func run() async throws {
        var random = SeededGenerator(seed: seed)
        let old = RandomSchema.valid(&random)
        let new = old.edited(&random)
        let folder = try TemporaryFolder()
        let oldPath = folder.file("old.sqlite")
        let newPath = folder.file("new.sqlite")
        try Self.write(old, to: oldPath)
        try Self.fill(oldPath, old, &random)
        try Self.write(new, to: newPath)

        var request = DiffRequest(from: try SchemaSource(oldPath), to: try SchemaSource(newPath))
        request.detectsRenames = random.chance(30)
        if random.chance(60) { request.hints = try await fittingHints(new, request) }
        request.wantsPlan = true
        request.wantsDownPlan = true
        request.allowsLoss = true
        if random.chance(20) { request.alterSupport = .oldest }
        var report = try await SchemaComparer(engine: GRDBDriver()).run(request)
        var diff = try #require(report.diff)
        if !request.alterSupport.missing(in: diff.newSchema).isEmpty {
            request.alterSupport = .current
            report = try await SchemaComparer(engine: GRDBDriver()).run(request)
            diff = try #require(report.diff)
        }
        let hints = request.hints.adding(diff.renames.taken)
        let context =
            "\nold:\n\(old.statements.joined(separator: ";\n"))\nnew:\n\(new.statements.joined(separator: ";\n"))\nplan:\n\(diff.plan?.text ?? "")\nhints: \(hints)"

        let upRefusals = report.findings.filter { !$0.message.hasPrefix("the way back: ") }
        if diff.isSame {
            guard report.findings.isEmpty else {
                throw Fault(description: "refused though same: \(report.findings)\(context)")
            }
            return
        }
        let copier = RowCopier(folder: folder)
        guard let plan = diff.plan else {
            guard !upRefusals.isEmpty else { throw Fault(description: "no plan and no refusal\(context)") }
            guard try copier.hasReason(from: oldPath, to: new, hints, diff.oldSchema, diff.newSchema)
            else {
                let text = MigrationPlanner(
                    from: diff.oldSchema, to: diff.newSchema, hints: hints, support: request.alterSupport
                ).plan().text
                throw Fault(description: "refused: \(upRefusals)\(context)\n\(text)")
            }
            return
        }
        let migrated = folder.file("migrated.sqlite")
        try FileManager.default.copyItem(atPath: oldPath, toPath: migrated)
        try Self.apply(plan, to: migrated, context)
        try await Self.expectSame(migrated, newPath, context)
        try Self.expectSearches(new, migrated, context)
        let rewritten = Set(plan.steps.flatMap(\.declarations).filter { $0.hasPrefix("rewrites ") })
        try copier.expectRows(
            oldPath, migrated, hints, diff.oldSchema, diff.newSchema, context, rewritten: rewritten)
        guard let down = diff.downPlan else {
            let text = MigrationPlanner(
                from: diff.newSchema, to: diff.oldSchema, hints: hints.reversed,
                support: request.alterSupport
            ).plan().text
            guard
                try copier.hasReason(
                    from: migrated, to: old, hints.reversed, diff.newSchema, diff.oldSchema)
            else { throw Fault(description: "refused: \(report.findings)\(context)\ndown:\n\(text)") }
            return
        }
        let back = folder.file("back.sqlite")
        try FileManager.default.copyItem(atPath: migrated, toPath: back)
        try Self.apply(down, to: back, context + "\ndown:\n\(down.text)")
        try await Self.expectSame(back, oldPath, context + "\ndown:\n\(down.text)")
    }

    private func fittingHints(_ new: RandomSchema, _ request: DiffRequest) async throws -> RenameHints {
        let all = RenameHints(tables: new.renamedTables, columns: new.renamedColumns)
        let comparer = SchemaComparer(engine: GRDBDriver())
        let schemas = (try await comparer.schema(of: request.old), try await comparer.schema(of: request.new))
        let unused = Set(all.unused(from: schemas.0, to: schemas.1))
        return RenameHints(
            tables: all.tables.filter { !unused.contains($0.key) },
            columns: Dictionary(
                uniqueKeysWithValues: all.columns.map { table, names in
                    (table, names.filter { !unused.contains("\(table).\($0.key)") })
                }))
    }

    // MARK: - Making

    private static func write(_ schema: RandomSchema, to path: String) throws {
        let database = try PlainDatabase(path)
        try database.execute("BEGIN")
        for statement in schema.statements { try database.execute(statement) }
        try database.execute("COMMIT")
    }

    private static func fill(_ path: String, _ schema: RandomSchema, _ random: inout SeededGenerator) throws {
        let values = [
            "NULL", "1", "2", "99", "-3.5", "'1'", "'no'", "'q'", "'Abc'", "'abc '", "x'00ff'", "''",
            "'long long text'",
        ]
        let database = try PlainDatabase(path)
        try database.execute("PRAGMA foreign_keys = OFF; BEGIN")
        for table in schema.tables {
            let columns = table.columns.filter { $0.generated == nil }.map { RandomSchema.quoted($0.name) }
            for _ in 0..<random.below(8) {
                let row = columns.map { _ in random.pick(values) }
                try? database.execute(
                    "INSERT OR IGNORE INTO \(RandomSchema.quoted(table.name)) (\(columns.joined(separator: ", "))) VALUES (\(row.joined(separator: ", ")))"
                )
            }
            // Leaves an AUTOINCREMENT mark above the highest id.
            if table.alias != nil {
                try database.execute("DELETE FROM \(RandomSchema.quoted(table.name)) WHERE id > 5")
            }
        }
        let broken = #"SELECT DISTINCT "table" FROM pragma_foreign_key_check"#
        for _ in 0..<(random.chance(80) ? 9 : 0) {
            let tables = (try? database.rows(broken) { $0.string(0) }) ?? []
            for table in tables { try database.execute("DELETE FROM \(RandomSchema.quoted(table))") }
        }
        for search in schema.searches {
            try database.execute("INSERT INTO \(search)(\(search)) VALUES ('rebuild')")
        }
        try database.execute("COMMIT")
    }

    // MARK: - Checking

    static func apply(_ plan: MigrationPlan, to path: String, _ context: String) throws {
        let database = try PlainDatabase(path)
        let faults = try Self.faults(database)
        do {
            try database.execute("PRAGMA foreign_keys = OFF; BEGIN")
            try database.execute(plan.text)
            try database.execute("COMMIT")
        } catch {
            throw Fault(description: "the plan does not run: \(error)\(context)")
        }
        let check = try Self.faults(database)
        // SQLite lets a STRICT table's generated column compute a value that its type does not allow.
        guard check.isEmpty || !faults.isEmpty else {
            throw Fault(description: "integrity_check: \(check)\(context)")
        }
    }

    /// Returns faults except NULL in a WITHOUT ROWID table, where SQLite 3.40 checks the wrong column.
    private static func faults(_ database: PlainDatabase) throws -> [String] {
        try database.rows("PRAGMA integrity_check") { $0.string(0) }
            .filter { $0 != "ok" && !$0.hasPrefix("NULL value in ") }
    }

    /// Checks that full-text indexes agree with their content
    /// (https://www.sqlite.org/fts5.html#the_integrity_check_command).
    private static func expectSearches(_ schema: RandomSchema, _ path: String, _ context: String) throws {
        let database = try PlainDatabase(path)
        for search in schema.searches {
            do {
                try database.execute("INSERT INTO \(search)(\(search), rank) VALUES ('integrity-check', 1)")
            } catch {
                throw Fault(description: "\(search) is stale: \(error)\(context)")
            }
        }
    }

    private static func expectSame(_ a: String, _ b: String, _ context: String) async throws {
        var request = DiffRequest(from: try SchemaSource(a), to: try SchemaSource(b))
        request.detectsRenames = false
        let diff = try #require(try await SchemaComparer(engine: GRDBDriver()).run(request).diff)
        guard diff.isSame else { throw Fault(description: "still differs: \(diff.changes)\(context)") }
    }
}

/// Copies rows the simple way, to know whether a refusal is right, and checks that kept columns keep their values.
struct RowCopier {
    let folder: TemporaryFolder

    /// Returns the columns of each table that both schemas store, by their names in each.
    private func pairs(_ hints: RenameHints, _ old: Schema, _ new: Schema) -> [(
        from: Table, to: Table, columns: [(String, String)]
    )] {
        old.tables.values.sorted { $0.name < $1.name }.compactMap { from in
            let key = from.name.lowercased()
            guard let to = new.table(hints.tables[key] ?? from.name) else { return nil }
            let columns = from.columns.compactMap { column -> (String, String)? in
                guard column.generated == nil,
                    let target = to.column(hints.columns[key]?[column.name.lowercased()] ?? column.name),
                    target.generated == nil
                else { return nil }
                return (column.name, target.name)
            }
            return (from, to, columns)
        }
    }

    private func list(_ names: [String]) -> String { names.map(RandomSchema.quoted).joined(separator: ", ") }

    private func rows(_ path: String, _ table: String, _ columns: [String]) throws -> [String] {
        guard !columns.isEmpty else { return [] }
        let quotes = columns.map { "quote(\(RandomSchema.quoted($0)))" }.joined(separator: " || ',' || ")
        return try PlainDatabase(path).rows("SELECT \(quotes) FROM \(RandomSchema.quoted(table))") {
            $0.string(0)
        }.sorted()
    }

    func expectRows(
        _ before: String, _ after: String, _ hints: RenameHints, _ old: Schema, _ new: Schema,
        _ context: String, rewritten: Set<String>
    ) throws {
        for (from, to, all) in pairs(hints, old, new) {
            let columns = all.filter { column, _ in
                // A declaration quotes a name only if necessary.
                let path = "rewrites \(from.name).\(column)".replacing("\"", with: "")
                return !rewritten.contains { $0.replacing("\"", with: "") == path }
            }
            let a = try rows(before, from.name, columns.map(\.0))
            let b = try rows(after, to.name, columns.map(\.1))
            guard a == b else {
                throw PlanRound.Fault(description: "rows of \(from.name): \(a) -> \(b)\(context)")
            }
        }
    }

    /// Returns whether the rows cannot be copied: a constraint refuses them, a value changes, or a key has no parent.
    func hasReason(
        from path: String, to schema: RandomSchema, _ hints: RenameHints, _ old: Schema, _ new: Schema
    ) throws -> Bool {
        let target = folder.file("copied-\(schema.statements.count)-\(UUID().uuidString).sqlite")
        let database = try PlainDatabase(target)
        try database.execute("PRAGMA foreign_keys = OFF; PRAGMA recursive_triggers = OFF")
        for table in RandomSchema.tablesAlone(schema) { try database.execute(table) }
        try database.execute("ATTACH '\(path)' AS before")
        for (from, to, columns) in pairs(hints, old, new) {
            // The rows would keep no column.
            if columns.isEmpty { return true }
            if from.primaryKey?.isAutoincrement == true, to.primaryKey?.isAutoincrement != true,
                try isMarkAboveRows(from.name, path)
            {
                return true
            }
            do {
                try database.execute(
                    "INSERT OR ABORT INTO \(RandomSchema.quoted(to.name)) (\(list(columns.map(\.1)))) SELECT \(list(columns.map(\.0))) FROM before.\(RandomSchema.quoted(from.name))"
                )
            } catch {
                return true
            }
            if try rows(path, from.name, columns.map(\.0)) != rows(target, to.name, columns.map(\.1)) {
                return true
            }
        }
        let count = "SELECT * FROM pragma_foreign_key_check"
        if (try? database.literals(count).isEmpty) != true { return true }
        return try database.rows("PRAGMA main.integrity_check") { $0.string(0) } != ["ok"]
    }

    /// Returns whether ids of deleted rows would be used again without AUTOINCREMENT.
    private func isMarkAboveRows(_ table: String, _ path: String) throws -> Bool {
        let name = RandomSchema.quoted(table)
        let text = "'" + table.replacing("'", with: "''") + "'"
        let sql =
            "SELECT seq > coalesce((SELECT max(id) FROM \(name)), 0) FROM sqlite_sequence WHERE name = \(text)"
        return try PlainDatabase(path).rows(sql) { $0.integer(0) } == [1]
    }
}

extension RandomSchema {
    /// Returns the statements of tables and unique indexes, which are the ones that can refuse rows.
    static func tablesAlone(_ schema: RandomSchema) -> [String] {
        schema.statements.filter { $0.hasPrefix("CREATE TABLE") || $0.hasPrefix("CREATE UNIQUE INDEX") }
    }
}
