import DatabaseEngine
import TestTools

@testable import DrydockTestSupport

/// Generates a random database and random migrations of it, and runs them at once: a statement that SQLite refuses is
/// usually removed again.
struct CaseGenerator {
    /// What a shrunken case leaves out.
    struct Limits {
        /// The numbers of operations that are left out.
        var skipped: Set<Int> = []
        var rows = 8
        var tables = 4
        var hasDependents = true
    }

    /// A file that is being written.
    struct Draft {
        var model: Model
        var file = MigrationCase.File()
        /// Operations with which later files begin.
        var pending: [@Sendable (inout Draft, inout SeededGenerator) -> Void] = []
        /// The tables and columns at the beginning of the file, for declarations.
        var start: Model
        var tool: MigrationCase.Tool

        mutating func run(_ statements: String...) { file.statements += statements }
        mutating func declare(_ words: String) { file.declarations.append(words) }
    }

    private(set) var made: MigrationCase
    /// The states before the first file, and after each.
    private(set) var states: [OracleState] = []
    private(set) var models: [Model] = []
    private var random: SeededGenerator
    private var limits: Limits
    private var database: PlainDatabase
    private var model = Model()
    private var valueCount = 0
    /// Whether rows may reference missing parents before any file.
    private var hasOrphans = false
    /// The number of operations that were tried.
    private(set) var operationCount = 0

    init(seed: UInt64, limits: Limits = Limits()) throws {
        made = MigrationCase(seed: seed)
        random = SeededGenerator(seed: seed &* 0x5851_F42D_4C95_7F2D)
        self.limits = limits
        database = try PlainDatabase()
        made.tool = random.pick(MigrationCase.Tool.picked)
        // A separate generator, so that the other results of a seed stay the same.
        var extras = SeededGenerator(seed: ~seed)
        if made.tool == .custom, extras.chance(40) { made.tool = .customTogether }
        hasOrphans = made.tool != .drydock && extras.chance(12)
        made.pragmas = [
            "PRAGMA encoding = '\(random.pick(["UTF-8", "UTF-8", "UTF-8", "UTF-16le", "UTF-16be"]))'",
            "PRAGMA page_size = \(random.pick([512, 1024, 4096]))",
        ]
        for pragma in made.pragmas { try database.execute(pragma) }
        try database.execute("PRAGMA foreign_keys = ON")
        try makeSchema()
        if hasOrphans { try database.execute("PRAGMA foreign_keys = OFF") }
        try makeRows()
        try makeGaps()
        try database.execute("PRAGMA foreign_keys = ON")
        try makeFiles()
    }

    // MARK: - The database

    private mutating func makeSchema() throws {
        let usesSearch = random.chance(15)
        let count = 1 + random.below(4)
        for number in 0..<count {
            var own = SeededGenerator(seed: random.next())
            guard number < limits.tables else { continue }
            var table = SchemaMaker(random: own, model: model).table(usesSearch: usesSearch)
            if try !attempt(table.definition()) { continue }
            // Ids of columns come from the maker's copy of the model.
            while model.newID() <= table.columns.map(\.id).max() ?? 0 {}
            if own.chance(0) { table.isStrict = false }
            model.tables.append(table)
        }
        if model.tables.isEmpty {
            let table = SchemaMaker(random: random, model: model).plainTable()
            try database.execute(table.definition())
            made.schema.append(table.definition())
            while model.newID() <= table.columns.map(\.id).max() ?? 0 {}
            model.tables.append(table)
        }
        if usesSearch, limits.tables > 0 {
            let option = random.chance(30) ? ", columnsize=0" : ""
            let table = ModelTable(
                id: model.newID(), name: "msg",
                columns: [
                    ModelColumn(id: model.newID(), name: "body", type: "", origins: []),
                    ModelColumn(id: model.newID(), name: "title", type: "", origins: []),
                ], module: "fts5(body, title\(option))")
            var traced = table
            for index in traced.columns.indices { traced.columns[index].origins = [traced.columns[index].id] }
            // A user's table may already have the name.
            if try attempt(traced.definition()) { model.tables.append(traced) }
        }
        for number in 0..<random.below(5) {
            var own = SeededGenerator(seed: random.next())
            guard limits.hasDependents else { continue }
            _ = try attempt(SchemaMaker.dependent(number, model, &own))
        }
    }

    private mutating func attempt(_ sql: String) throws -> Bool {
        do {
            try database.execute(sql)
            made.schema.append(sql)
            return true
        } catch is PlainDatabase.Failure {
            return false
        }
    }

