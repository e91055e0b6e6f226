import Drydock
import DrydockTesting
import GRDB
import Testing

/// Checks that the rules of a replay hold for a migrator's closures.
@Suite struct ReplayTests {
    @Test func aGoodMigratorPasses() async throws {
        let notebook = try Notebook()
        try notebook.keep()
        let report = try await notebook.report(
            Notebook.adding { try $0.execute(sql: "ALTER TABLE note ADD COLUMN pinned INTEGER") })
        #expect(report.broken == [])
        #expect(report.replays.map(\.to) == ["v3"])
    }

    /// The finding names a statement of this run, with the values that the closure read from the rows.
    @Test func lossesNameTheStatementThatTheClosureRan() async throws {
        let notebook = try Notebook()
        try notebook.keep()
        let line = #line + 2
        let report = try await migrationReport(
            Notebook.adding { db in
                for id in try Int.fetchAll(db, sql: "SELECT id FROM note WHERE size > 1") {
                    try db.execute(sql: "DELETE FROM note WHERE id = ?", arguments: [id])
                }
            }, snapshots: notebook.snapshots, lock: nil)
        #expect(report.broken == ["error rows-lost"])
        let finding = try #require(report.findings.first { $0.rule == .rowsLost })
        #expect(finding.place?.statement == "DELETE FROM note WHERE id = 2")
        #expect(finding.place?.file == #filePath)
        #expect(finding.place?.line.map { abs($0 - line) <= 8 } == true)
        #expect(finding.help.contains(#"declaring: ["v3": [.deletes(from: "note", where: "CONDITION")]]"#))
    }

    /// A foreign key action is traced as its statement a second time.
    @Test func cascadesNameTheStatementThatSetThemOff() async throws {
        var migrator = Notebook.adding("v3") { db in
            try db.execute(
                sql: "CREATE TABLE page (id INTEGER PRIMARY KEY, note_id REFERENCES note ON DELETE CASCADE)")
        }
        let notebook = try Notebook()
        try notebook.keep(migrator, upTo: "v3") { db in
            try db.execute(
                sql:
                    "INSERT INTO note (title) VALUES ('one'), ('two'); INSERT INTO page VALUES (1, 1), (2, 2)"
            )
        }
        migrator.registerMigration("v4", foreignKeyChecks: .immediate) { db in
            try db.execute(
                sql: """
                    CREATE TABLE new_note (id INTEGER PRIMARY KEY, title TEXT NOT NULL, size INTEGER DEFAULT 0);
                    INSERT INTO new_note SELECT * FROM note;
                    DROP TABLE note;
                    ALTER TABLE new_note RENAME TO note;
                    """)
        }
        let report = try await notebook.report(migrator)
        #expect(report.broken == ["error rows-lost"])
        #expect(report.findings.first { $0.rule == .rowsLost }?.place?.statement == "DROP TABLE note")
    }

    @Test func declarationsAllowTheLossesThatTheyName() async throws {
        let notebook = try Notebook()
        try notebook.keep()
        let migrator = Notebook.adding { db in
            try db.execute(sql: "DELETE FROM note WHERE size > 1")
            try db.execute(sql: "UPDATE note SET title = upper(title)")
        }
        let declared: [Declaration] = [
            .deletes(from: "note", where: "size > 1"), .rewrites(column: "title", of: "note"),
        ]
        #expect(try await notebook.report(migrator, declaring: ["v3": declared]).broken == [])
        let unused = try await notebook.report(
            migrator, declaring: ["v3": declared + [.inserts(into: "tag")]])
        #expect(unused.broken == ["warning unused-declaration"])
        #expect(unused.findings.contains { $0.message.contains(#".inserts(into: "tag")"#) })
        #expect(unused.findings.first { $0.rule == .unusedDeclaration }?.place?.file == #filePath)
        let misspelt = try await notebook.report(migrator, declaring: ["v33": declared])
        #expect(misspelt.broken.contains("error invalid-declaration"))
        #expect(misspelt.findings.contains { $0.help == "Did you mean 'v3'?" })
    }

    @Test func aMigratorThatErasesIsRefused() async throws {
        let notebook = try Notebook()
        try notebook.keep()
        var migrator = Notebook.released
        migrator.eraseDatabaseOnSchemaChange = true
        let report = try await notebook.report(migrator)
        #expect(report.broken == ["error nothing-verified"])
        #expect(report.findings[0].message.contains("eraseDatabaseOnSchemaChange"))
    }

    @Test func nothingToVerifyFails() async throws {
        let notebook = try Notebook()
        #expect(try await notebook.report(Notebook.released).broken == ["error nothing-verified"])
        #expect(try await notebook.report(DatabaseMigrator()).broken == ["error nothing-verified"])
        let report = try await migrationReport(Notebook.released, snapshots: "no-such-folder", lock: nil)
        #expect(report.broken == ["error nothing-verified"])
    }

    @Test func anErrorThatAClosureThrowsIsAFailure() async throws {
        struct OutOfLuck: Error {}
        let notebook = try Notebook()
        try notebook.keep()
        let report = try await notebook.report(
            Notebook.adding { db in
                if try Int.fetchOne(db, sql: "SELECT count(*) FROM note") != 0 { throw OutOfLuck() }
            })
        #expect(report.broken == ["error migration-failed"])
        #expect(report.findings[0].message.contains("OutOfLuck"))
        #expect(report.findings[0].tags == [.dataDependent])
    }

