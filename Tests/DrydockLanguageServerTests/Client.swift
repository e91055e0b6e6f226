import Drydock
import Foundation
import GRDBEngine
import Synchronization
import Testing

@testable import DrydockLanguageServer

/// A client in the test's own process, and a project in a folder of its own.
final class Client: Sendable {
    let folder: String
    let server: LanguageServer
    private let received: Received
    private let next = Mutex(0)

    /// What the server has sent.
    final class Received: Sendable {
        let messages = Mutex<[JSONValue]>([])
    }

    /// Finds the folder `Migrations` of the test's project.
    private struct Finder: ProjectFinder {
        let folder: String
        let change: @Sendable (inout LintRequest) throws -> Void

        func project(ofFolder: String, workspaces: [String]) throws -> LintProject? {
            var request = LintRequest()
            request.migrations.folder = folder + "/Migrations"
            try change(&request)
            return LintProject(request: request, engine: GRDBDriver(), timeLimit: nil)
        }
    }

    /// - Parameter files: texts by their names in the migration folder.
    init(
        _ files: [String: String] = [:], pause: Duration = .zero,
        change: @escaping @Sendable (inout LintRequest) throws -> Void = { _ in }
    ) throws {
        folder = FolderListing.realPath(NSTemporaryDirectory()) + "/lsp-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: folder + "/Migrations", withIntermediateDirectories: true)
        for (name, text) in files {
            try Data(text.utf8).write(to: URL(fileURLWithPath: "\(folder)/Migrations/\(name)"))
        }
        let received = Received()
        self.received = received
        server = LanguageServer(
            finder: Finder(folder: folder, change: change), version: "test", pause: pause
        ) { message in received.messages.withLock { $0.append(message) } }
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    func uri(_ name: String) -> String { DocumentURI.uri("\(folder)/Migrations/\(name)") }

    @discardableResult
    func send(_ message: JSONValue) async -> Int32? { await server.receive(.content(message.bytes)) }

    func notify(_ method: String, _ params: JSONValue = .null) async {
        await send(["jsonrpc": "2.0", "method": .string(method), "params": params])
    }

    /// Sends a request without waiting for its reply.
    func ask(_ method: String, _ params: JSONValue = .null) async -> Int {
        let id = next.withLock { number in
            number += 1
            return number
        }
        await send(["jsonrpc": "2.0", "id": .int(id), "method": .string(method), "params": params])
        return id
    }

    /// Sends a request, and returns its reply.
    func request(_ method: String, _ params: JSONValue = .null) async throws -> JSONValue {
        try await reply(to: await ask(method, params))
    }

    func reply(to id: Int) async throws -> JSONValue {
        for _ in 0..<6000 {
            if let reply = messages.first(where: { $0["id"]?.int == id }) { return reply }
            try await Task.sleep(for: .milliseconds(10))
        }
        throw CocoaError(.coderValueNotFound)
    }

    var messages: [JSONValue] { received.messages.withLock { $0 } }

    func start(_ capabilities: JSONValue = [:]) async throws {
        let reply = try await request(
            "initialize",
            ["processId": nil, "rootUri": .string(DocumentURI.uri(folder)), "capabilities": capabilities])
        #expect(reply["result"]?["serverInfo"]?["name"] == "drydock")
        await notify("initialized", [:])
    }

    /// Opens a file with a text, or as it is on the disk.
    func open(_ name: String, _ text: String? = nil) async throws {
        let text = try text ?? String(contentsOfFile: "\(folder)/Migrations/\(name)", encoding: .utf8)
        await notify(
            "textDocument/didOpen",
            [
                "textDocument": [
                    "uri": .string(uri(name)), "languageId": "sql", "version": 1, "text": .string(text),
                ]
            ])
    }

    func change(_ name: String, version: Int, _ changes: [JSONValue]) async {
        await notify(
            "textDocument/didChange",
            [
                "textDocument": ["uri": .string(uri(name)), "version": .int(version)],
                "contentChanges": .array(changes),
            ])
    }

    /// Waits for the server, and returns the last diagnostics of a file; nil if none were ever sent.
    func diagnostics(_ name: String) async -> [JSONValue]? {
        await server.settle()
        return messages.last {
            $0["method"] == "textDocument/publishDiagnostics" && $0["params"]?["uri"]?.string == uri(name)
        }?["params"]?["diagnostics"]?.array
    }

    func place(_ name: String, _ line: Int, _ character: Int) -> JSONValue {
        [
            "textDocument": ["uri": .string(uri(name))],
            "position": ["line": .int(line), "character": .int(character)],
        ]
    }
}

extension JSONValue {
    static func range(_ line: Int, _ start: Int, _ end: Int) -> JSONValue { .range(line, start, line, end) }

    static func range(_ line: Int, _ start: Int, _ endLine: Int, _ end: Int) -> JSONValue {
        [
            "start": ["line": .int(line), "character": .int(start)],
            "end": ["line": .int(endLine), "character": .int(end)],
        ]
    }
}

extension [JSONValue]? {
    /// The codes of diagnostics.
    var codes: [String] { (self ?? []).compactMap { $0["code"]?.string } }
}
