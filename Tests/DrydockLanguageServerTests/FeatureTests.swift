import Testing

@testable import DrydockLanguageServer

/// What an editor asks about a place: hover, definition, code actions.
@Suite struct FeatureTests {
    private static let files = [
        "v1_email.sql":
            "CREATE TABLE email (\n  id INTEGER PRIMARY KEY,\n  sender TEXT NOT NULL DEFAULT (lower('A, B')),\n  subject TEXT\n);\nCREATE INDEX email_sender ON email(sender);\n",
        "v2_state.sql": "ALTER TABLE email ADD COLUMN state TEXT;\n",
        "v3_view.sql": "CREATE VIEW inbox AS SELECT e.sender, e.state FROM email AS e;\n",
    ]

    private func hover(_ client: Client, _ name: String, _ line: Int, _ character: Int) async throws -> String
    {
        let reply = try await client.request("textDocument/hover", client.place(name, line, character))
        return reply["result"]?["contents"]?["value"]?.string ?? ""
    }

    @Test func aTableIsShownAsItIsBeforeTheStatement() async throws {
        let client = try Client(Self.files)
        try await client.start()
        try await client.open("v2_state.sql")
        try await client.open("v3_view.sql")
        let before = try await hover(client, "v2_state.sql", 0, 13)
        #expect(before.contains("subject TEXT\n)") && !before.contains("state TEXT"))
        #expect(before.contains("CREATE INDEX email_sender"))
        #expect(before.hasPrefix("```sql\nCREATE TABLE email"))
        #expect(before.hasSuffix("Before line 1 of `v2_state`"))
        #expect(try await hover(client, "v3_view.sql", 0, 51).contains("state TEXT"))
        // What a statement creates is shown as it is afterwards.
        #expect(try await hover(client, "v3_view.sql", 0, 13).contains("CREATE VIEW inbox"))
        #expect(try await hover(client, "v3_view.sql", 0, 1).isEmpty)
    }

    @Test func anIndexIsNotShownBeforeItsStatement() async throws {
        let client = try Client(Self.files)
        try await client.start()
        try await client.open("v4_index.sql", "CREATE INDEX email_subject ON email(subject);")
        let table = try await hover(client, "v4_index.sql", 0, 31)
        #expect(table.contains("CREATE INDEX email_sender") && !table.contains("email_subject"), "\(table)")
    }

    @Test func aNameOfATableAndItsColumnIsTheColumnOnlyInParentheses() async throws {
        let client = try Client(Self.files)
        try await client.start()
        try await client.open(
            "v4_tag.sql",
            "CREATE TABLE tag (tag TEXT);\nDELETE FROM tag;\nINSERT INTO tag (tag) VALUES ('x');")
        #expect(try await hover(client, "v4_tag.sql", 1, 13).contains("CREATE TABLE tag"))
        #expect(try await hover(client, "v4_tag.sql", 2, 18).contains("of table `tag`"))
    }

    @Test func aColumnIsShownWithItsDefinition() async throws {
        let client = try Client(Self.files)
        try await client.start()
        try await client.open("v3_view.sql")
        let sender = try await hover(client, "v3_view.sql", 0, 32)
        #expect(sender.contains("sender TEXT NOT NULL DEFAULT (lower('A, B'))\n```"))
        #expect(sender.contains("of table `email`"))
        #expect(try await hover(client, "v3_view.sql", 0, 40).contains("state TEXT"))
        // An alias stands for its table.
        #expect(try await hover(client, "v3_view.sql", 0, 28).contains("CREATE TABLE email"))
    }

    @Test func earlierStatementsOfTheFileCount() async throws {
        let client = try Client(Self.files)
        try await client.start()
        let text =
            "CREATE TABLE \"a b\" (x);\nALTER TABLE \"a b\" ADD COLUMN y;\nALTER TABLE \"a b\" RENAME TO c;\nCREATE TEMP TABLE t (z);\nINSERT INTO c(x, y) SELECT z, 1 FROM t;\nDROP TABLE;\nDELETE FROM c;"
        try await client.open("v4_more.sql", text)
        #expect(try await hover(client, "v4_more.sql", 1, 15).contains("CREATE TABLE \"a b\" (x)"))
        #expect(try await hover(client, "v4_more.sql", 2, 15).contains("(x, y)"))
        #expect(try await hover(client, "v4_more.sql", 4, 12).contains("CREATE TABLE \"c\" (x, y)"))
        #expect(try await hover(client, "v4_more.sql", 4, 37).contains("t (z)"))
        // A statement that is refused is passed over.
        #expect(try await hover(client, "v4_more.sql", 6, 12).contains("CREATE TABLE \"c\""))
    }

