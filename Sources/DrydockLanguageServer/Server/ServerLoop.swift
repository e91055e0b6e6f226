/// Feeds a server with the bytes of a client, message by message.
package enum ServerLoop {
    /// - Parameter input: the bytes as they come; it ends where the client closes its end.
    /// - Returns: the exit status.
    package static func run(_ server: LanguageServer, _ input: AsyncStream<[UInt8]>) async -> Int32 {
        var framer = MessageFramer()
        for await bytes in input {
            framer.append(bytes)
            while let frame = framer.next() {
                if let status = await server.receive(frame) { return status }
            }
        }
        return await server.end()
    }
}
