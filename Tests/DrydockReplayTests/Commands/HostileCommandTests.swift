import Foundation
import SQLiteSchema
import Testing

@testable import DrydockTestSupport

/// Names in a database, of files and in migrations that would steer a terminal, or give commands to a continuous
/// integration through its log: no command of the tool passes them on.
@Suite struct HostileCommandTests {
    private static let name = "v\n::warning::INJECTED \u{202e}\u{1b}[2J\u{2028}x"
    private static let column = "::error::c"

    private let folder: TemporaryFolder
    private let tool: Tool
    private let database: String

    init() throws {
        folder = try TemporaryFolder()
        tool = Tool(folder: folder)
        database = folder.file("a.sqlite")
        try PlainDatabase(database).execute(
            """
            PRAGMA foreign_keys = OFF;
            CREATE TABLE "\(Self.name)"(id INTEGER PRIMARY KEY, "\(Self.column)" TEXT, "##[error]p" REFERENCES "\(Self.name)");
            CREATE TABLE "::group::t"("\(Self.column)" PRIMARY KEY, b REFERENCES "\(Self.name)") WITHOUT ROWID;
            INSERT INTO "\(Self.name)" VALUES(1, '\(Self.name)', 7), (2, 'y', NULL);
            INSERT INTO "::group::t" VALUES('::notice::k', 9);
            CREATE INDEX "\(Self.name) i" ON "\(Self.name)"("##[error]p");
            CREATE INDEX "\(Self.name) j" ON "\(Self.name)"("##[error]p");
            CREATE VIEW "\(Self.name) w" AS SELECT nosuch FROM "\(Self.name)";
            """)
    }

    private func check(_ arguments: [String], _ place: Testing.SourceLocation = #_sourceLocation) throws {
        let result = try tool.run(arguments)
        #expect(!(result.output + result.errors).isEmpty, sourceLocation: place)
        for text in [result.output, result.errors] {
            let hidden = text.unicodeScalars.first { VisibleText.isHidden($0) && $0 != "\n" && $0 != "\t" }
            #expect(hidden == nil, "\(arguments): \(text.debugDescription)", sourceLocation: place)
            #expect(!text.contains("##["), "\(arguments): \(text)", sourceLocation: place)
            for line in text.split(separator: "\n") {
                let start = line.drop { $0 == " " || $0 == "\t" }
                #expect(
                    !start.hasPrefix("::") && !start.hasPrefix("INJECTED"), "\(arguments): \(line)",
                    sourceLocation: place)
            }
        }
    }

    @Test func `health, stats, vacuum`() throws {
        for format in ["human", "nagios", "json"] {
            try check(["health", database, "--deep", "-v", "--format", format])
        }
        try check(["stats", database])
        try check(["vacuum", database, "--dry-run"])
        for command in ["health", "stats", "vacuum", "schema", "migrate"] {
            try check([command, folder.file(Self.name)])
            try check([command, database, "--\(Self.name)"])
        }
    }

    @Test func `schemas and rows`() throws {
        let other = folder.file("b.sqlite")
        try PlainDatabase(other).execute(
            """
            CREATE TABLE "\(Self.name)"(id INTEGER PRIMARY KEY, "\(Self.column)" INT NOT NULL); CREATE TABLE z(a);
            INSERT INTO "\(Self.name)" VALUES(1, '\(Self.name)2')
            """)
        try check(["diff", database, other])
        try check(["diff", database, other, "--name-only"])
        try check(["diff", "--data", database, other])
        for format in ["mermaid", "json"] { try check(["schema", database, "--format", format]) }
        for format in ["markdown", "json"] { try check(["diff", database, other, "--format", format]) }
        try check(["diff", "--data", database, other, "--format", "json"])
        let sql = try tool.run("diff", database, other, "--sql", "--allow-loss")
        let source = SQLSource(name: "", sql.output)
        for token in source.tokens() where token.kind == .lineComment {
            #expect(
                !token.text(in: source).unicodeScalars.contains { VisibleText.isHidden($0) && $0 != "\n" })
        }
    }

    @Test func `verify, lint and lock`() throws {
        try FileManager.default.createDirectory(
            atPath: folder.file("Migrations"), withIntermediateDirectories: true)
        try FileManager.default.createDirectory(
            atPath: folder.file("Snapshots"), withIntermediateDirectories: true)
        try folder.write(
            "Migrations/v1_start.sql",
            "CREATE TABLE \"\(Self.name)\"(id INTEGER PRIMARY KEY, \"\(Self.column)\" TEXT, b); CREATE TABLE p(a UNIQUE)"
        )
        try folder.write(
            "Migrations/v2_lose.sql",
            """
            UPDATE "\(Self.name)" SET "\(Self.column)" = 1; DELETE FROM "\(Self.name)" WHERE id = 2;
            ALTER TABLE "\(Self.name)" DROP COLUMN b; CREATE VIEW "\(Self.name) w" AS SELECT nosuch FROM "\(Self.name)";
            """)
        try folder.write("Migrations/v3_fail.sql", "INSERT INTO \"\(Self.name)\"(id) VALUES(1), (1)")
        try folder.write(
            "Snapshots/v1.sql",
            """
            CREATE TABLE "\(Self.name)"(id INTEGER PRIMARY KEY, "\(Self.column)" TEXT, b); CREATE TABLE p(a UNIQUE);
            INSERT INTO "\(Self.name)" VALUES(1, '\(Self.name)', 2), (2, 'x', 3);
            CREATE TABLE grdb_migrations(identifier TEXT NOT NULL PRIMARY KEY);
            INSERT INTO grdb_migrations VALUES('v1_start');
            """)
        for command in ["verify", "lint", "lock"] { try check([command]) }
    }
}
