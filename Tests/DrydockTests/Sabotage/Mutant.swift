import Drydock
import TestTools
import Testing

@testable import DrydockTestSupport

/// A migration of the sample with one fault.
struct Mutant: Sendable, CustomTestStringConvertible {
    /// The kind of fault, with the same name in every migration.
    var fault: String
    var version: Int
    var what: String
    /// The whole file.
    var sql: String
    /// The rule that must report the fault.
    var rule: Rule
    var severity = Finding.Severity.error
    /// Counts what the fault can affect on a snapshot just before the migration; where the count is 0, nothing may be
    /// reported.
    var target = "SELECT 1"

    var testDescription: String { "v\(version) \(fault): \(what)" }
}

/// The error for a mutation that no longer fits the text of the sample.
struct Unfit: Error, CustomStringConvertible {
    var description: String
}

/// Generates mutants of one migration.
struct MutantFactory {
    let migration: SampleApp.Migration
    /// The schemas before and after the migration.
    let before: SchemaFacts
    let after: SchemaFacts
    private let afterDatabase: PlainDatabase
    private(set) var mutants: [Mutant] = []

    /// Returns every mutant, divided by whether any snapshot has what the fault affects.
    static func all(of sample: SampleApp) throws -> (fit: [Mutant], idle: [Mutant]) {
        var result: (fit: [Mutant], idle: [Mutant]) = ([], [])
        // No snapshot is older than the first migration.
        for migration in sample.migrations.dropFirst() {
            var factory = try MutantFactory(migration, sample)
            try factory.makeAll()
            let eves = try (sample.eves[migration.version] ?? []).map { try PlainDatabase($0) }
            for mutant in factory.mutants {
                let hits = try eves.contains { try $0.firstRow(mutant.target) { $0.integer(0) } ?? 0 > 0 }
                if hits { result.fit.append(mutant) } else { result.idle.append(mutant) }
            }
        }
        return result
    }

    /// Returns two mutants of each fault, other ones with each commit; with `make soak` all of them.
    static func few(of mutants: [Mutant]) -> [Mutant] {
        let groups = Dictionary(grouping: mutants, by: \.fault).sorted { $0.key < $1.key }
        return groups.flatMap { _, group in
            seeds(2, of: group.count).filter { $0 <= group.count }.map { group[$0 - 1] }
        }
    }

    private init(_ migration: SampleApp.Migration, _ sample: SampleApp) throws {
        self.migration = migration
        before = try SchemaFacts(sample.schema(after: migration.version - 1))
        afterDatabase = try sample.schema(after: migration.version)
        after = try SchemaFacts(afterDatabase)
    }

    private mutating func makeAll() throws {
        for table in after.tables {
            guard let old = before.table(table.name) else { continue }
            mutateRows(of: table)
            mutateValues(of: table, old)
            mutateShape(of: table)
        }
        mutateObjects()
        mutateMarks()
        mutateSearchIndex()
        mutateDeclarations()
        mutateRunner()
        try mutateText()
    }

    private mutating func add(
        _ fault: String, _ what: String, sql: String, _ rule: Rule, _ severity: Finding.Severity = .error,
        target: String = "SELECT 1"
    ) {
        mutants.append(
            Mutant(
                fault: fault, version: migration.version, what: what, sql: sql, rule: rule,
                severity: severity,
                target: target))
    }

    private mutating func append(
        _ fault: String, _ what: String, _ statements: String, _ rule: Rule,
        _ severity: Finding.Severity = .error,
        target: String = "SELECT 1"
    ) {
        add(fault, what, sql: migration.sql + "\n\(statements);\n", rule, severity, target: target)
    }

    // MARK: - Rows

    /// Returns a condition for a row that no other references and that existed before.
    private func spare(_ table: SchemaFacts.Table) -> String {
        let conditions = table.children.map {
            "id NOT IN (SELECT \($0.column) FROM \($0.table) WHERE \($0.column) IS NOT NULL)"
        }
        let free = conditions.isEmpty ? "1" : conditions.joined(separator: " AND ")
        return
            "(\(table.key)) = (SELECT \(table.key) FROM \(table.name) WHERE \(free) ORDER BY \(table.key) LIMIT 1)"
    }

    /// Counts such rows in the schema before the migration, which may lack some of the children.
    private func countSpare(_ table: SchemaFacts.Table) -> String {
        guard let old = before.table(table.name) else { return "SELECT 0" }
        return "SELECT count(*) FROM \(table.name) WHERE \(spare(old))"
    }

