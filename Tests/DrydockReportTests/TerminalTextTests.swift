import Testing

@testable import DrydockReport

@Suite struct TerminalTextTests {
    @Test(arguments: [
        ("plain é 日本 😀\n\tline", "plain é 日本 😀\n\tline"),
        ("\u{1b}[1;31mred\u{1b}[0m", "\u{1b}[1;31mred\u{1b}[0m"),
        ("\u{1b}[2J", "\\u{1b}[2J"), ("\u{1b}]0;title\u{7}", "\\u{1b}]0;title\\u{7}"),
        ("\u{1b}", "\\u{1b}"), ("\u{1b}[31", "\\u{1b}[31"), ("a\rb\u{0}\u{7f}", "a\\u{d}b\\u{0}\\u{7f}"),
        ("\u{9b}31m", "\\u{9b}31m"), ("©\u{a0}", "©\u{a0}"),
        ("\u{202e}x\u{2066}\u{200f}", "\\u{202e}x\\u{2066}\\u{200f}"),
        (
            "\u{61c}\u{ad}\u{feff}\u{2028}\u{2029}\u{200b}\u{e0041}",
            "\\u{61c}\\u{ad}\\u{feff}\\u{2028}\\u{2029}\\u{200b}\\u{e0041}"
        ),
        ("::warning::hi\n  ::error::x\na::b ::c", "\\u{3a}:warning::hi\n  \\u{3a}:error::x\na::b ::c"),
        (
            "a ##[group]b ##vso[task.complete] ##x ## [y]",
            "a \\u{23}#[group]b \\u{23}#vso[task.complete] ##x ## [y]"
        ),
        ("“quoted” – dash…", "“quoted” – dash…"),
    ])
    func spelledOut(_ text: String, _ shown: String) {
        #expect(String(decoding: TerminalText.of(Array(text.utf8), withColors: true), as: UTF8.self) == shown)
    }

    @Test func incompleteSequencesAreKept() {
        for bytes: [UInt8] in [[0xE2], [0xE2, 0x80], [0xC2], [0xFF, 0x1B]] {
            #expect(TerminalText.of(bytes, withColors: false).prefix(1) == bytes.prefix(1))
        }
    }

    @Test func colorEscapesAreSpelledOutWithoutColors() {
        let red = TerminalText.of(Array("\u{1b}[31mred".utf8), withColors: false)
        #expect(String(decoding: red, as: UTF8.self) == "\\u{1b}[31mred")
    }
}
