import TestTools

@testable import DrydockTestSupport

/// Scripts that no reasonable person would write: generated from a grammar, then with damaged bytes.
struct HostileSQL {
    var random: SeededGenerator

    mutating func script() -> [UInt8] {
        if random.chance(30) { return monster() }
        var text = (0...random.below(5)).map { _ in
            statement() + random.pick([";\n", ";", ";;", " ;\r\n", "\n", "; -- x\n"])
        }.joined()
        if random.chance(30) { text = declaration() + "\n" + text }
        if random.chance(15) {
            text =
                random.pick([
                    "-- +goose Up\n", "-- migrate:up\n", "-- +goose StatementBegin\n",
                    "--> statement-breakpoint\n", "-- no-transaction\n",
                ]) + text
        }
        guard random.chance(50) else { return Array(text.utf8) }
        var mutation = Mutation(random: random)
        let bytes = mutation.bytes(text)
        random = mutation.random
        return bytes
    }

    /// Returns one construct repeated far too often.
    private mutating func monster() -> [UInt8] {
        let count = random.pick([10, 300, 2_000, 30_000])
        func many(_ text: String) -> String { String(repeating: text, count: count) }
        let text = random.pick([
            "SELECT " + many("(") + "1" + many(")"),
            "CREATE TABLE t(a CHECK (" + many("(") + "a" + many(")") + "))", many("/* x */ "), many("/*"),
            "SELECT 1 -- " + many("x"), "CREATE TABLE t(" + many("a,") + "b)", "SELECT " + many("'"),
            "SELECT " + many("\"a\"\"") + "\"", many(";"),
            "CREATE VIEW v AS SELECT " + many("CASE WHEN 1 THEN ") + "1", many("BEGIN;"),
            "CREATE TRIGGER g AFTER INSERT ON item BEGIN " + many("SELECT 1;") + " END",
            many("CREATE TABLE IF NOT EXISTS x(a);"), many("-- drydock: deletes from item\n"),
            "-- drydock: deletes from item where " + many("("),
            "SELECT " + many("1+") + "1", "SELECT " + many("NOT ") + "1", "SELECT " + many("-") + "1",
            many("\n"), many("\u{2028}"),
            "CREATE TABLE t(a DEFAULT " + many("(") + "1" + many(")") + ")",
            "CREATE TABLE t(a " + many("a ") + ")", "SELECT x'" + many("00") + "'",
            "CREATE INDEX i ON item(" + many("abs(") + "id" + many(")") + ")",
            "SELECT * FROM " + many("(SELECT * FROM ") + "item" + many(")"),
            "SELECT 1" + many(" UNION ALL SELECT 1"),
            "WITH " + many("a AS (SELECT 1), ") + "b AS (SELECT 1) SELECT 1", many("[") + "a", many("`"),
            "INSERT INTO item(id) VALUES " + many("(NULL),") + "(NULL)",
            "UPDATE item SET body = " + many("'a' || ") + "'b'", many("E'\\'"), many("$"),
            "ALTER TABLE item ADD COLUMN c " + many("CHECK (1) "),
            "CREATE TABLE t(a, " + many("FOREIGN KEY (a) REFERENCES t(a), ") + "b)",
        ])
        return Array(text.utf8)
    }

    private mutating func declaration() -> String {
        "-- drydock: "
            + random.pick([
                "deletes from item where id > 3", "rewrites item.body", "drops table item",
                "renames column item.body to item.text", "", "preserves SELECT count(*) FROM item",
                "preserves DELETE FROM item", "preserves SELECT * FROM nowhere",
                "deletes from item where (SELECT", "deletes from item where 1; DROP TABLE item",
                "drops column",
                "ignore rows-lost because", "foreign-keys immediate", "renames table a to", "rewrites \"a.b",
                "deletes from item where load_extension('x')",
                "preserves ATTACH 'x' AS y", "preserves SELECT writefile('x', 'y')",
            ])
    }

    private mutating func name() -> String {
        random.pick([
            "item", "account", "pair", "search", "totals", "t", "\"a b\"", "[x y]", "`q`", "'lit'",
            "main.item", "temp.t", "sqlite_schema", "sqlite_sequence", "search_data", "\"\"",
            "grdb_migrations", "aux.t", "\"v\n::warning::x\"", "\u{202E}x",
        ])
    }

    private mutating func column() -> String {
        random.pick([
            "id", "body", "size", "a", "b", "rowid", "\"a b\"", "[c]", "*", "account_id", "\"\"", "nowhere",
        ])
    }

