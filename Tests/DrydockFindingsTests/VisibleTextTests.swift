import DrydockFindings
import SQLiteSchema
import Testing

@Suite struct VisibleTextTests {
    @Test(arguments: [
        ("plain é 日本 😀 ❤\u{fe0f} नमस्ते العربية", "plain é 日本 😀 ❤\u{fe0f} नमस्ते العربية"),
        ("a\nb\r\tc\u{0}\u{7f}\u{1b}[2J", "a\\u{a}b\\u{d}\\u{9}c\\u{0}\\u{7f}\\u{1b}[2J"),
        ("\u{85}\u{9b}\u{a0}\u{2028}\u{2029}", "\\u{85}\\u{9b}\u{a0}\\u{2028}\\u{2029}"),
        (
            "\u{202a}\u{202e}\u{2066}\u{2069}\u{200e}\u{200f}\u{61c}",
            "\\u{202a}\\u{202e}\\u{2066}\\u{2069}\\u{200e}\\u{200f}\\u{61c}"
        ),
        (
            "\u{ad}\u{200b}\u{200d}\u{2060}\u{feff}\u{fff9}\u{e0041}",
            "\\u{ad}\\u{200b}\\u{200d}\\u{2060}\\u{feff}\\u{fff9}\\u{e0041}"
        ),
        ("\u{115f}\u{3164}\u{34f}\u{ffa0}", "\\u{115f}\\u{3164}\\u{34f}\\u{ffa0}"),
    ])
    func spelledOut(_ text: String, _ shown: String) {
        #expect(VisibleText.line(text) == shown)
        #expect(VisibleText.lines(text) == shown.replacing("\\u{a}", with: "\n"))
        #expect(VisibleText.name(shown) == text)
        #expect(VisibleText.line(shown) == shown)
    }

    @Test func `no hidden character is missed, and no name is mistaken for another`() {
        for value in UInt32(0)...0x10FFFF {
            guard let scalar = Unicode.Scalar(value), VisibleText.isHidden(scalar) else { continue }
            let text = "a\(Character(scalar))b"
            #expect(!VisibleText.line(text).unicodeScalars.contains(scalar))
            #expect(
                VisibleText.name(VisibleText.line(text)).unicodeScalars.elementsEqual(text.unicodeScalars))
        }
        for text in ["a\\u{61}", "\\u{}", "\\u{110000}", "\\u{a", "\\n"] {
            #expect(VisibleText.name(text) == text)
        }
    }

    @Test func `a hidden character is found at every place of a long text`() {
        for place in 0..<100 {
            let (start, end) = (
                String(repeating: "a", count: place), String(repeating: "b", count: 99 - place)
            )
            for (hidden, shown) in [("\u{7f}", "\\u{7f}"), ("\t", "\\u{9}"), ("\u{202e}", "\\u{202e}")] {
                #expect(VisibleText.line(start + hidden + end) == start + shown + end)
                #expect(VisibleText.lines("\n" + start + hidden + end) == "\n" + start + shown + end)
            }
            #expect(VisibleText.json(start + "##" + end) == start + "#\\u0023" + end)
        }
    }

    @Test func `JSON reads back`() {
        #expect(VisibleText.json("{\n\"\u{202e}\u{e0041}é\"\n}") == "{\n\"\\u202e\\udb40\\udc41é\"\n}")
    }
}
