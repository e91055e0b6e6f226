import ArgumentParser
import Drydock
import DrydockLanguageServer
import Foundation
import Synchronization

struct LspCommand: DrydockSubcommand {
    static let help = CommandHelp(
        name: "lsp",
        abstract: "Lint migrations in an editor, as they are typed.",
        usage: "[--stdio]",
        about: """
            A language server: an editor starts it, and shows what drydock lint finds in
            the migration that is being typed, the table as it is before a statement, and
            the corrections. It reads drydock.yml and drydock.lock as drydock lint does,
            and writes no file.
            """,
        examples: """
            drydock lsp            the command for the editor's settings
            """,
        common: "stdio",
        details: "docs/lsp.md has the settings for VS Code, Neovim, Helix, Zed and Emacs.",
        exitStatus: """
            0  the editor ended it
            1  the editor disconnected without ending it
            64 bad usage
            """)

    @Flag(help: "Communicate over standard input and output; there is no other way.")
    var stdio = false

    func run() async throws {
        let output = ProtocolOutput()
        let server = LanguageServer(finder: EditorProjects(), version: DrydockCommand.version) {
            output.write(MessageFramer.framed($0.bytes))
        }
        let status = await ServerLoop.run(server, Self.input())
        throw ExitCode(status)
    }

    /// Returns what arrives on standard input, read by a thread of its own.
    private static func input() -> AsyncStream<[UInt8]> {
        AsyncStream { continuation in
            let thread = Thread {
                var buffer = [UInt8](repeating: 0, count: 1 << 16)
                while true {
                    let count = read(STDIN_FILENO, &buffer, buffer.count)
                    if count < 0, errno == EINTR { continue }
                    guard count > 0 else { break }
                    continuation.yield(Array(buffer[..<count]))
                }
                continuation.finish()
            }
            thread.start()
        }
    }
}

/// Standard output, on which one message follows another.
private final class ProtocolOutput: Sendable {
    private let isClosed = Mutex(false)

    /// Writes a message whole; nothing once the client does not read any more.
    func write(_ bytes: [UInt8]) {
        isClosed.withLock { isClosed in
            var rest = bytes[...]
            while !isClosed, !rest.isEmpty {
                let count = rest.withUnsafeBytes { systemWrite(STDOUT_FILENO, $0.baseAddress, $0.count) }
                if count < 0, errno == EINTR { continue }
                guard count > 0 else {
                    isClosed = true
                    break
                }
                rest = rest.dropFirst(count)
            }
        }
    }
}
