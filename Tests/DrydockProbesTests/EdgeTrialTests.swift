import Drydock
import Testing

@testable import DrydockReplay
@testable import DrydockTestSupport

/// What a limit keeps from being tried is tried in parts, and with fewer rows, before it is given up.
struct EdgeTrialTests {
    private static let columns = (0..<20).map { "t\($0) TEXT" } + (0..<20).map { "n\($0) INTEGER" }

    /// A table with many columns, and a full-text index over some of them.
    private static func table(_ name: String) -> String {
        """
        CREATE TABLE \(name)(id INTEGER PRIMARY KEY, sub TEXT, \(columns.joined(separator: ", ")));
        CREATE VIRTUAL TABLE \(name)_found USING fts5(t0, t1, content='\(name)', content_rowid='id');
        \(trigger(name))

        """
    }

    private static func trigger(_ name: String) -> String {
        "CREATE TRIGGER \(name)_in AFTER INSERT ON \(name) BEGIN INSERT INTO \(name)_found(rowid, t0, t1) "
            + "VALUES (new.id, new.t0, new.t1); END;"
    }

    /// A rebuild that leaves out the rows with NULL.
    private static func rebuild(_ name: String) -> String {
        """
        CREATE TABLE \(name)_new(id INTEGER PRIMARY KEY, sub TEXT, \(columns.joined(separator: ", ")));
        INSERT INTO \(name)_new SELECT * FROM \(name) WHERE sub IS NOT NULL;
        DROP TABLE \(name);
        ALTER TABLE \(name)_new RENAME TO \(name);
        \(trigger(name))
        INSERT INTO \(name)_found(\(name)_found) VALUES ('rebuild');

        """
    }

    private func verify(_ names: [String], limit: Int? = nil, rows: Int? = nil) async throws -> Report {
        let folder = try TemporaryFolder()
        try folder.write("Migrations/v1.sql", names.map(Self.table).joined())
        try folder.write("Migrations/v2.sql", names.map(Self.rebuild).joined())
        return try await folder.verify {
            $0.snapshots.isFolderNamed = false
            $0.probes.edgeInstructionLimit = limit
            $0.probes.edgeRowLimit = rows
            if limit ?? rows != nil { $0.timeout = .seconds(86_400) }
        }
    }

    @Test(arguments: [["page"], ["a", "b", "c"]]) func `without a limit everything is tried`(
        _ names: [String]
    ) async throws {
        let report = try await verify(names, limit: nil)
        report.expect(warnings: names.map { _ in .rowsLost })
    }

    @Test(arguments: [["page"], ["a", "b", "c"]], [1_000_000, 2_000_000, 5_000_000])
    func `a limit leaves the losses to be found, or says what was not tried`(_ names: [String], _ limit: Int)
        async throws
    {
        let report = try await verify(names, limit: limit)
        let lost = Set(report.findings.filter { $0.rule == .rowsLost }.compactMap(\.table))
        let said = report.untried
        for name in names where !lost.contains(name) {
            #expect(said.contains { $0.contains(name) }, "\(name): \(said)")
        }
        #expect(said.allSatisfy { $0.contains("--timeout 1h, or none") })
    }

    /// All three tables are too much together, and each alone is not.
    @Test func `what is found in parts is found`() async throws {
        let report = try await verify(["a", "b", "c"], rows: 100)
        #expect(report.rules(.warning) == [.rowsLost, .rowsLost, .rowsLost])
        #expect(
            report.untried == [
                "v2 was tried with fewer unusual rows, or with those of one table at a time, since "
                    + "all together take too long; --timeout 1h, or none, gives it more time"
            ])
    }

    @Test func `what is found with fewer rows is found`() async throws {
        let report = try await verify(["page"], rows: 40)
        #expect(report.rules(.warning) == [.rowsLost])
        #expect(report.untried.count == 1 && report.untried[0].contains("fewer unusual rows"))
    }

    @Test func `what cannot be tried at all is named`() async throws {
        let report = try await verify(["page"], rows: 0)
        #expect(report.rules(.warning) == [])
        #expect(report.untried.count == 1)
        #expect(report.untried.first?.contains("unusual rows of page, since that takes too long") == true)
    }
}

extension Report {
    /// What is said of unusual rows that were not tried.
    fileprivate var untried: [String] { notChecked.map(\.reason).filter { $0.contains("unusual rows") } }
}