    /// GRDB runs the missing migrations one after the other; a migration in the middle alone would trap.
    @Test func gapsAreFilledStepByStep() async throws {
        let notebook = try Notebook()
        try notebook.keep(Notebook.adding("v5") { try $0.execute(sql: "CREATE TABLE five (id)") }, upTo: "v5")
        var migrator = Notebook.adding { try $0.execute(sql: "DELETE FROM note WHERE id = 1") }
        migrator = Notebook.adding("v4", to: migrator) { try $0.execute(sql: "CREATE TABLE four (id)") }
        migrator = Notebook.adding("v5", to: migrator) { try $0.execute(sql: "CREATE TABLE five (id)") }
        migrator = Notebook.adding("v6", to: migrator) { try $0.execute(sql: "CREATE TABLE six (id)") }
        let report = try await notebook.report(migrator)
        #expect(report.replays[0].steps.map(\.migration) == ["v3", "v4", "v6"])
        #expect(
            report.broken.sorted() == [
                "error rows-lost", "warning migration-out-of-order", "warning migration-out-of-order",
            ])
        #expect(report.findings.first { $0.rule == .rowsLost }?.migration == "v3")
    }

    @Test func mergedMigrationsAreRecognizedByWhatTheyReplace() async throws {
        let notebook = try Notebook()
        try notebook.keep(upTo: "v1", named: "one.sqlite")
        try notebook.keep(upTo: "v2", named: "two.sqlite")
        var migrator = DatabaseMigrator()
        migrator.registerMigration("v1+2", merging: ["v1", "v2"]) { db, applied in
            if !applied.contains("v1") {
                try db.execute(
                    sql:
                        "CREATE TABLE note (id INTEGER PRIMARY KEY, title TEXT NOT NULL, size INTEGER DEFAULT 0)"
                )
            }
            if !applied.contains("v2") {
                try db.execute(sql: "CREATE TABLE tag (name TEXT NOT NULL, note_id INTEGER REFERENCES note)")
            }
        }
        let report = try await notebook.report(migrator)
        #expect(report.broken == [])
        #expect(report.replays.map(\.to) == ["v1+2", "v1+2"])
    }

    @Test func theConfigurationProvidesFunctionsAndCollations() async throws {
        var configuration = Configuration()
        configuration.prepareDatabase { db in
            db.add(
                function: DatabaseFunction("shout", argumentCount: 1) { values in
                    String.fromDatabaseValue(values[0])?.uppercased()
                })
            db.add(
                collation: DatabaseCollation("backwards") { a, b in
                    String(a.reversed()).compare(String(b.reversed()))
                })
        }
        let notebook = try Notebook()
        try notebook.keep()
        let migrator = Notebook.adding { db in
            try db.execute(sql: "CREATE TABLE loud (title TEXT COLLATE backwards UNIQUE)")
            try db.execute(sql: "INSERT INTO loud SELECT shout(title) FROM note")
        }
        #expect(try await notebook.report(migrator, configuration: configuration).broken == [])
        let without = try await notebook.report(migrator)
        #expect(without.broken.contains("error migration-failed"))
        #expect(
            without.findings.contains { $0.help.contains("configuration:") },
            "\(without.findings.map { ($0.message, $0.help) })")
    }

    /// If the app's connections do not enforce foreign keys, GRDB does not check them.
    @Test func theConfigurationDecidesOnForeignKeys() async throws {
        var configuration = Configuration()
        configuration.prepareDatabase { db in
            try db.execute(sql: "PRAGMA journal_mode = WAL; PRAGMA foreign_keys = OFF")
        }
        configuration.foreignKeysEnabled = false
        let notebook = try Notebook()
        try notebook.keep()
        let good = Notebook.adding { try $0.execute(sql: "ALTER TABLE note ADD COLUMN pinned INTEGER") }
        #expect(try await notebook.report(good, configuration: configuration).broken == [])
        let bad = Notebook.adding { try $0.execute(sql: "INSERT INTO tag VALUES ('x', 99)") }
        #expect(
            try await notebook.report(
                bad, declaring: ["v3": [.inserts(into: "tag")]], configuration: configuration
            ).broken.contains("error foreign-key-violation"))
        #expect(
            try await notebook.report(bad, declaring: ["v3": [.inserts(into: "tag")]]).broken
                == ["error migration-failed"])
    }

    @Test func anUpdateRowByRowIsReplayedCompletely() async throws {
        let notebook = try Notebook()
        try notebook.keep { db in
            try db.execute(
                sql: """
                    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
                    INSERT INTO note (title, size) SELECT 'note ' || i, i FROM n
                    """)
        }
        let report = try await notebook.report(
            Notebook.adding { db in
                for id in try Int.fetchAll(db, sql: "SELECT id FROM note") {
                    try db.execute(sql: "UPDATE note SET size = size + 1 WHERE id = ?", arguments: [id])
                }
            })
        #expect(report.broken == ["error values-changed"])
        #expect(report.findings.first?.evidence?.rowCount == 3000)
    }

    /// Statements that were rolled back to a savepoint, or that a trigger ran, are not the closure's.
    @Test func savepointsAndTriggersDoNotMislead() async throws {
        let notebook = try Notebook()
        try notebook.keep()
        let report = try await notebook.report(
            Notebook.adding { db in
                try db.execute(
                    sql: """
                        CREATE TRIGGER gone AFTER INSERT ON tag BEGIN DELETE FROM note WHERE id = new.note_id; END
                        """)
                try db.inSavepoint {
                    try db.execute(sql: "DELETE FROM note")
                    return .rollback
                }
                try db.execute(sql: "INSERT INTO tag VALUES ('x', 2)")
                try db.execute(sql: "DELETE FROM tag")
            })
        let finding = try #require(report.findings.first { $0.rule == .rowsLost })
        #expect(finding.place?.statement == "INSERT INTO tag VALUES ('x', 2)")
    }
}