    private mutating func expression(_ depth: Int = 0) -> String {
        if depth > 4 { return column() }
        switch random.below(14) {
        case 0: return "(\(expression(depth + 1)))"
        case 1:
            return
                "\(expression(depth + 1)) \(random.pick(["+", "||", "AND", "=", "IS NOT", "<<", "->>", "LIKE", "COLLATE", "IN", "BETWEEN", "GLOB", "MATCH"])) \(expression(depth + 1))"
        case 2:
            return
                "\(random.pick(["abs", "length", "json_extract", "coalesce", "printf", "nosuch", "zeroblob", "load_extension", "fts3_tokenizer", "char", "substr", "randomblob", "iif", "unhex", "sqlite_source_id", "quote", "instr"]))(\(expression(depth + 1)), \(expression(depth + 1)))"
        case 3: return "(SELECT \(expression(depth + 1)) FROM \(name()))"
        case 4: return "CASE \(column()) WHEN \(expression(depth + 1)) THEN \(expression(depth + 1)) END"
        case 5: return "CAST(\(expression(depth + 1)) AS \(random.pick(["TEXT", "INT", "x y z(1, 2)", ""])))"
        case 6:
            return random.pick([
                "1", "-9223372036854775808", "9223372036854775808", "1e400", "x'0'", "x'00'", "0x",
                "0xffffffffffffffffff", "1_000", ".", "'", "''", "NULL", "?", "?99999999", ":a", "$b", "@",
                "1.e", "''''",
            ])
        case 7: return "EXISTS (SELECT 1 FROM \(name()) WHERE \(expression(depth + 1)))"
        case 8: return "\(column()) OVER (PARTITION BY \(column()))"
        case 9: return "RAISE(\(random.pick(["IGNORE", "ABORT, 'x'", "FAIL, 'x'", "ROLLBACK, 'x'"])))"
        default: return column()
        }
    }