    private mutating func mutateRows(of table: SchemaFacts.Table) {
        append(
            "delete a row", table.name, "DELETE FROM \(table.name) WHERE \(spare(table))", .rowsLost,
            target: countSpare(table))
        if let child = table.children.first(where: { before.table($0.table) != nil }) {
            append(
                "delete a row that is referenced", table.name,
                "DELETE FROM \(table.name) WHERE id = (SELECT min(\(child.column)) FROM \(child.table))",
                .migrationFailed,
                target: "SELECT count(\(child.column)) FROM \(child.table)")
        } else {
            append(
                "delete every row", table.name, "DELETE FROM \(table.name)", .rowsLost,
                target: "SELECT count(*) FROM \(table.name)")
            append(
                "drop the table", table.name, "DROP TABLE \(table.name)", .tableDropped,
                target: "SELECT count(*) FROM \(table.name)")
        }
        let columns = table.values.map(\.name).joined(separator: ", ")
        if table.takesCopies {
            append(
                "insert a duplicate row", table.name,
                "INSERT INTO \(table.name)(\(columns)) SELECT \(columns) FROM \(table.name) LIMIT 1",
                .rowsAdded, .warning,
                target: "SELECT count(*) FROM \(table.name)")
        }
        for column in table.columns where column.parent != nil {
            append(
                "orphan a child row", "\(table.name).\(column.name)",
                "UPDATE \(table.name) SET \(column.name) = 999999 WHERE (\(table.key)) = (SELECT \(table.key) FROM \(table.name) LIMIT 1)",
                .migrationFailed, target: "SELECT count(*) FROM \(table.name)")
        }
    }

    // MARK: - Values

    /// Returns a different value of the same class that the column's constraints allow.
    private func tweak(_ column: SchemaFacts.Column) -> String {
        if let parent = column.parent {
            return "(SELECT id FROM \(parent) AS other WHERE other.id <> \(column.name) ORDER BY id LIMIT 1)"
        }
        if column.name == "is_read" { return "1 - is_read" }
        return switch column.type {
        case "TEXT": "\(column.name) || ' '"
        case "BLOB": "zeroblob(length(\(column.name)) + 1)"
        case "REAL": "\(column.name) + 0.5"
        default: "\(column.name) + 1"
        }
    }

    private func isDeclared(_ table: SchemaFacts.Table, _ column: SchemaFacts.Column) -> Bool {
        migration.sql.contains("drydock: rewrites \(table.name).\(column.name)")
    }

    private mutating func mutateValues(of table: SchemaFacts.Table, _ old: SchemaFacts.Table) {
        // Columns by their names before and after; those that the migration may rewrite are left out.
        let columns = zip(old.columns, table.columns).filter { !$1.isKey && !isDeclared(table, $1) }
        for (column, renamed) in columns {
            let one =
                "SELECT \(table.key) FROM \(table.name) WHERE %@ IS NOT NULL ORDER BY \(table.key) LIMIT 1"
            append(
                "change a value", "\(table.name).\(renamed.name)",
                "UPDATE \(table.name) SET \(renamed.name) = \(tweak(renamed)) WHERE (\(table.key)) = (\(one.replacing("%@", with: renamed.name)))",
                .valuesChanged, target: "SELECT count(\(column.name)) FROM \(table.name)")
        }
        let text = columns.filter {
            $1.type == "TEXT" && !$1.isUnique && !["labels", "recipients"].contains($1.name)
        }
        if text.count >= 2 {
            let (a, b) = (text[0], text[1])
            append(
                "swap two columns' values", "\(table.name).\(a.1.name), \(b.1.name)",
                "UPDATE \(table.name) SET \(a.1.name) = \(b.1.name), \(b.1.name) = \(a.1.name) WHERE \(a.1.name) IS NOT NULL AND \(b.1.name) IS NOT NULL",
                .valuesChanged,
                target:
                    "SELECT count(*) FROM \(table.name) WHERE \(a.0.name) IS NOT NULL AND \(b.0.name) IS NOT NULL AND \(a.0.name) <> \(b.0.name)"
            )
        }
        if let (column, renamed) = text.last, !table.isStrict {
            append(
                "store text as a blob", "\(table.name).\(renamed.name)",
                "UPDATE \(table.name) SET \(renamed.name) = CAST(\(renamed.name) AS BLOB)", .valuesChanged,
                target: "SELECT count(\(column.name)) FROM \(table.name)")
        }
    }

    // MARK: - Shape

