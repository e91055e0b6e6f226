import DatabaseEngine
import Drydock
import Foundation
import GRDBEngine
import Testing

/// A folder of migrations and one snapshot of an app that has applied the first of them.
struct Scenario: Sendable {
    /// Identifiers and SQL, in the order in which they run.
    var migrations: [(name: String, sql: String)]
    /// The number of migrations that the snapshot has applied.
    var at = 1
    /// What the app has written since.
    var rows = ""
    /// PRAGMAs run on the empty file, for settings that cannot be changed later.
    var pragmas: [String] = []
    /// Changes that a person made to the snapshot by hand.
    var schemaEdit = ""
    var snapshotName = "snapshot.sqlite"

    /// Creates the steps `v2`, `v3`, ... on a snapshot at `v1`.
    init(_ schema: String, rows: String = "", steps: String...) {
        self.init(schema, rows: rows, steps: steps)
    }

    init(_ schema: String, rows: String = "", steps: [String]) {
        migrations = [("v1", schema)] + steps.enumerated().map { ("v\($0 + 2)", $1) }
        self.rows = rows
    }

    init(
        migrations: [(name: String, sql: String)], at: Int, rows: String = "", pragmas: [String] = [],
        schemaEdit: String = ""
    ) {
        self.migrations = migrations
        self.at = at
        self.rows = rows
        self.pragmas = pragmas
        self.schemaEdit = schemaEdit
    }

    /// Writes everything, verifies, and expects that snapshots and folder are unchanged.
    func verify(
        sourceLocation: SourceLocation = #_sourceLocation,
        _ configure: (inout VerifyRequest) -> Void = { _ in }
    ) async throws -> Report {
        let folder = try write()
        return try await folder.verify(sourceLocation: sourceLocation, configure)
    }

    /// Writes the folders `Migrations` and `Snapshots`, which can be changed before they are verified.
    func write() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        for (name, sql) in migrations { try folder.write("Migrations/\(name).sql", sql) }
        try FileManager.default.createDirectory(
            atPath: folder.file("Snapshots"), withIntermediateDirectories: true)
        try makeSnapshot(folder.file("Snapshots/\(snapshotName)"))
        return folder
    }

    func makeSnapshot(_ path: String) throws {
        let database = try PlainDatabase(path)
        for pragma in pragmas { try database.execute(pragma) }
        try database.execute("CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)")
        for migration in migrations.prefix(at) {
            try database.execute(migration.sql)
            try database.execute("INSERT INTO grdb_migrations VALUES ('\(migration.name)')")
        }
        try database.execute(rows)
        try database.execute(schemaEdit)
    }
}

extension TemporaryFolder {
    /// Verifies the folders `Migrations` and `Snapshots`.
    func verify(
        _ engine: any Engine = GRDBDriver(), comparingWith other: (any Engine)? = nil,
        sourceLocation: SourceLocation = #_sourceLocation,
        _ configure: (inout VerifyRequest) -> Void = { _ in }
    ) async throws -> Report {
        var request = VerifyRequest()
        request.migrations.folder = file("Migrations")
        request.snapshots.folder = file("Snapshots")
        configure(&request)
        let before = try contents()
        let report = try await Verifier(engine: engine, comparingWith: other).run(request)
        #expect(try contents() == before, "a file was written", sourceLocation: sourceLocation)
        return report
    }
}

extension Report {
    /// Expects that errors and warnings are exactly those of these rules, one finding each.
    func expect(
        errors: [Rule] = [], warnings: [Rule] = [], notChecked: [Rule] = [],
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let comment = Comment(rawValue: "\n" + findings.map(\.line).joined(separator: "\n"))
        #expect(rules(.error) == errors.inOrder, comment, sourceLocation: sourceLocation)
        #expect(rules(.warning) == warnings.inOrder, comment, sourceLocation: sourceLocation)
        #expect(
            self.notChecked.map(\.rule).inOrder == notChecked.inOrder,
            "\(self.notChecked.map(\.reason))", sourceLocation: sourceLocation)
    }

    func expectNothing(sourceLocation: SourceLocation = #_sourceLocation) {
        expect(sourceLocation: sourceLocation)
    }

    /// Returns the only finding of a rule.
    func finding(_ rule: Rule, sourceLocation: SourceLocation = #_sourceLocation) throws -> Finding {
        let found = findings.filter { $0.rule == rule }
        #expect(found.count == 1, "\(findings.map(\.line))", sourceLocation: sourceLocation)
        return try #require(found.first, sourceLocation: sourceLocation)
    }

    func rules(_ severity: Finding.Severity) -> [Rule] {
        findings.filter { $0.severity == severity }.map(\.rule).inOrder
    }
}

extension [Rule] {
    var inOrder: [Rule] { sorted { $0.rawValue < $1.rawValue } }
}

extension Finding {
    /// The finding as one line of a test's output.
    var line: String {
        "\(severity)[\(rule.rawValue)] \(message) \(tags.map(\.rawValue)) \(place.map { "\($0.file):\($0.line ?? 0)" } ?? "")"
    }
}