    @Test func aNameLeadsToItsStatement() async throws {
        let client = try Client(Self.files)
        try await client.start()
        try await client.open("v3_view.sql")
        func definition(_ character: Int) async throws -> JSONValue? {
            let reply = try await client.request(
                "textDocument/definition", client.place("v3_view.sql", 0, character))
            return reply["result"]?.array?.first
        }
        let table = try await definition(52)
        #expect(table?["uri"]?.string == client.uri("v1_email.sql"))
        #expect(table?["range"] == .range(0, 13, 18))
        let column = try await definition(40)
        #expect(column?["uri"]?.string == client.uri("v2_state.sql"))
        #expect(column?["range"] == .range(0, 29, 34))
        #expect(try await definition(30)?["range"] == .range(2, 2, 8))
        #expect(try await definition(13)?["uri"]?.string == client.uri("v3_view.sql"))
        #expect(try await definition(1) == nil)
    }

    private func actions(
        _ client: Client, _ name: String, _ range: JSONValue, only: [JSONValue]? = nil
    ) async throws -> [JSONValue] {
        var context: [String: JSONValue] = ["diagnostics": []]
        if let only { context["only"] = .array(only) }
        let reply = try await client.request(
            "textDocument/codeAction",
            ["textDocument": ["uri": .string(client.uri(name))], "range": range, "context": .object(context)])
        return try #require(reply["result"]?.array, "\(reply)")
    }

    /// Makes the edits of an action in a text.
    private func applying(_ action: JSONValue, to text: String, _ uri: String) throws -> String {
        let edits = try #require(
            action["edit"]?["changes"]?[uri]?.array
                ?? action["edit"]?["documentChanges"]?.array?.first?["edits"]?.array)
        var document = TextDocument(text)
        let ranges = try edits.map {
            (try #require(TextRange($0["range"])), try #require($0["newText"]?.string))
        }
        for (range, text) in ranges.sorted(by: { $0.0.start > $1.0.start }) {
            document.replace(range, with: text, .utf16)
        }
        return document.text
    }

    @Test(arguments: [
        "DROP TABLE email;\n", "SELECT 1; DROP TABLE email;", "-- 😀\r\n\tDROP TABLE email;\r\n",
        "\u{FEFF}DROP TABLE email;",
        "SELECT 1;\n\n  DROP TABLE email",
    ])
    func declarationsGoAboveTheStatement(_ text: String) async throws {
        let client = try Client(Self.files.filter { $0.key != "v3_view.sql" })
        try await client.start()
        try await client.open("v4_drop.sql", text)
        let found = try #require(await client.diagnostics("v4_drop.sql")?.first)
        #expect(found["code"] == "destructive-undeclared")
        let all = try await actions(client, "v4_drop.sql", try #require(found["range"]))
        #expect(
            all.map { $0["title"] } == [
                "Declare it: drops table email", "Ignore destructive-undeclared here",
            ])
        for (number, action) in all.enumerated() {
            let fixed = try applying(action, to: text, client.uri("v4_drop.sql"))
            await client.change("v4_drop.sql", version: number + 2, [["text": .string(fixed)]])
            #expect(await client.diagnostics("v4_drop.sql") == [], "\(fixed)")
            await client.change("v4_drop.sql", version: number + 2, [["text": .string(text)]])
        }
        #expect(try await actions(client, "v4_drop.sql", .range(0, 0, 0), only: ["refactor"]).isEmpty)
        #expect(
            try await !actions(client, "v4_drop.sql", try #require(found["range"]), only: ["quickfix"])
                .isEmpty)
    }

    @Test func aCertainRewriteIsAFix() async throws {
        let client = try Client(Self.files) { $0.migrations.format = "user-version" }
        try await client.start(["workspace": ["workspaceEdit": ["documentChanges": true]]])
        let text = "/* 😀 */ UPDATE email SET sender = \"nobody\" WHERE id = 1;\r\n"
        try await client.open("v4_text.sql", text)
        let found = await client.diagnostics("v4_text.sql") ?? []
        let range = try #require(found.first { $0["code"] == "double-quoted-string" }?["range"])
        let fix = try #require(
            try await actions(client, "v4_text.sql", range).first { $0["isPreferred"] == true })
        #expect(fix["edit"]?["documentChanges"]?.array?.first?["textDocument"]?["version"] == 1)
        let fixed = try applying(fix, to: text, client.uri("v4_text.sql"))
        #expect(fixed == "/* 😀 */ UPDATE email SET sender = 'nobody' WHERE id = 1;\r\n")
        await client.change("v4_text.sql", version: 2, [["text": .string(fixed)]])
        #expect(await !client.diagnostics("v4_text.sql").codes.contains("double-quoted-string"))
    }
}