    private mutating func definition() -> String {
        let columns = (0...random.below(3)).map { _ in
            "\(column()) \(random.pick(["INT", "TEXT", "", "INTEGER PRIMARY KEY", "x(1", "REAL NOT NULL", "ANY", "UNIQUE", "CHECK (\(expression()))", "DEFAULT (\(expression()))", "AS (\(expression()))", "AS (\(expression())) STORED", "REFERENCES \(name())", "COLLATE nosuch", "CONSTRAINT", "GENERATED ALWAYS AS (1) VIRTUAL", "PRIMARY KEY AUTOINCREMENT"]))"
        }
        return
            "(\(columns.joined(separator: ", ")))\(random.pick(["", "", " WITHOUT ROWID", " STRICT", " STRICT, WITHOUT ROWID", " AS SELECT 1", " x"]))"
    }

    private mutating func statement() -> String {
        let name = name()
        switch random.below(30) {
        case 0...3:
            return
                "CREATE \(random.pick(["", "TEMP ", "VIRTUAL "]))TABLE \(random.pick(["", "IF NOT EXISTS "]))\(name)\(definition())"
        case 4:
            return
                "CREATE VIRTUAL TABLE \(name) USING \(random.pick(["fts5(a, content='')", "fts5(body, content='item')", "fts4(a, languageid=\"l\")", "fts3(a, tokenize=simple)", "rtree(id, a, b)", "nosuch(a)", "fts5(", "fts5vocab(search, 'row')", "dbstat", "fts5(a, content='nosuch', columnsize=0)", "fts4(content=\"\", a)"]))"
        case 5: return "ALTER TABLE \(name) RENAME TO \(self.name())"
        case 6: return "ALTER TABLE \(name) RENAME COLUMN \(column()) TO \(column())"
        case 7:
            return
                "ALTER TABLE \(name) ADD COLUMN \(column()) \(random.pick(["", "INT NOT NULL", "DEFAULT (\(expression()))", "AS (\(expression()))", "REFERENCES \(self.name())"]))"
        case 8: return "ALTER TABLE \(name) DROP COLUMN \(column())"
        case 9:
            return
                "DROP \(random.pick(["TABLE", "INDEX", "VIEW", "TRIGGER"])) \(random.pick(["", "IF EXISTS "]))\(name)"
        case 10...11:
            return
                "INSERT \(random.pick(["", "OR IGNORE ", "OR REPLACE ", "OR ROLLBACK "]))INTO \(name)\(random.pick(["", "(\(column()))"])) \(random.pick(["VALUES (\(expression()))", "SELECT * FROM \(self.name())", "DEFAULT VALUES", "VALUES (1), (2, 3)"]))\(random.pick(["", "", " ON CONFLICT DO NOTHING", " RETURNING *"]))"
        case 12...13: return "UPDATE \(name) SET \(column()) = \(expression()) WHERE \(expression())"
        case 14: return "DELETE FROM \(name) WHERE \(expression())"
        case 15:
            return
                "CREATE \(random.pick(["", "UNIQUE "]))INDEX \(self.name()) ON \(name)(\(expression()))\(random.pick(["", " WHERE \(expression())"]))"
        case 16: return "CREATE VIEW \(name) AS SELECT \(expression()) FROM \(self.name())"
        case 17:
            return
                "CREATE TRIGGER \(name) \(random.pick(["AFTER", "BEFORE", "INSTEAD OF"])) \(random.pick(["INSERT", "DELETE", "UPDATE OF id"])) ON \(self.name()) BEGIN \(random.chance(50) ? "SELECT \(expression())" : "DELETE FROM \(self.name())"); END"
        case 18:
            return
                "PRAGMA \(random.pick(["foreign_keys = ON", "writable_schema = ON", "user_version = 99", "encoding = 'UTF-16'", "page_size = 512", "journal_mode = OFF", "journal_mode = WAL", "legacy_alter_table = ON", "schema_version = 0", "integrity_check", "trusted_schema = OFF", "hard_heap_limit = 1", "soft_heap_limit = 1", "locking_mode = EXCLUSIVE", "max_page_count = 1", "query_only = 1", "temp_store_directory = '/'", "cell_size_check = 1", "mmap_size = 99999999999", "data_store_directory = 'x'", "cache_size = -1", "recursive_triggers = ON", "case_sensitive_like = 1", "ignore_check_constraints = 1", "threads = 9", "wal_checkpoint(TRUNCATE)", "incremental_vacuum", "auto_vacuum = 1", "reverse_unordered_selects = 1", "analysis_limit = 1", "optimize", "foreign_key_check", "shrink_memory"]))"
        case 19:
            return random.pick([
                "BEGIN", "COMMIT", "ROLLBACK", "SAVEPOINT a", "RELEASE a", "ROLLBACK TO a", "END",
                "BEGIN EXCLUSIVE", "VACUUM", "VACUUM INTO 'copy.db'", "ANALYZE", "REINDEX", "DETACH main",
                "EXPLAIN SELECT 1", "EXPLAIN QUERY PLAN DELETE FROM item",
            ])
        case 20:
            return
                "ATTACH '\(random.pick(["other.db", ":memory:", "", "file:x?mode=memory", "/dev/zero", "file:x?vfs=unix", "../x.db", "Snapshots/s.sqlite"]))' AS aux"
        case 21:
            return
                "UPDATE sqlite_schema SET \(random.pick(["sql = 'x'", "rootpage = 99", "name = NULL", "sql = replace(sql, 'item', 'x')", "type = 'view'"])) WHERE name = 'item'"
        case 22:
            return
                "INSERT INTO search(search) VALUES ('\(random.pick(["rebuild", "optimize", "delete-all", "integrity-check", "nosuch", "automerge=9"]))')"
        case 23:
            return
                "WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s LIMIT \(random.pick([5, 3_000]))) INSERT INTO \(name) SELECT n FROM s"
        case 24:
            return
                "DELETE FROM \(random.pick(["sqlite_schema", "sqlite_sequence", "search_data", "search_content", "sqlite_stat1", "grdb_migrations", "search_config"]))"
        case 25:
            return
                "SELECT \(random.pick(["fts3_tokenizer('simple', x'4141414141414141')", "load_extension('/lib/x.so')", "writefile('x', 'y')", "readfile('/etc/passwd')", "edit('x')", "sqlite_log(1, 'x')", "zeroblob(1000000)", "randomblob(9e18)", "hex(randomblob(1000000))", "printf('%.*c', 100000000, 'x')", "json('[')", "json(printf('%.*c', 3000, '['))", "sum(9223372036854775807) FROM item", "abs(-9223372036854775808)", "likelihood(1, 2)", "replace(hex(zeroblob(10000)), '0', hex(zeroblob(1000)))"]))"
        case 26: return "DROP TABLE \(name); CREATE TABLE \(name)\(definition())"
        default: return "SELECT \(expression()) FROM \(name) WHERE \(expression())"
        }
    }
}
