import Drydock
import Foundation
import GRDBEngine
import NIOEngine
import OverlayVFS
import Testing

@testable import DrydockTestSupport

/// Changes to a database that a migration attaches are not compared, and reported as not compared.
@Suite struct AttachedDatabaseTests {
    private static let schema = "CREATE TABLE t(a);"

    private func report(_ sql: String, journal: String = "delete", isNIO: Bool = false) async throws
        -> Report
    {
        let folder = try TemporaryFolder()
        let path = folder.file("other.sqlite")
        try PlainDatabase(path).execute(
            "PRAGMA journal_mode = \(journal); CREATE TABLE o(x); INSERT INTO o VALUES (1), (2);")
        let steps = [Self.schema, sql.replacing("FILE", with: path), "CREATE TABLE v(a);"]
        for (index, sql) in steps.enumerated() { try folder.write("Migrations/\(index + 1).sql", sql) }
        try FileManager.default.createDirectory(
            atPath: folder.file("Snapshots"), withIntermediateDirectories: true)
        try PlainDatabase(folder.file("Snapshots/a.sqlite")).execute(Self.schema + "PRAGMA user_version = 1")
        return try await Overlay.$reach.withValue(.folder(folder.path)) {
            try await folder.verify(isNIO ? NIODriver() : GRDBDriver()) {
                $0.migrations.format = "user-version"
                $0.migrations.options.transaction = ToolPolicy.Transaction.none
            }
        }
    }

    /// ATTACH is not possible in a transaction, so the tool opens none.
    @Test(arguments: ["delete", "wal"], [false, true])
    func `changed rows of an attached file are not checked`(journal: String, isNIO: Bool) async throws {
        for end in ["", "DETACH o;"] {
            let report = try await report(
                "ATTACH 'FILE' AS o; DELETE FROM o.o WHERE x = 1; \(end)", journal: journal, isNIO: isNIO)
            #expect(report.notChecked.map(\.rule) == [.rowsLost], "\(report.findings.map(\.line))")
            #expect(
                report.notChecked.first?.reason.hasPrefix("2 changes the attached database ") == true
                    && report.notChecked.first?.reason.contains("other.sqlite, ") == true)
        }
    }

    @Test func `an attached file that is only read is left out`() async throws {
        let report = try await report("ATTACH 'FILE' AS o; CREATE TABLE u AS SELECT * FROM o.o; DETACH o;")
        #expect(report.notChecked.isEmpty)
    }
}
