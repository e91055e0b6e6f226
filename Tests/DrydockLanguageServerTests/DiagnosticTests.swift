import Drydock
import GRDBEngine
import Testing

@testable import DrydockLanguageServer

@Suite struct DiagnosticTests {
    private static let first = "CREATE TABLE email (id INTEGER PRIMARY KEY, sender TEXT, subject TEXT);\n"

    @Test func aFindingIsShownWhereItIs() async throws {
        let client = try Client(["v1_email.sql": Self.first])
        try await client.start()
        try await client.open("v1_email.sql")
        #expect(await client.diagnostics("v1_email.sql") == [])
        // A new file, which is not on the disk.
        try await client.open("v2_state.sql", "ALTER TABLE email ADD COLUMN state TEXT NOT NULL;\n")
        let found = try #require(await client.diagnostics("v2_state.sql"))
        #expect(found.map { $0["code"] } == ["add-column-fails"])
        #expect(found[0]["range"] == .range(0, 40, 43))
        #expect(found[0]["severity"] == 1)
        #expect(found[0]["source"] == "drydock")
        #expect(found[0]["message"]?.string?.contains("DEFAULT ''") == true)
        let related = try #require(found[0]["relatedInformation"]?.array?.first)
        #expect(related["location"]?["uri"]?.string == client.uri("v1_email.sql"))
        #expect(related["location"]?["range"] == .range(0, 13, 18))
    }

    @Test func aFindingOfATablesOwnStatementIsRelatedToNoOther() async throws {
        let client = try Client(["v1_email.sql": Self.first])
        try await client.start()
        try await client.open(
            "v2_tag.sql",
            "CREATE TABLE tag (id INTEGER PRIMARY KEY, email_id INTEGER REFERENCES email(id));\n")
        let found = try #require(await client.diagnostics("v2_tag.sql"))
        #expect(found.map { $0["code"] } == ["foreign-key-without-index"])
        #expect(found.first?["relatedInformation"] == nil)
    }

    /// A file that several tools may run is linted as each of them would.
    @Test func eachWayOfRunningAFileIsShown() async throws {
        let client = try Client([
            "0001_a.sql": """
            CREATE TABLE a (id INTEGER PRIMARY KEY, name TEXT);
            CREATE TABLE b (id INTEGER PRIMARY KEY, a_id INTEGER NOT NULL REFERENCES a(id) ON DELETE CASCADE);
            CREATE INDEX b_a ON b (a_id);

            """
        ])
        try await client.start()
        try await client.open(
            "0002_b.sql", "CREATE TABLE c (id INTEGER PRIMARY KEY, name TEXT);\nDROP TABLE a;\n")
        let found = try #require(await client.diagnostics("0002_b.sql"))
        let cascade = try #require(found.first { $0["code"] == "drop-parent-cascades" })
        #expect(cascade["range"]?["start"]?["line"] == 1)
        #expect(cascade["message"]?.string?.hasPrefix("as sqlx or d1 runs them (foreign keys on): ") == true)
        #expect(found.contains { $0["code"] == "destructive-undeclared" })
    }

    @Test func theTextAsTypedCounts() async throws {
        let client = try Client([
            "v1_email.sql": Self.first, "v2_state.sql": "ALTER TABLE email ADD COLUMN state TEXT;\n",
        ])
        try await client.start()
        try await client.open("v2_state.sql")
        #expect(await client.diagnostics("v2_state.sql") == [])
        await client.change("v2_state.sql", version: 2, [["range": .range(0, 39, 39), "text": " NOT NULL"]])
        #expect(await client.diagnostics("v2_state.sql").codes == ["add-column-fails"])
        await client.change(
            "v2_state.sql", version: 3,
            [
                ["range": .range(0, 0, 0), "text": "-- 😀\r\n/* 😀é */ "],
                ["range": .range(1, 57, 57), "text": " DEFAULT ''"],
                ["range": .range(1, 57, 68), "text": ""],
            ])
        let found = try #require(await client.diagnostics("v2_state.sql"))
        #expect(found.map { $0["range"] } == [.range(1, 50, 53)])
        await client.change(
            "v2_state.sql", version: 4, [["text": "ALTER TABLE email ADD COLUMN state TEXT;"]])
        #expect(await client.diagnostics("v2_state.sql") == [])
        let last = client.messages.last { $0["method"] == "textDocument/publishDiagnostics" }
        #expect(last?["params"]?["version"] == 4)
    }

