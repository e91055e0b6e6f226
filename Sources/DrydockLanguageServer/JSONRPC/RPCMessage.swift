/// The name of a request, which its reply repeats.
package enum RequestID: Sendable, Hashable {
    case number(Int)
    case text(String)

    init?(_ value: JSONValue?) {
        switch value {
        case .int(let number): self = .number(number)
        case .string(let text): self = .text(text)
        default: return nil
        }
    }

    var json: JSONValue {
        switch self {
        case .number(let number): .int(number)
        case .text(let text): .string(text)
        }
    }
}

/// A message of JSON-RPC 2.0 (https://www.jsonrpc.org/specification), as far as a server receives it.
enum RPCMessage: Sendable {
    case request(RequestID, method: String, params: JSONValue)
    case notification(method: String, params: JSONValue)
    /// The reply to a request of the server's.
    case response

    /// - Throws: ``RPCError`` with the reply, if the bytes are not a message.
    init(_ bytes: [UInt8]) throws(RPCError) {
        let value: JSONValue
        do {
            value = try JSONParser.parse(bytes)
        } catch {
            throw RPCError(.parseError, "not JSON at byte \(error.offset): \(error.message)")
        }
        guard case .object(let members) = value, members["jsonrpc"] == "2.0" else {
            throw RPCError(.invalidRequest, "not a message of JSON-RPC 2.0")
        }
        let id = RequestID(members["id"])
        guard let method = members["method"] else {
            guard members["result"] != nil || members["error"] != nil else {
                throw RPCError(.invalidRequest, "a message has no method", id)
            }
            self = .response
            return
        }
        guard let method = method.string else {
            throw RPCError(.invalidRequest, "a method is not a string", id)
        }
        let params = members["params"] ?? .null
        switch params {
        case .null, .array, .object: break
        default: throw RPCError(.invalidRequest, "params is neither an object nor an array", id)
        }
        guard members["id"] != nil else {
            self = .notification(method: method, params: params)
            return
        }
        guard let id else { throw RPCError(.invalidRequest, "an id is neither a number nor a string") }
        self = .request(id, method: method, params: params)
    }
}

/// Why there is no result.
package struct RPCError: Error {
    /// The codes of JSON-RPC and of LSP.
    enum Code: Int {
        case parseError = -32700
        case invalidRequest = -32600
        case methodNotFound = -32601
        case invalidParams = -32602
        case internalError = -32603
        case serverNotInitialized = -32002
        case requestCancelled = -32800
        case requestFailed = -32803
    }

    var code: Code
    var message: String
    /// The request, as far as it is known.
    var id: RequestID?

    init(_ code: Code, _ message: String, _ id: RequestID? = nil) {
        (self.code, self.message, self.id) = (code, message, id)
    }

    /// The reply.
    func reply(to id: RequestID?) -> JSONValue {
        [
            "jsonrpc": "2.0", "id": (id ?? self.id)?.json ?? .null,
            "error": ["code": .int(code.rawValue), "message": .string(message)],
        ]
    }
}