    private mutating func mutateShape(of table: SchemaFacts.Table) {
        if let column = table.values.reversed().first(where: {
            canDrop($0, of: table) && before.table(table.name)?.columns.map(\.name).contains($0.name) == true
        }) {
            append(
                "drop a column", "\(table.name).\(column.name)",
                "ALTER TABLE \(table.name) DROP COLUMN \(column.name)",
                .columnDropped, target: "SELECT count(\(column.name)) FROM \(table.name)")
        }
        guard table.children.isEmpty, !table.isStrict else { return }
        // A rebuild that is correct except for one cast.
        if let column = table.values.first(where: {
            $0.type == "TEXT" && !$0.isUnique && !isDeclared(table, $0)
        }), let old = before.table(table.name),
            old.columns.contains(where: { $0.name == column.name })
        {
            let names = table.columns.map(\.name).joined(separator: ", ")
            let casts = table.columns.map { $0.name == column.name ? "CAST(\($0.name) AS INTEGER)" : $0.name }
                .joined(separator: ", ")
            append(
                "cast a column in a rebuild", "\(table.name).\(column.name)",
                rebuild(
                    table, "INSERT INTO remade(\(names)) SELECT \(casts) FROM \(table.name)",
                    withObjects: true
                )
                .replacing("\(column.name) TEXT", with: "\(column.name) INTEGER")
                .replacing(
                    "CHECK (json_valid(\(column.name)) AND json_type(\(column.name)) = 'array')", with: ""),
                .valuesChanged, target: "SELECT count(\(column.name)) FROM \(table.name)")
        }
        if after.objects.contains(where: { $0.table == table.name }),
            before.objects.contains(where: { $0.table == table.name })
        {
            append(
                "forget what stands on a rebuilt table", table.name,
                rebuild(table, "INSERT INTO remade SELECT * FROM \(table.name)", withObjects: false),
                .objectLost)
        }
    }

    private func canDrop(_ column: SchemaFacts.Column, of table: SchemaFacts.Table) -> Bool {
        do {
            try afterDatabase.execute(
                "SAVEPOINT try_it; ALTER TABLE \(table.name) DROP COLUMN \(column.name)")
            try afterDatabase.execute("ROLLBACK TO try_it; RELEASE try_it")
            return true
        } catch {
            try? afterDatabase.execute("ROLLBACK TO try_it; RELEASE try_it")
            return false
        }
    }

    private func rebuild(_ table: SchemaFacts.Table, _ copy: String, withObjects: Bool) -> String {
        let objects = after.objects.filter { $0.table == table.name }.map { "\n\($0.sql);" }.joined()
        let brace = table.sql.firstIndex(of: "(") ?? table.sql.endIndex
        return """
            PRAGMA legacy_alter_table = ON;
            CREATE TABLE remade\(table.sql[brace...]);
            \(copy);
            DROP TABLE \(table.name);
            ALTER TABLE remade RENAME TO \(table.name);
            PRAGMA legacy_alter_table = OFF
            """ + (withObjects ? ";" + objects : "")
    }

    // MARK: - Objects

    private mutating func mutateObjects() {
        for object in after.objects where before.objects.contains(where: { $0.name == object.name }) {
            // A view is dropped by name wherever it is created again, which counts as intended.
            guard !migration.sql.contains("DROP \(object.kind.uppercased()) \(object.name)") else { continue }
            append(
                "lose an object from the schema", "\(object.kind) \(object.name)",
                "PRAGMA writable_schema = ON; DELETE FROM sqlite_schema WHERE name = '\(object.name)'",
                .objectLost)
        }
        if after.table("email") != nil, before.table("email") != nil {
            append(
                "demand what rows do not meet", "email.body NOT NULL",
                "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, 'body TEXT,', 'body TEXT NOT NULL,') WHERE name = 'email'",
                .integrityFailure, target: "SELECT count(*) FROM email WHERE body IS NULL")
            append(
                "let an index be of another column", "attachment_on_email",
                "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, '(email_id)', '(size)') WHERE name = 'attachment_on_email'",
                .integrityFailure, target: "SELECT count(*) FROM attachment")
        }
        if after.objects.contains(where: { $0.name == "inbox" }),
            before.objects.contains(where: { $0.name == "inbox" })
        {
            append(
                "break the view", "inbox",
                "PRAGMA legacy_alter_table = ON; ALTER TABLE attachment RENAME TO enclosure",
                .viewBroken)
        }
    }

    private mutating func mutateMarks() {
        append(
            "add a column that nobody can read", "email",
            "ALTER TABLE email ADD COLUMN unread AS (nosuch(id))", .tableUnreadable)
        let above = "SELECT seq > (SELECT max(id) FROM email) FROM sqlite_sequence WHERE name = 'email'"
        append(
            "lower the AUTOINCREMENT mark", "email",
            "UPDATE sqlite_sequence SET seq = 1 WHERE name = 'email'", .autoincrementReset,
            target: above)
        append(
            "delete the AUTOINCREMENT mark", "email", "DELETE FROM sqlite_sequence", .autoincrementReset,
            target: above)
    }

