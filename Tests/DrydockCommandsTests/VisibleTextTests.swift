import Testing

@testable import DrydockCommands

@Suite struct VisibleTextTests {
    @Test(arguments: [
        ("plain é 日本 😀\n\tline", "plain é 日本 😀\n\tline"),
        ("\u{1b}[1;31mred\u{1b}[0m", "\u{1b}[1;31mred\u{1b}[0m"),
        ("\u{1b}[2J", "\\u{1b}[2J"), ("\u{1b}]0;title\u{7}", "\\u{1b}]0;title\\u{7}"),
        ("\u{1b}", "\\u{1b}"), ("\u{1b}[31", "\\u{1b}[31"), ("a\rb\u{0}\u{7f}", "a\\u{d}b\\u{0}\\u{7f}"),
        ("\u{9b}31m", "\\u{9b}31m"), ("©\u{a0}", "©\u{a0}"),
        ("\u{202e}x\u{2066}\u{200f}", "\\u{202e}x\\u{2066}\\u{200f}"),
        ("“quoted” – dash…", "“quoted” – dash…"),
    ])
    func spelledOut(_ text: String, _ shown: String) {
        #expect(String(decoding: VisibleText.of(Array(text.utf8), withColors: true), as: UTF8.self) == shown)
    }

    @Test func whatIsCutShortStays() {
        for bytes: [UInt8] in [[0xE2], [0xE2, 0x80], [0xC2], [0xFF, 0x1B]] {
            #expect(VisibleText.of(bytes, withColors: false).prefix(1) == bytes.prefix(1))
        }
    }

    @Test func noColorIsLetThroughWhereThereIsNone() {
        let red = VisibleText.of(Array("\u{1b}[31mred".utf8), withColors: false)
        #expect(String(decoding: red, as: UTF8.self) == "\\u{1b}[31mred")
    }
}
