import CSQLite
import TestTools
import Testing

@testable import SQLiteSchema

/// Random scripts, compared with what SQLite does.
@Suite struct ScriptPropertyTests {
    /// Returns objects of sqlite_schema as `type name table` and columns as `column table name`, all folded.
    private func objects(_ database: Database) -> Set<String> {
        let objects =
            "select type || ' ' || name || ' ' || tbl_name from %.sqlite_schema where sql is not null"
        let columns =
            "select 'column ' || s.name || ' ' || c.name from main.sqlite_schema s, pragma_table_info(s.name) c"
            + " where s.type = 'table'"
        let queries = ["main", "temp"].map { objects.replacing("%", with: $0) } + [columns]
        return Set(queries.flatMap { database.rows($0) }.map { $0[0].foldedASCII })
    }

    /// Returns a script that ran, with what each statement added to the schema and removed; nil for a failed
    /// statement.
    private func script(seed: Int) -> (
        text: String, changes: [(added: Set<String>, removed: Set<String>)?]
    ) {
        var random = RandomScript(seed: seed)
        let database = Database()
        var text = ""
        var changes: [(Set<String>, Set<String>)?] = []
        for _ in 0..<12 {
            let statement = random.statement(on: database)
            let before = objects(database)
            let didRun = (try? database.run(statement)) != nil
            // A statement that does not compile has no tail to compare with.
            guard didRun || sqlite3_complete(statement + ";") != 0 && database.compiles(statement) else {
                continue
            }
            let after = objects(database)
            changes.append(didRun ? (after.subtracting(before), before.subtracting(after)) : nil)
            text += statement + random.gap() + ";" + (random.random.chance(10) ? ";" + random.gap() : "")
        }
        return (text, changes)
    }

    @Test func `statements end where SQLite's parser ends them, and have the right action`() throws {
        for seed in seeds(75, of: 150, soak: 5_000) {
            let (text, changes) = script(seed: seed)
            let source = SQLSource(name: "", text)
            let statements = source.statements()
            #expect(statements.count == changes.count, "seed \(seed): \(text)")
            let database = Database()
            for statement in statements {
                let start = statement.index == 1 ? 0 : statements[statement.index - 2].terminatorEnd
                let tail = try? database.tail(of: source.bytes[start...])
                #expect(tail.map { $0 + start } == statement.terminatorEnd, "seed \(seed): \(statement.text)")
                try? database.run(statement.text)
            }
            for (statement, change) in zip(statements, changes) {
                guard let change else { continue }
                check(statement.action, change.added, change.removed, "seed \(seed): \(statement.text)")
            }
        }
    }

    private func check(
        _ action: StatementAction, _ added: Set<String>, _ removed: Set<String>, _ comment: Testing.Comment
    ) {
        func folded(_ parts: String...) -> String { parts.joined(separator: " ").foldedASCII }
        func withoutColumns(_ objects: Set<String>) -> Set<String> {
            objects.filter { !$0.hasPrefix("column ") }
        }
        func creates(_ object: String) {
            // IF NOT EXISTS may create nothing.
            #expect(withoutColumns(added).isSubset(of: [object]) && removed.isEmpty, comment)
        }
        func drops(_ object: String) {
            #expect(added.isEmpty && withoutColumns(removed).contains { $0.hasPrefix(object) }, comment)
        }
        switch action {
        case .createTable(let name, _, _): creates(folded("table", name.name, name.name))
        case .createIndex(let name, let table): creates(folded("index", name.name, table))
        case .createView(let name, _): creates(folded("view", name.name, name.name))
        case .createTrigger(let name, let table, _): creates(folded("trigger", name.name, table))
        case .dropTable(let name): drops(folded("table", name.name, name.name))
        case .dropIndex(let name): drops(folded("index", name.name, ""))
        case .dropView(let name): drops(folded("view", name.name, name.name))
        case .dropTrigger(let name): drops(folded("trigger", name.name, ""))
        case .renameTable(let old, let new):
            #expect(removed.contains(folded("table", old.name, old.name)), comment)
            #expect(added.contains(folded("table", new, new)), comment)
        case .renameColumn(let table, let old, let new):
            #expect(removed == [folded("column", table.name, old)], comment)
            #expect(added == [folded("column", table.name, new)], comment)
        case .addColumn(let table, let column):
            #expect(removed.isEmpty && added == [folded("column", table.name, column)], comment)
        case .rollback: break
        case .other: Issue.record(comment)
        default: #expect(added.isEmpty && removed.isEmpty, comment)
        }
    }

