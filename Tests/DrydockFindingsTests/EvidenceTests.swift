import DatabaseEngine
import Drydock
import SQLiteSchema
import Testing

@testable import DrydockTestSupport

/// How values are shown.
@Suite struct EvidenceTests {
    private static func literal(_ bytes: [UInt8], _ encoding: TextEncoding = .utf8) -> String {
        Evidence.Sample(.text(bytes), encoding: encoding).literal
    }

    @Test(
        arguments: [
            ([0xFF, 0x61], #"'\x{ff}a'"#), ([0xFE, 0x61], #"'\x{fe}a'"#),
            ([0xEF, 0xBF, 0xBD, 0x61], "'\u{FFFD}a'"),
            ([0x61, 0xE2, 0x82], #"'a\x{e2}\x{82}'"#), ([0xC0, 0x80], #"'\x{c0}\x{80}'"#),
            ([0xED, 0xA0, 0x80], #"'\x{ed}\x{a0}\x{80}'"#), (Array("\\x{ff}".utf8), #"'\\x{ff}'"#),
            (Array("C:\\dir".utf8), #"'C:\dir'"#), (Array("a\nb".utf8), #"'a\nb'"#),
            (Array("a\\nb".utf8), #"'a\\nb'"#),
            (Array("\\\n".utf8), #"'\\\n'"#), (Array("\\\\n".utf8), #"'\\\\n'"#),
            (Array("it's \u{e9}".utf8), "'it''s \u{e9}'"),
            ([0], #"'\u{0}'"#), ([], "''"),
        ] as [([UInt8], String)]) func textIsShown(_ bytes: [UInt8], _ shown: String)
    {
        #expect(Self.literal(bytes) == shown)
    }

    @Test(
        arguments: [
            ([0x00, 0xD8, 0x61, 0x00], #"'\x{00}\x{d8}a'"#), ([0x61, 0x00, 0x62], #"'a\x{62}'"#),
            ([0x3D, 0xD8, 0x00, 0xDE], "'\u{1F600}'"), ([0x3D, 0xD8], #"'\x{3d}\x{d8}'"#),
        ] as [([UInt8], String)]) func textInUTF16IsShown(_ bytes: [UInt8], _ shown: String)
    {
        #expect(Self.literal(bytes, .utf16LittleEndian) == shown)
    }

    @Test func longTextIsCut() {
        #expect(
            Self.literal(Array(repeating: 0x61, count: 60)) == "'" + String(repeating: "a", count: 60) + "'")
        #expect(
            Self.literal(Array(repeating: 0x61, count: 61)) == "'" + String(repeating: "a", count: 60) + "…'")
        #expect(
            Self.literal(Array(repeating: 0xFF, count: 61)) == "'" + String(repeating: #"\x{ff}"#, count: 60)
                + "…'")
    }

    /// Every two texts of two bytes, or four, are shown differently.
    @Test func differentTextsAreShownDifferently() {
        let interesting: [UInt8] = [0, 10, 39, 92, 110, 117, 120, 0x80, 0xC2, 0xE2, 0xFF]
        var seen: [String: [UInt8]] = [:]
        for a in interesting {
            for b in interesting {
                for c in interesting {
                    for text in [[a], [a, b], [a, b, c]] {
                        let shown = Self.literal(text)
                        #expect(seen[shown, default: text] == text, "\(shown)")
                        seen[shown] = text
                    }
                }
            }
        }
    }

    /// The values of a step that changes bytes which are not text.
    @Test func changedBytesShow() async throws {
        let row = try await Scenario(
            "CREATE TABLE a(id INTEGER PRIMARY KEY, m TEXT);",
            rows: "INSERT INTO a VALUES (1, CAST(x'ff61' AS TEXT));",
            steps: "UPDATE a SET m = CAST(x'fe61' AS TEXT)"
        ).verify().finding(.valuesChanged).evidence?.rows.first
        #expect(row?.before?.literal == #"'\x{ff}a'"# && row?.after?.literal == #"'\x{fe}a'"#)
    }
}
