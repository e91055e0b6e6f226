/// Cuts a stream of bytes into messages: headers, an empty line, and as many bytes as Content-Length says
/// (https://microsoft.github.io/language-server-protocol/specifications/lsp/3.17/specification/#baseProtocol).
package struct MessageFramer: Sendable {
    package enum Frame: Sendable, Equatable {
        case content([UInt8])
        /// Bytes that are not a message, and why. The stream goes on after them.
        case fault(String)
    }

    private var buffer: [UInt8] = []
    /// Where in the buffer the next message begins.
    private var start = 0
    /// How many bytes of a message that is too long are still to come.
    private var skipped = 0

    /// The longest message. A migration that is longer is not opened in an editor.
    package static let lengthLimit = 64 << 20
    private static let headerLimit = 8 << 10

    package init() {}

    package mutating func append(_ bytes: some Collection<UInt8>) { buffer += bytes }

    /// Returns the next message, or nil if it has not wholly arrived.
    package mutating func next() -> Frame? {
        discardSkipped()
        guard skipped == 0, start < buffer.count else { return nil }
        guard let header = header() else {
            guard buffer.count - start > Self.headerLimit else { return nil }
            consume(buffer.count - start)
            return .fault("a header has more than \(Self.headerLimit) bytes")
        }
        guard let length = Self.length(header.text) else {
            consume(header.size)
            return .fault("a header has no valid Content-Length")
        }
        guard length <= Self.lengthLimit else {
            consume(header.size)
            skipped = length
            discardSkipped()
            return .fault("a message has more than \(Self.lengthLimit >> 20) MB")
        }
        let body = start + header.size
        guard buffer.count - body >= length else { return nil }
        let content = Array(buffer[body..<body + length])
        consume(header.size + length)
        return .content(content)
    }

    private mutating func discardSkipped() {
        let count = min(skipped, buffer.count - start)
        skipped -= count
        consume(count)
    }

    private mutating func consume(_ count: Int) {
        start += count
        // Moving the rest for every message would take time where many arrive at once.
        if start == buffer.count || start > 1 << 16 {
            buffer.removeFirst(start)
            start = 0
        }
    }

    /// Returns the text before the empty line, and its size with that line.
    private func header() -> (text: String, size: Int)? {
        let (feed, carriage) = (UInt8(ascii: "\n"), UInt8(ascii: "\r"))
        var lineStart = start
        var index = start
        let end = min(buffer.count, start + Self.headerLimit)
        while index < end {
            guard buffer[index] == feed else {
                index += 1
                continue
            }
            let isEmpty = index == lineStart || (index == lineStart + 1 && buffer[lineStart] == carriage)
            if isEmpty {
                return (String(decoding: buffer[start..<lineStart], as: UTF8.self), index + 1 - start)
            }
            index += 1
            lineStart = index
        }
        return nil
    }

    private static func length(_ header: String) -> Int? {
        var result: Int?
        for line in header.split(whereSeparator: \.isNewline) {
            guard let colon = line.firstIndex(of: ":") else { continue }
            let name = line[..<colon].drop(while: \.isWhitespace).lowercased()
            guard name == "content-length" else { continue }
            let value = line[line.index(after: colon)...].split(whereSeparator: \.isWhitespace)
            guard value.count == 1, value[0].allSatisfy({ $0.isASCII && $0.isNumber }),
                let number = Int(value[0]), result == nil || result == number
            else { return nil }
            result = number
        }
        return result
    }

    /// Returns a message with its header.
    package static func framed(_ content: [UInt8]) -> [UInt8] {
        Array("Content-Length: \(content.count)\r\n\r\n".utf8) + content
    }
}