    private mutating func makeRows() throws {
        for table in model.tables {
            for number in 0..<random.below(9) {
                var own = SeededGenerator(seed: random.next())
                guard number < limits.rows else { continue }
                var maker = ValueMaker(random: own, count: valueCount)
                let columns = table.stored
                guard !columns.isEmpty else { continue }
                var cells: [String] = []
                for column in columns {
                    if let key = table.foreignKeys.first(where: { $0.columns == [column.id] }), own.chance(80)
                    {
                        let name =
                            key.parentColumns.first ?? model.table(key.parent)?.keyColumns.first.flatMap {
                                model.table(key.parent)?.column($0)?.name
                            } ?? "rowid"
                        let found = try? database.rows(
                            "SELECT quote(\(quote(name))) FROM \(quote(key.parent)) ORDER BY random() * 0 + \(quote(name)) LIMIT 1 OFFSET \(own.below(4))"
                        ) { $0.string(0) }
                        cells.append(found?.first ?? "NULL")
                    } else {
                        cells.append(maker.value(for: column, in: table))
                    }
                }
                valueCount = maker.count
                let sql =
                    "INSERT INTO \(table.quoted)(\(columns.map(\.quoted).joined(separator: ", "))) VALUES (\(cells.joined(separator: ", ")))"
                if (try? database.execute(sql)) != nil { made.rows.append(sql) }
            }
        }
    }

    /// Deletes rows among others and at the end: rowids have gaps, and AUTOINCREMENT marks are above them. No foreign key
    /// acts on that, as none does where the snapshot is made.
    private mutating func makeGaps() throws {
        try database.execute("PRAGMA foreign_keys = OFF")
        for table in model.tables where table.module == nil {
            var own = SeededGenerator(seed: ~made.seed &+ UInt64(table.id))
            if case .columns(_, isWithoutRowid: true) = table.key { continue }
            for order in ["rowid", "rowid DESC"] where own.chance(40) {
                let place = order == "rowid" ? own.below(3) : 0
                let sql =
                    "DELETE FROM \(table.quoted) WHERE rowid = (SELECT rowid FROM \(table.quoted) ORDER BY \(order) LIMIT 1 OFFSET \(place))"
                if try isPossible(sql) { made.rows.append(sql) }
            }
        }
    }

    /// Runs a statement unless SQLite refuses it, or it leaves rows without a parent that must have one.
    private func isPossible(_ sql: String) throws -> Bool {
        try database.execute("SAVEPOINT gap")
        var isPossible = (try? database.execute(sql)) != nil
        if isPossible, !hasOrphans {
            isPossible = try database.rows("PRAGMA foreign_key_check") { $0.string(0) }.isEmpty
        }
        if !isPossible { try? database.execute("ROLLBACK TO gap") }
        try? database.execute("RELEASE gap")
        return isPossible
    }

    // MARK: - The files

    private mutating func makeFiles() throws {
        states.append(try OracleState(database, model))
        models.append(model)
        let count = 1 + random.below(3)
        var pending: [@Sendable (inout Draft, inout SeededGenerator) -> Void] = []
        for number in 0..<(count + 3) {
            if number >= count && pending.isEmpty { break }
            if try !makeFile(&pending, isExtra: number >= count) { break }
        }
    }

    /// Returns false where SQLite refuses the file: nothing follows.
    private mutating func makeFile(
        _ pending: inout [@Sendable (inout Draft, inout SeededGenerator) -> Void], isExtra: Bool
    ) throws -> Bool {
        var draft = Draft(model: model, start: model, tool: made.tool)
        var now = database
        if !pending.isEmpty {
            let first = pending.removeFirst()
            var own = SeededGenerator(seed: random.next())
            var next = draft
            first(&next, &own)
            if let reached = try? OracleRun.result(of: next.file, on: database, made.tool) {
                (draft, now) = (next, reached)
            } else {
                pending = []
            }
        }
        for _ in 0..<(isExtra ? 0 : 1 + random.below(3)) {
            operationCount += 1
            var own = SeededGenerator(seed: random.next())
            if limits.skipped.contains(operationCount) { continue }
            var next = draft
            Operations.random(&next, &own, now)
            if next.file.statements.count == draft.file.statements.count { continue }
            do {
                now = try OracleRun.result(of: next.file, on: database, made.tool)
                draft = next
            } catch let failure as PlainDatabase.Failure where own.chance(3) {
                next.file.failure = failure.description
                made.files.append(next.file)
                return false
            } catch is PlainDatabase.Failure {
                continue
            }
        }
        pending += draft.pending
        draft.pending = []
        if draft.file.statements.isEmpty { draft.run("SELECT 1") }
        draft.file.declarations.removeAll { words in
            words.hasPrefix("renames column")
                && !draft.model.tables.contains { table in
                    table.columns.contains { words.hasSuffix(" to \(table.quoted).\($0.quoted)") }
                }
        }
        states[states.count - 1] = try OracleState(database, model, conditions: draft.file.exemptions.rows)
        made.files.append(draft.file)
        (database, model) = (now, draft.model)
        if draft.file.statements == ["SELECT 1"] {
            database = try OracleRun.result(of: draft.file, on: database, made.tool)
        }
        models.append(model)
        states.append(try OracleState(database, model))
        return true
    }
}