    @Test func `what SQLite stores has the meaning of what was written`() throws {
        for seed in seeds(50, of: 100, soak: 3_000) {
            var random = RandomScript(seed: seed)
            let database = Database()
            for _ in 0..<12 {
                let sql = random.statement(on: database)
                guard (try? database.run(sql)) != nil,
                    let statement = SQLSource(name: "", sql).statements().first
                else { continue }
                let (name, kind): (String, String)
                switch statement.action {
                case .createTable(let table, _, asSelect: false): (name, kind) = (table.name, "table")
                case .createIndex(let index, _): (name, kind) = (index.name, "index")
                case .createView(let view, _): (name, kind) = (view.name, "view")
                case .createTrigger(let trigger, _, _): (name, kind) = (trigger.name, "trigger")
                default: continue
                }
                let query = "select sql, name from %.sqlite_schema where type = '\(kind)'"
                let stored = ["main", "temp"].flatMap { database.rows(query.replacing("%", with: $0)) }
                guard let row = stored.first(where: { $0[1].foldedASCII == name.foldedASCII }) else {
                    continue
                }
                #expect(NormalizedSQL(sql: row[0]) == statement.normalized, "seed \(seed): \(sql)")
                #expect(
                    NormalizedSQL(sql: statement.normalized.description) == statement.normalized,
                    "seed \(seed): \(sql)")
            }
        }
    }

    @Test func `prefixes are complete when sqlite3_complete says so`() {
        for seed in seeds(30, of: 60, soak: 1_000) {
            let bytes = Array(script(seed: seed).text.utf8)
            var random = SeededGenerator(seed: seed)
            for _ in 0..<15 {
                let prefix = Array(bytes.prefix(Int.random(in: 0...bytes.count, using: &random)))
                // To complete.c, unlike the parser, a byte order mark is a word.
                guard !prefix.contains(0xEF) else { continue }
                let source = SQLSource(name: "", bytes: prefix)
                let last = source.tokens().last
                let isOpen = last.map { $0.kind == .blockComment && !isClosed($0.text(in: source)) } ?? false
                let hasSemicolon = source.tokens().contains { $0.isSymbol(";", in: source) }
                let isComplete = hasSemicolon && !isOpen && source.statements().allSatisfy(\.isTerminated)
                let judged = (prefix.map { CChar(bitPattern: $0) } + [0]).withUnsafeBufferPointer {
                    sqlite3_complete($0.baseAddress)
                }
                #expect(isComplete == (judged != 0), "seed \(seed): \(source.text(in: 0..<prefix.count))")
            }
        }
    }

    private func isClosed(_ comment: String) -> Bool { comment.utf8.count >= 4 && comment.hasSuffix("*/") }

    @Test func `the reserved words are those that SQLite does not accept as names`() {
        let database = Database()
        for index in 0..<sqlite3_keyword_count() {
            var word: UnsafePointer<CChar>?
            var length: Int32 = 0
            guard sqlite3_keyword_name(index, &word, &length) == SQLITE_OK, let word else { continue }
            let keyword = SQLSource(name: "", bytes: (0..<Int(length)).map { UInt8(bitPattern: word[$0]) })
                .text(in: 0..<Int(length))
            let isName = database.compiles("create table t(\(keyword))")
            #expect(isName != Keywords.reserved.contains(keyword.foldedASCII), "\(keyword)")
        }
    }
}