    @Test func utf8PositionsAreThoseOfBytes() async throws {
        let client = try Client(["v1_email.sql": Self.first])
        try await client.start(["general": ["positionEncodings": ["utf-8", "utf-16"]]])
        try await client.open("v2_a.sql", "/* 😀 */ ALTER TABLE email ADD COLUMN state TEXT NOT NULL;")
        #expect(await client.diagnostics("v2_a.sql")?.first?["range"] == .range(0, 51, 54))
    }

    @Test(arguments: ["\u{FEFF}", ""]) func aByteOrderMarkIsACharacter(_ mark: String) async throws {
        let client = try Client(["v1_email.sql": Self.first])
        try await client.start()
        try await client.open(
            "v2_a.sql", mark + "ALTER TABLE email ADD COLUMN state TEXT NOT NULL;\r\nSELECT 1;")
        let start = 40 + mark.utf16.count
        #expect(await client.diagnostics("v2_a.sql")?.first?["range"] == .range(0, start, start + 3))
    }

    @Test func aChangeIsSeenInLaterFiles() async throws {
        let client = try Client([
            "v1_email.sql": Self.first, "v2_index.sql": "CREATE INDEX email_sender ON email(sender);\n",
        ])
        try await client.start()
        try await client.open("v1_email.sql")
        try await client.open("v2_index.sql")
        #expect(await client.diagnostics("v2_index.sql") == [])
        await client.change("v1_email.sql", version: 2, [["range": .range(0, 44, 50), "text": "author"]])
        #expect(await client.diagnostics("v1_email.sql") == [])
        let found = try #require(await client.diagnostics("v2_index.sql"))
        #expect(found.map { $0["code"] } == ["migration-failed"])
        await client.notify(
            "textDocument/didClose", ["textDocument": ["uri": .string(client.uri("v1_email.sql"))]])
        // The file on the disk counts again.
        #expect(await client.diagnostics("v2_index.sql") == [])
        #expect(await client.diagnostics("v1_email.sql") == [])
    }

    @Test(arguments: [
        "CREATE TABLE", "CREATE TABLE email (", "SELECT 'x", "SELECT \"x", "/* x", "ALTER TABLE email ADD",
        "x'", ";;;",
        "CREATE TRIGGER t AFTER INSERT ON email BEGIN SELECT 1;", "-- drydock: drops", "\u{0}",
        "é😀",
        "DROP TABLE nothing; CREATE TABLE b (id", "BEGIN; COMMIT", "",
    ])
    func whatDoesNotParseIsShown(_ text: String) async throws {
        let client = try Client(["v1_email.sql": Self.first, "v3_later.sql": "SELECT 1 FROM email;\n"])
        try await client.start()
        try await client.open("v2_typed.sql", text)
        try await client.open("v3_later.sql")
        let found = try #require(await client.diagnostics("v2_typed.sql"))
        #expect(!found.isEmpty, "\(text)")
        #expect(await client.diagnostics("v3_later.sql") != nil)
        await client.change("v2_typed.sql", version: 2, [["text": "SELECT 1;"]])
        #expect(await client.diagnostics("v2_typed.sql") == [])
        #expect(await client.diagnostics("v3_later.sql") == [])
    }

    @Test func whatIsBehindAFailureIsNotClean() async throws {
        let client = try Client(["v1_email.sql": "CREATE TABLE email (", "v2_later.sql": "SELECT 1;\n"])
        try await client.start()
        try await client.open("v2_later.sql")
        let found = try #require(await client.diagnostics("v2_later.sql"))
        #expect(found.map { $0["code"] } == ["nothing-verified"])
        #expect(found[0]["severity"] == 3)
    }

