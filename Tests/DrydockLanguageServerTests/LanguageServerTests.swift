import Testing

@testable import DrydockLanguageServer

/// The life of a server, and a client that does not keep to the rules.
@Suite struct LanguageServerTests {
    private func code(_ reply: JSONValue?) -> Int? { reply?["error"]?["code"]?.int }

    @Test func itEndsAsItWasAskedTo() async throws {
        let client = try Client()
        try await client.start()
        #expect(try await client.request("shutdown")["result"] == .null)
        #expect(code(try await client.request("textDocument/hover")) == -32600)
        #expect(await client.send(["jsonrpc": "2.0", "method": "exit"]) == 0)
        let other = try Client()
        try await other.start()
        #expect(await other.send(["jsonrpc": "2.0", "method": "exit"]) == 1)
    }

    @Test func nothingComesBeforeInitialize() async throws {
        let client = try Client()
        #expect(code(try await client.request("textDocument/hover", [:])) == -32002)
        await client.notify("textDocument/didOpen", ["textDocument": ["uri": "file:///x.sql", "text": ""]])
        #expect(await client.server.documents.isEmpty)
        try await client.start()
        #expect(code(try await client.request("initialize", [:])) == -32600)
    }

    @Test func theEncodingIsUTF16UnlessTheClientOffersUTF8() async throws {
        for (offered, taken) in [([], "utf-16"), (["utf-16"], "utf-16"), (["utf-32", "utf-8"], "utf-8")] {
            let client = try Client()
            let encodings = JSONValue.array(offered.map { .string($0) })
            let reply = try await client.request(
                "initialize", ["capabilities": ["general": ["positionEncodings": encodings]]])
            #expect(reply["result"]?["capabilities"]?["positionEncoding"]?.string == taken)
        }
    }

    /// A client that cannot register would take the request for an error.
    @Test func onlyAClientThatCanRegisterIsAskedToWatchFiles() async throws {
        for (isAble, count) in [(true, 1), (false, 0)] {
            let client = try Client()
            try await client.start([
                "workspace": ["didChangeWatchedFiles": ["dynamicRegistration": .bool(isAble)]]
            ])
            await client.server.settle()
            #expect(client.messages.count { $0["method"] == "client/registerCapability" } == count)
        }
    }

    @Test func unknownMethodsHaveAnError() async throws {
        let client = try Client()
        try await client.start()
        #expect(code(try await client.request("workspace/nothing", [:])) == -32601)
        #expect(code(try await client.request("$/nothing", [:])) == -32601)
        await client.notify("nothing")
        #expect(code(try await client.request("textDocument/hover", ["position": 1])) == -32602)
        #expect(code(try await client.request("textDocument/hover", .array([]))) == -32602)
        #expect(code(try await client.request("textDocument/codeAction", .null)) == -32602)
        let unknown = client.place("unknown.sql", 0, 0)
        #expect(code(try await client.request("textDocument/definition", unknown)) == -32602)
    }

    @Test(arguments: [
        ("", -32700), ("{", -32700), ("\u{1}", -32700), ("[]", -32600), ("1", -32600), ("{}", -32600),
        (#"{"jsonrpc":"1.0","id":1,"method":"x"}"#, -32600), (#"{"jsonrpc":"2.0","id":1}"#, -32600),
        (#"{"jsonrpc":"2.0","id":1,"method":1}"#, -32600),
        (#"{"jsonrpc":"2.0","id":{},"method":"x"}"#, -32600),
        (#"{"jsonrpc":"2.0","id":1,"method":"x","params":1}"#, -32600),
    ])
    func nonsenseGetsAnError(_ text: String, _ expected: Int) async throws {
        let client = try Client()
        try await client.start()
        #expect(await client.server.receive(.content(Array(text.utf8))) == nil)
        #expect(code(client.messages.last) == expected)
        #expect(try await client.request("shutdown")["result"] == .null)
    }

    /// Any byte of a conversation may be another one.
    @Test func damagedConversationsDoNotCrash() async throws {
        let client = try Client(["v1_a.sql": "CREATE TABLE a (id INTEGER PRIMARY KEY);\n"])
        try await client.start()
        let text =
            #"{"jsonrpc":"2.0","id":7,"method":"textDocument/didChange","params":{"textDocument":{"uri":"\#(client.uri("v1_a.sql"))","version":2},"contentChanges":[{"range":{"start":{"line":0,"character":3},"end":{"line":0,"character":5}},"text":"x"}]}}"#
        try await client.open("v1_a.sql")
        for index in text.utf8.indices {
            var bytes = Array(text.utf8)
            let place = text.utf8.distance(from: text.startIndex, to: index)
            bytes[place] = [0x00, 0x22, 0x7B, 0x2D, 0x39, 0xFF][place % 6]
            _ = await client.server.receive(.content(bytes))
        }
        #expect(try await client.request("shutdown")["result"] == .null)
    }

    @Test(arguments: [-1, 0, 5, 1 << 40, Int.max])
    func positionsMayBeAnywhere(_ number: Int) async throws {
        let client = try Client(["v1_a.sql": "CREATE TABLE a (id INTEGER PRIMARY KEY);\n"])
        try await client.start()
        try await client.open("v1_a.sql")
        for method in ["hover", "definition"] {
            let reply = try await client.request(
                "textDocument/" + method, client.place("v1_a.sql", number, number))
            #expect(reply["result"] != nil || code(reply) == -32602)
        }
        await client.change("v1_a.sql", version: 2, [["range": .range(number, number, 0), "text": "--"]])
        #expect(await client.diagnostics("v1_a.sql") != nil)
    }

    @Test func aCancelledRequestIsAnsweredWithThat() async throws {
        let client = try Client(TestFolders.many(200))
        try await client.start()
        try await client.open("v200_step.sql")
        let id = await client.ask("textDocument/hover", client.place("v200_step.sql", 0, 13))
        await client.notify("$/cancelRequest", ["id": .int(id)])
        #expect(code(try await client.reply(to: id)) == -32800)
        await client.notify("$/cancelRequest", ["id": 99])
        await client.notify("$/cancelRequest", .null)
        #expect(try await client.request("shutdown")["result"] == .null)
    }

    @Test func theLoopEndsWithItsInput() async throws {
        let client = try Client()
        let input = AsyncStream<[UInt8]> { continuation in
            continuation.yield(Array("Content-Length: 5\r\n\r\nnons".utf8))
            continuation.finish()
        }
        #expect(await ServerLoop.run(client.server, input) == 1)
    }
}

enum TestFolders {
    /// Returns a project of many migrations, by name.
    static func many(_ count: Int) -> [String: String] {
        (1...count).reduce(into: [:]) { files, number in
            let table = number % 100
            files["v\(number)_step.sql"] =
                if number <= 100 {
                    "CREATE TABLE t\(table) (id INTEGER PRIMARY KEY, name TEXT NOT NULL, size INTEGER);\nCREATE INDEX t\(table)_name ON t\(table)(name);\n"
                } else if number % 7 == 0 {
                    "CREATE VIEW v\(number) AS SELECT id, name FROM t\(table);\n"
                } else {
                    "ALTER TABLE t\(table) ADD COLUMN c\(number) TEXT;\n"
                }
        }
    }
}
