import Drydock
import Foundation

/// A language server (https://microsoft.github.io/language-server-protocol/specifications/lsp/3.17/specification/) that
/// lints migrations as they are typed.
///
/// It is a function from frames to frames: whoever owns it reads and writes the bytes.
package actor LanguageServer {
    enum Phase { case new, running, shutDown }

    let finder: any ProjectFinder
    let version: String
    let send: @Sendable (JSONValue) -> Void
    /// How long it waits after a change whether another one follows.
    let pause: Duration

    var phase = Phase.new
    var encoding = PositionEncoding.utf16
    var client = ClientAbilities()
    var workspaces: [String] = []
    var documents: [String: OpenDocument] = [:]
    var projects: [String: OpenProject] = [:]
    /// Files beside the open ones, such as drydock.yml, for which a fault of the settings is shown.
    var faultyFiles: Set<String> = []
    /// Requests that are being answered.
    var running: [RequestID: Task<Void, Never>] = [:]
    private var lastRequest = 0

    /// - Parameters:
    ///   - send: takes messages, one after another.
    package init(
        finder: any ProjectFinder, version: String, pause: Duration = .milliseconds(10),
        send: @escaping @Sendable (JSONValue) -> Void
    ) {
        (self.finder, self.version, self.pause, self.send) = (finder, version, pause, send)
    }

    /// Takes what the client has sent.
    /// - Returns: the exit status, when the client asks the server to end.
    package func receive(_ frame: MessageFramer.Frame) async -> Int32? {
        switch frame {
        case .fault(let reason):
            send(RPCError(.parseError, reason).reply(to: nil))
        case .content(let bytes):
            do {
                switch try RPCMessage(bytes) {
                case .response: break
                case .notification("exit", _): return end()
                case .notification(let method, let params): notice(method, params)
                case .request(let id, let method, let params): request(id, method, params)
                }
            } catch {
                send(error.reply(to: nil))
            }
        }
        return nil
    }

    /// Stops what is running.
    /// - Returns: the exit status: 0 if the client had announced the end.
    package func end() -> Int32 {
        for project in projects.values {
            project.task?.cancel()
            project.stop.set()
        }
        for task in running.values { task.cancel() }
        return phase == .shutDown ? 0 : 1
    }

    /// Waits until nothing is running; for tests.
    package func settle() async {
        while let task = running.values.first
            ?? projects.values.first(where: { $0.result?.generation != $0.generation })?.task
        {
            await task.value
            await Task.yield()
        }
    }

    // MARK: - Messages

    func notify(_ method: String, _ params: JSONValue) {
        send(["jsonrpc": "2.0", "method": .string(method), "params": params])
    }

    /// Asks the client for something whose result does not matter.
    private func ask(_ method: String, _ params: JSONValue) {
        lastRequest += 1
        send([
            "jsonrpc": "2.0", "id": .string("drydock-\(lastRequest)"), "method": .string(method),
            "params": params,
        ])
    }

    private func reply(_ id: RequestID, _ result: JSONValue) {
        send(["jsonrpc": "2.0", "id": id.json, "result": result])
    }

    private func notice(_ method: String, _ params: JSONValue) {
        guard phase == .running else { return }
        switch method {
        case "initialized": watchFiles()
        case "textDocument/didOpen": open(params)
        case "textDocument/didChange": change(params)
        case "textDocument/didClose": close(params)
        case "textDocument/didSave": save(params)
        case "workspace/didChangeWatchedFiles": filesChanged(params)
        case "workspace/didChangeWorkspaceFolders": foldersChanged(params)
        case "$/cancelRequest": if let id = RequestID(params["id"]) { running[id]?.cancel() }
        default: break
        }
    }

    private func request(_ id: RequestID, _ method: String, _ params: JSONValue) {
        do {
            switch (phase, method) {
            case (.new, "initialize"): reply(id, try initialize(params))
            case (.new, _): throw RPCError(.serverNotInitialized, "'initialize' comes first")
            case (.shutDown, _): throw RPCError(.invalidRequest, "the server was shut down")
            case (.running, "initialize"):
                throw RPCError(.invalidRequest, "'initialize' was already received")
            case (.running, "shutdown"):
                phase = .shutDown
                reply(id, .null)
            case (.running, _): try answerLater(id, method, params)
            }
        } catch {
            send((error as? RPCError ?? RPCError(.internalError, "\(error)")).reply(to: id))
        }
    }

    private func initialize(_ params: JSONValue) throws -> JSONValue {
        guard case .object = params else {
            throw RPCError(.invalidParams, "the parameters of 'initialize' are not an object")
        }
        phase = .running
        client = ClientAbilities(params["capabilities"] ?? .null)
        if client.encodings.contains(PositionEncoding.utf8.rawValue) { encoding = .utf8 }
        let folders = params["workspaceFolders"]?.array?.compactMap { $0["uri"]?.string }
        workspaces =
            (folders ?? [params["rootUri"]?.string].compactMap(\.self)).compactMap(DocumentURI.path)
        if workspaces.isEmpty, let path = params["rootPath"]?.string, path.hasPrefix("/") {
            workspaces = [DocumentURI.standardized(path)]
        }
        return [
            "capabilities": [
                "positionEncoding": .string(encoding.rawValue),
                "textDocumentSync": [
                    "openClose": true, "change": 2, "save": ["includeText": false],
                ],
                "hoverProvider": true, "definitionProvider": true,
                "codeActionProvider": ["codeActionKinds": ["quickfix"]],
                "workspace": [
                    "workspaceFolders": ["supported": true, "changeNotifications": true]
                ],
            ],
            "serverInfo": ["name": "drydock", "version": .string(version)],
        ]
    }

    /// Asks the editor to report changes of files that are not open.
    private func watchFiles() {
        guard client.registersWatchers else { return }
        let patterns = ["**/drydock.yml", "**/drydock.lock", "**/*.sql"]
        ask(
            "client/registerCapability",
            [
                "registrations": [
                    [
                        "id": "files", "method": "workspace/didChangeWatchedFiles",
                        "registerOptions": [
                            "watchers": .array(patterns.map { ["globPattern": .string($0)] })
                        ],
                    ]
                ]
            ])
    }

    // MARK: - Requests that take a while

    private func answerLater(_ id: RequestID, _ method: String, _ params: JSONValue) throws {
        let work: @Sendable (isolated LanguageServer) async throws -> JSONValue
        switch method {
        case "textDocument/hover":
            let place = try self.place(params)
            work = { try await $0.hover(at: place) }
        case "textDocument/definition":
            let place = try self.place(params)
            work = { try await $0.definition(at: place) }
        case "textDocument/codeAction":
            guard let uri = params["textDocument"]?["uri"]?.string, let range = TextRange(params["range"])
            else { throw RPCError(.invalidParams, "a document and a range are expected") }
            let kinds = params["context"]?["only"]?.array?.compactMap(\.string)
            work = { try await $0.codeActions(of: uri, range, kinds) }
        default: throw RPCError(.methodNotFound, "there is no method '\(method)'")
        }
        running[id]?.cancel()
        running[id] = Task {
            let reply: JSONValue
            do {
                let result = try await work(self)
                try Task.checkCancellation()
                reply = ["jsonrpc": "2.0", "id": id.json, "result": result]
            } catch let error as RPCError {
                reply = error.reply(to: id)
            } catch {
                reply =
                    Task.isCancelled || error is CancellationError
                    ? RPCError(.requestCancelled, "cancelled").reply(to: id)
                    : RPCError(.requestFailed, "\(error)").reply(to: id)
            }
            self.running[id] = nil
            self.send(reply)
        }
    }

    /// A position in an open document.
    struct DocumentPlace: Sendable {
        let document: OpenDocument
        let offset: Int
    }

    private func place(_ params: JSONValue) throws -> DocumentPlace {
        guard let uri = params["textDocument"]?["uri"]?.string,
            let position = TextPosition(params["position"])
        else { throw RPCError(.invalidParams, "a document and a position are expected") }
        guard let document = documents[uri] else {
            throw RPCError(.invalidParams, "the document is not open")
        }
        return DocumentPlace(document: document, offset: document.text.offset(of: position, encoding))
    }
}

/// What the client can do.
struct ClientAbilities: Sendable {
    var encodings: [String] = []
    /// Whether it can watch files that the server names.
    var registersWatchers = false
    /// Whether an edit may be of a version of a document.
    var takesVersions = false

    init() {}

    init(_ json: JSONValue) {
        encodings = json["general"]?["positionEncodings"]?.array?.compactMap(\.string) ?? []
        let workspace = json["workspace"]
        registersWatchers = workspace?["didChangeWatchedFiles"]?["dynamicRegistration"]?.bool ?? false
        takesVersions = workspace?["workspaceEdit"]?["documentChanges"]?.bool ?? false
    }
}
