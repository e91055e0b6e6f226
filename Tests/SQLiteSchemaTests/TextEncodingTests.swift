import Testing

@testable import SQLiteSchema

@Suite struct TextEncodingTests {
    @Test(arguments: TextEncoding.allCases, ["", "a", "é·", "😀 x", "\0", "日本語"])
    func whatIsStoredIsRead(encoding: TextEncoding, text: String) {
        let stored = encoding.encode(text)
        #expect(encoding.exactText(stored) == text && encoding.decode(stored) == text)
    }

    @Test func theBytesAreThoseOfTheFileFormat() {
        #expect(TextEncoding.utf16LittleEndian.encode("A😀") == [0x41, 0, 0x3D, 0xD8, 0, 0xDE])
        #expect(TextEncoding.utf16BigEndian.encode("A😀") == [0, 0x41, 0xD8, 0x3D, 0xDE, 0])
        #expect(TextEncoding.utf8.encode("A😀") == [0x41, 0xF0, 0x9F, 0x98, 0x80])
    }

    /// A script with half of the last character left out would have another value.
    @Test(arguments: TextEncoding.allCases)
    func halfACharacterIsNoText(encoding: TextEncoding) {
        #expect(encoding.exactText(encoding.encode("a😀").dropLast()) == nil)
    }
}
