import Drydock
import DrydockTesting
import Foundation
import GRDB
import Testing

/// Checks what closures execute against `drydock.lock`.
@Suite struct ClosureLockTests {
    /// Writes a lock with these digests, as a run with DRYDOCK_RECORD=1 does.
    private func locked(_ notebook: Notebook, _ closures: [LockedClosure]) throws {
        var lock = Lock(migrationsFolder: "", format: "")
        lock.closures = closures
        try lock.write(to: notebook.lock)
    }

    private static let other = String(repeating: "0", count: 64)

    @Test func aLockOfClosuresIsReadAsItWasWritten() throws {
        let notebook = try Notebook()
        let closures = [
            LockedClosure(identifier: "v1 with space", sql: Self.other, values: nil),
            LockedClosure(identifier: "v2", sql: Self.other, values: String(repeating: "a", count: 64)),
        ]
        try locked(notebook, closures)
        #expect(try Lock.load(notebook.lock)?.closures == closures)
    }

    @Test func differentSQLIsAnError() async throws {
        let notebook = try Notebook()
        try notebook.keep()
        try locked(notebook, [LockedClosure(identifier: "v1", sql: Self.other, values: nil)])
        let migrator = Notebook.adding { try $0.execute(sql: "CREATE TABLE extra (id)") }
        let report = try await notebook.report(migrator, locked: true)
        #expect(report.broken == ["error migration-edited"])
        #expect(report.findings[0].help.contains("DRYDOCK_RECORD=v1 swift test"))
    }

    @Test func removedAndOutOfOrderMigrationsAreReported() async throws {
        let notebook = try Notebook()
        try notebook.keep(upTo: "v1")
        try locked(notebook, [LockedClosure(identifier: "v0", sql: Self.other, values: nil)])
        #expect(
            try await notebook.report(Notebook.released, locked: true).broken == ["error migration-removed"])
        try locked(notebook, [LockedClosure(identifier: "v2", sql: Self.other, values: nil)])
        let report = try await notebook.report(Notebook.released, locked: true)
        #expect(report.broken == ["error migration-edited", "warning migration-out-of-order"])
    }

    @Test func aMigrationThatMergesReleasedOnesIsNotLate() async throws {
        let notebook = try Notebook()
        try notebook.keep()
        try locked(notebook, [LockedClosure(identifier: "v3", sql: Self.other, values: nil)])
        var migrator = DatabaseMigrator()
        migrator.registerMigration("v1+2", merging: ["v1", "v2"]) { db, applied in
            guard applied.isEmpty else { return }
            try db.execute(
                sql: """
                    CREATE TABLE note (id INTEGER PRIMARY KEY, title TEXT NOT NULL, size INTEGER DEFAULT 0);
                    CREATE TABLE tag (name TEXT NOT NULL, note_id INTEGER REFERENCES note)
                    """)
        }
        let later = Notebook.adding(to: migrator) { try $0.execute(sql: "CREATE TABLE extra (id)") }
        #expect(try await notebook.report(later, locked: true).broken == ["error migration-edited"])
    }

    @Test func whatIsRolledBackToASavepointDoesNotCount() async throws {
        let notebook = try Notebook()
        try notebook.keep()
        var migration = Migration(identifier: "v3", path: "v3")
        migration.take(["CREATE TABLE extra (id)"])
        try locked(
            notebook, [LockedClosure(identifier: "v3", sql: TokenDigest.of(migration), values: nil)])
        let migrator = Notebook.adding { db in
            try db.execute(
                sql: """
                    SAVEPOINT s; CREATE TABLE a (x); ROLLBACK TO s; CREATE TABLE b (x); ROLLBACK TO s; RELEASE s;
                    CREATE TABLE extra (id)
                    """)
        }
        let late = "warning migration-out-of-order"
        #expect(try await notebook.report(migrator, locked: true).broken == [late, late])
    }

    @Test func withoutALockNothingIsChecked() async throws {
        let notebook = try Notebook()
        try notebook.keep(upTo: "v1")
        #expect(try await notebook.report(Notebook.released, locked: true).broken == [])
        #expect(!FileManager.default.fileExists(atPath: notebook.lock))
    }

    @Test func valuesThatVaryAreAWarning() async throws {
        let notebook = try Notebook()
        try notebook.keep()
        let report = try await notebook.report(
            Notebook.adding { db in
                try db.execute(sql: "CREATE TABLE device (id TEXT)")
                try db.execute(sql: "INSERT INTO device VALUES (?)", arguments: [UUID().uuidString])
            })
        #expect(report.broken == ["warning migration-varies"])
    }
}