    @Test func otherFilesHaveNoDiagnostics() async throws {
        let client = try Client(["v1_email.sql": Self.first])
        try await client.start()
        try await client.open("notes.txt", "DROP TABLE email;")
        #expect(await client.diagnostics("notes.txt") ?? [] == [])
        await client.notify(
            "textDocument/didOpen",
            [
                "textDocument": [
                    "uri": "untitled:Untitled-1", "languageId": "sql", "version": 1, "text": "DROP",
                ]
            ])
        await client.notify(
            "textDocument/didOpen",
            [
                "textDocument": [
                    "uri": .string(DocumentURI.uri(client.folder + "/query.sql")), "version": 1,
                    "text": "DROP",
                ]
            ])
        await client.server.settle()
        #expect(
            !client.messages.contains {
                $0["method"] == "textDocument/publishDiagnostics"
                    && $0["params"]?["diagnostics"]?.array?.isEmpty == false
            })
    }

    @Test func releasedMigrationsAreNotLinted() async throws {
        let client = try Client(["v1_email.sql": Self.first, "v2_drop.sql": "DROP TABLE email;\n"]) {
            $0.locked = ["v1_email", "v2_drop"]
        }
        try await client.start()
        try await client.open("v2_drop.sql")
        #expect(await client.diagnostics("v2_drop.sql") == [])
    }

    /// Whatever the order of edits, what is kept between them changes nothing.
    @Test func keptStatesGiveTheFindingsOfAFreshRun() async throws {
        let files = TestFolders.many(120)
        let client = try Client(files)
        try await client.start()
        let texts = [
            "DROP TABLE t5;", "ALTER TABLE t7 RENAME TO u7;", "CREATE TABLE t9 (id);",
            "SELECT * FROM t8 WHERE nothing;",
            "CREATE TEMP TABLE x (id); INSERT INTO x SELECT id FROM t3;", "PRAGMA legacy_alter_table = ON;",
            "ALTER TABLE t9 ADD COLUMN z TEXT NOT NULL;", "CREATE TABLE", "ATTACH ':memory:' AS other;",
            "-- drydock: drops table t4\nDROP TABLE t4;",
        ]
        let names = ["v101_step.sql", "v33_step.sql", "v120_step.sql", "v64_step.sql"]
        for name in names { try await client.open(name) }
        var edited: [String: [UInt8]] = [:]
        var request = LintRequest()
        request.migrations.folder = client.folder + "/Migrations"
        for (number, text) in texts.enumerated() {
            let name = names[number % names.count]
            await client.change(name, version: number + 2, [["text": .string(text)]])
            edited["\(client.folder)/Migrations/\(name)"] = Array(text.utf8)
            await client.server.settle()
            let fresh = try await Linter(engine: GRDBDriver()).run(request, edited: edited).report.findings
            for name in names {
                let expected = fresh.filter { $0.place?.file.hasSuffix("/" + name) == true }
                let shown = await client.diagnostics(name).codes.filter { $0 != "nothing-verified" }
                #expect(shown == expected.map(\.rule.rawValue), "\(text) in \(name)")
            }
        }
    }

    @Test func sevenHundredMigrationsFinish() async throws {
        let client = try Client(TestFolders.many(700))
        try await client.start()
        try await client.open("v701_new.sql", "ALTER TABLE t5 ADD COLUMN last TEXT;\n")
        #expect(await client.diagnostics("v701_new.sql") == [])
        var times: [Duration] = []
        for version in 2..<12 {
            let start = ContinuousClock.now
            await client.change("v701_new.sql", version: version, [["range": .range(0, 0, 0), "text": " "]])
            #expect(await client.diagnostics("v701_new.sql") == [])
            times.append(ContinuousClock.now - start)
        }
        times.sort()
        print("700 migrations: \(times[5]) after a change, at most \(times[9])")
        await client.change("v701_new.sql", version: 20, [["text": "DROP TABLE t5;"]])
        #expect(await client.diagnostics("v701_new.sql").codes == ["destructive-undeclared"])
    }

    @Test func manyChangesAtOnceEndWithTheLast() async throws {
        let client = try Client(TestFolders.many(150), pause: .milliseconds(5))
        try await client.start()
        try await client.open("v150_step.sql")
        for version in 2..<60 {
            let text = version % 2 == 0 ? "DROP TABLE t5;" : "SELECT 1;"
            await client.change("v150_step.sql", version: version, [["text": .string(text)]])
        }
        #expect(await client.diagnostics("v150_step.sql") == [])
        let versions = client.messages.compactMap { $0["params"]?["version"]?.int }
        #expect(versions == versions.sorted())
    }
}
