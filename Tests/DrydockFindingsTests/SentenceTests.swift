import DrydockFindings
import Foundation
import Testing

/// What a finding says, with and without the values of rows.
@Suite struct SentenceTests {
    private let quoting = Sentence("it says 'secret'", redacted: "it says something")

    @Test func aValueStaysMarkedHoweverTheSentenceGrows() {
        var sentence: Sentence = "\(1) row: \(quoting)"
        sentence += ", in line 3"
        #expect(sentence.text == "1 row: it says 'secret', in line 3")
        #expect(sentence.redacted == "1 row: it says something, in line 3")
        #expect(
            [quoting, "x", quoting].joined(separator: "; ").withoutValues
                == "it says something; x; it says something")
        #expect(
            Sentence("before ") + quoting
                == Sentence("before it says 'secret'", redacted: "before it says something"))
        #expect(quoting.map { $0.uppercased() }.withoutValues == "IT SAYS SOMETHING")
    }

    @Test func aSentenceWithoutValuesHasOneText() throws {
        let plain: Sentence = "a\("b") \(Sentence("c"))"
        #expect(plain.redacted == nil && plain.withoutValues == "ab c")
        #expect(Sentence("same", redacted: "same").redacted == nil)
        // As a lock keeps it.
        #expect(try String(decoding: JSONEncoder().encode(plain), as: UTF8.self) == "\"ab c\"")
    }

    @Test func bothTextsAreStored() throws {
        for sentence in [quoting, "plain", ""] {
            #expect(try JSONDecoder().decode(Sentence.self, from: JSONEncoder().encode(sentence)) == sentence)
        }
        let finding = Finding(.valuesChanged, quoting)
        #expect(finding.message == "it says 'secret'" && finding.redacted.message == "it says something")
    }
}