    private mutating func mutateSearchIndex() {
        guard let trigger = after.objects.first(where: { $0.name == "email_fts_update" }) else { return }
        append(
            "leave the search index stale", "update without its trigger",
            "DROP TRIGGER email_fts_update; UPDATE email SET subject = 'sabotage' WHERE id = (SELECT min(id) FROM email); \(trigger.sql)",
            .searchIndexStale)
        append(
            "leave the search index stale", "delete without its trigger",
            """
            DROP TRIGGER email_fts_delete; DELETE FROM email WHERE \(after.table("email").map(spare) ?? "");
            \(after.objects.first { $0.name == "email_fts_delete" }?.sql ?? "")
            """, .searchIndexStale)
        append(
            "empty the search index", "email_fts", "INSERT INTO email_fts(email_fts) VALUES ('delete-all')",
            .searchIndexStale)
    }

    // MARK: - The file

    private mutating func mutateDeclarations() {
        let lines = migration.sql.split(separator: "\n", omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() where line.hasPrefix("-- drydock: ") {
            let words = line.dropFirst("-- drydock: ".count)
            var rest = lines
            rest.remove(at: index)
            let sql = rest.joined(separator: "\n")
            if words.hasPrefix("deletes from ") {
                let parts = words.dropFirst("deletes from ".count).split(separator: " ", maxSplits: 2)
                add(
                    "remove a declaration", String(words.prefix(30)), sql: sql, .rowsLost,
                    target: "SELECT count(*) FROM \(parts[0]) WHERE \(parts[2])")
            } else if words.hasPrefix("rewrites ") {
                let path = words.dropFirst("rewrites ".count).split(separator: ".")
                add(
                    "remove a declaration", String(words), sql: sql, .valuesChanged,
                    target: "SELECT count(*) FROM \(path[0]) WHERE \(path[1]) <> '[]'")
            } else if words.hasPrefix("drops column ") {
                let path = words.dropFirst("drops column ".count).split(separator: ".")
                add(
                    "remove a declaration", String(words), sql: sql, .columnDropped,
                    target: "SELECT count(\(path[1])) FROM \(path[0])")
            }
            add(
                "misspell a declaration", String(words.prefix(30)),
                sql: migration.sql.replacing(line, with: line.replacing("drydock: ", with: "drydock: un")),
                .invalidDeclaration)
        }
    }

    private mutating func mutateRunner() {
        append("end the transaction", "COMMIT", "COMMIT", .transactionEnded)
        append("fail", "a syntax error", "SELECT FROM WHERE", .migrationFailed)
        append("forget what was applied", "grdb_migrations", "DELETE FROM grdb_migrations", .notIdempotent)
        add(
            "declare what is not needed", "drops table account",
            sql: "-- drydock: drops table account\n" + migration.sql,
            .unusedDeclaration, .warning)
        append(
            "break an invariant", "count(*)",
            "-- drydock: inserts into contact\n-- drydock: preserves select count(*) from sqlite_schema\nCREATE TABLE one_more(a)",
            .invariantBroken)
        append(
            "turn foreign keys off in vain", "PRAGMA foreign_keys", "PRAGMA foreign_keys = OFF",
            .pragmaIgnored, .warning)
    }

    /// Adds faults that are possible in only one migration.
    private mutating func mutateText() throws {
        func replace(
            _ fault: String, _ old: String, _ new: String, _ rule: Rule,
            _ severity: Finding.Severity = .error,
            target: String = "SELECT 1"
        ) throws {
            let sql = migration.sql.replacing(old, with: new)
            guard sql != migration.sql else {
                throw Unfit(description: "\(migration.identifier) holds no '\(old)'")
            }
            add(
                fault, String(old.replacing("\n", with: " ").prefix(40)), sql: sql, rule, severity,
                target: target)
        }
        switch migration.version {
        case 2:
            try replace(
                "forget that addresses differ in case", "lower(sender)", "sender", .migrationFailed,
                target: "SELECT count(DISTINCT sender) > count(DISTINCT lower(sender)) FROM email")
        case 5:
            try replace(
                "leave the search index empty", "INSERT INTO email_fts(email_fts) VALUES ('rebuild');", "",
                .searchIndexStale)
        case 7:
            try replace(
                "rename a column by another one", "ALTER TABLE email RENAME COLUMN sender TO from_address;",
                "DROP VIEW inbox; ALTER TABLE email ADD COLUMN from_address TEXT; ALTER TABLE email DROP COLUMN sender;",
                .columnDropped)
        case 8:
            try replace(
                "delete more than is declared", "kept.message_id = email.message_id AND kept.id < email.id",
                "kept.subject = email.subject AND kept.id < email.id AND email.id NOT IN (SELECT email_id FROM attachment)",
                .rowsLost)
            try replace(
                "delete the wrong copies",
                "DELETE FROM email WHERE EXISTS (\n    SELECT 1 FROM email AS kept\n    WHERE kept.account_id = email.account_id AND kept.message_id = email.message_id AND kept.id < email.id",
                "DELETE FROM email WHERE id NOT IN (SELECT email_id FROM attachment) AND EXISTS (\n    SELECT 1 FROM email AS kept\n    WHERE kept.account_id = email.account_id AND kept.message_id = email.message_id AND kept.id > email.id",
                .rowsLost,
                target:
                    "SELECT count(*) FROM email WHERE id NOT IN (SELECT email_id FROM attachment) AND EXISTS (SELECT 1 FROM email AS kept WHERE kept.account_id = email.account_id AND kept.message_id = email.message_id AND kept.id > email.id) AND NOT EXISTS (SELECT 1 FROM email AS kept WHERE kept.account_id = email.account_id AND kept.message_id = email.message_id AND kept.id < email.id)"
            )
            try replace(
                "forget the attachments of what is deleted", "WHERE copy.id = attachment.email_id\n);",
                "WHERE 0\n);", .migrationFailed,
                target:
                    "SELECT count(*) FROM attachment WHERE email_id IN (SELECT copy.id FROM email AS copy JOIN email AS kept ON kept.account_id = copy.account_id AND kept.message_id = copy.message_id AND kept.id < copy.id)"
            )
        case 9: try mutateRebuild(replace)
        case 11:
            try replace("make a view that does not compile", "email.preview,", "email.snippet,", .viewBroken)
        default: break
        }
    }

    private func mutateRebuild(
        _ replace: (String, String, String, Rule, Finding.Severity, String) throws -> Void
    ) throws {
        let always = "SELECT 1"
        for object in after.objects where object.kind != "view" && object.table == "email" {
            try replace(
                "forget an object of the rebuilt table", object.sql + ";", "", .objectLost, .error, always)
        }
        try replace(
            "swap columns in the copying statement",
            "SELECT\n    id, account_id, message_id, from_address, subject, body",
            "SELECT\n    id, account_id, message_id, subject, from_address, body", .valuesChanged, .error,
            always)
        try replace(
            "copy no mail without a Message-ID", "FROM email;\n\n-- The AUTOINCREMENT",
            "FROM email WHERE message_id IS NOT NULL OR id IN (SELECT email_id FROM attachment);\n\n-- The AUTOINCREMENT",
            .rowsLost, .error,
            "SELECT count(*) FROM email WHERE message_id IS NULL AND id NOT IN (SELECT email_id FROM attachment)"
        )
        try replace(
            "copy no bodies", "from_address, subject, body, snippet, labels, is_read, received_at\nFROM",
            "from_address, subject, NULL, snippet, labels, is_read, received_at\nFROM",
            .valuesChanged, .error, "SELECT count(body) FROM email")
        try replace(
            "copy times as integers", "is_read, received_at\nFROM",
            "is_read, CAST(received_at AS INTEGER)\nFROM", .valuesChanged, .error,
            "SELECT count(*) FROM email WHERE received_at <> CAST(received_at AS INTEGER)")
        try replace(
            "forget the mark", "SELECT 'new_email', seq FROM sqlite_sequence WHERE name = 'email';",
            "SELECT 'new_email', max(id) FROM new_email;",
            .autoincrementReset, .error,
            "SELECT seq > (SELECT max(id) FROM email) FROM sqlite_sequence WHERE name = 'email'")
        try replace(
            "forget AUTOINCREMENT and the mark", "AUTOINCREMENT,\n    account_id", ",\n    account_id",
            .autoincrementReset, .error,
            "SELECT seq > (SELECT max(id) FROM email) FROM sqlite_sequence WHERE name = 'email'")
        try replace("leave a column out", "    snippet TEXT,\n", "", .migrationFailed, .error, always)
        try replace(
            "let foreign keys act", "-- A view on email",
            "-- drydock: foreign-keys immediate\n-- A view on email", .rowsLost, .error,
            "SELECT count(*) FROM attachment")
    }
}
