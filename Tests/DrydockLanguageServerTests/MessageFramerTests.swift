import Testing

@testable import DrydockLanguageServer

@Suite struct MessageFramerTests {
    private func frames(_ chunks: [String]) -> [MessageFramer.Frame] {
        var framer = MessageFramer()
        var frames: [MessageFramer.Frame] = []
        for chunk in chunks {
            framer.append(Array(chunk.utf8))
            while let frame = framer.next() { frames.append(frame) }
        }
        return frames
    }

    private func content(_ text: String) -> MessageFramer.Frame { .content(Array(text.utf8)) }

    @Test func messagesFollowOneAnother() {
        #expect(
            frames(["Content-Length: 2\r\n\r\n{}Content-Length: 4\r\n\r\nnull"]) == [
                content("{}"), content("null"),
            ])
    }

    @Test(arguments: [
        "content-length: 2\r\n\r\n{}", "CONTENT-LENGTH:2\r\n\r\n{}", "Content-Length: 2\n\n{}",
        "Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nContent-Length: 2\r\n\r\n{}",
        "Content-Length:   2  \r\nX: y\r\n\r\n{}",
    ])
    func headersHaveAnyCaseAndOrder(_ text: String) { #expect(frames([text]) == [content("{}")]) }

    @Test func aMessageMayComeByteByByte() {
        let text = "Content-Length: 8\r\n\r\n\"é😀\""
        var framer = MessageFramer()
        var found: [MessageFramer.Frame] = []
        for byte in text.utf8.dropLast() {
            framer.append([byte])
            #expect(framer.next() == nil)
        }
        framer.append([text.utf8.last ?? 0])
        while let frame = framer.next() { found.append(frame) }
        // The length is that of bytes: 1 + 2 + 4 + 1.
        #expect(found == [content("\"é😀\"")])
    }

    @Test(arguments: [
        "Content-Length: x\r\n\r\n", "Content-Length: -1\r\n\r\n", "Content-Length: 1 2\r\n\r\n", "\r\n",
        "Content-Length: 99999999999999999999\r\n\r\n", "nonsense\r\n\r\n",
        "Content-Length: 1\r\nContent-Length: 2\r\n\r\n", "Content-Length: +2\r\n\r\n",
    ])
    func afterAHeaderWithoutALengthTheStreamGoesOn(_ header: String) throws {
        let found = frames([header + "Content-Length: 2\r\n\r\n{}"])
        #expect(found.count == 2)
        guard case .fault = try #require(found.first) else { return #expect(Bool(false)) }
        #expect(found.last == content("{}"))
    }

    @Test func aMessageThatIsTooLongIsSkipped() {
        let length = MessageFramer.lengthLimit + 3
        var framer = MessageFramer()
        framer.append(Array("Content-Length: \(length)\r\n\r\n".utf8))
        guard case .fault? = framer.next() else { return #expect(Bool(false)) }
        let chunk = [UInt8](repeating: 0x20, count: 1 << 20)
        for _ in 0..<(length >> 20) {
            framer.append(chunk)
            #expect(framer.next() == nil)
        }
        framer.append(chunk[..<(length % (1 << 20))])
        framer.append(Array("Content-Length: 2\r\n\r\n{}".utf8))
        #expect(framer.next() == content("{}"))
    }

    @Test func aHeaderWithoutEndIsNotKept() {
        let found = frames([String(repeating: "x", count: 10_000), "Content-Length: 2\r\n\r\n{}"])
        #expect(found.count == 2)
        #expect(found.last == content("{}"))
    }

    @Test func anEmptyMessageIsNoJSON() { #expect(frames(["Content-Length: 0\r\n\r\n"]) == [.content([])]) }
}
