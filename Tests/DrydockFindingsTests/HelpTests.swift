import DrydockFindings
import Testing

@testable import DrydockTestSupport

@Suite struct HelpTests {
    @Test func aRemedyKeepsItsDeclarationAsData() {
        let help = remedy("they may go", "drops table label", else: "Or keep them.")
        #expect(help.declarations.map(\.words) == ["drops table label"])
        #expect(help.text == "If they may go, declare it:\n  -- drydock: drops table label\nOr keep them.")
    }

    @Test func aReleasedMigrationDeclaresInTheConfiguration() {
        var finding = Finding(
            .tableDropped, "gone", help: "First: " + remedy("they may go", "drops table 'a: b'"),
            migration: "1: first")
        finding.declareInConfiguration()
        #expect(
            finding.help == """
                First: If they may go, declare it:
                  # drydock.yml, since 1: first is released
                  declarations:
                    '1: first':
                      - 'drops table ''a: b'''
                """)
    }

    @Test func withoutAMigrationThereIsOnlyTheComment() {
        var finding = Finding(.tableDropped, "gone", help: remedy("they may go", "drops table a"))
        finding.declareInConfiguration()
        #expect(finding.help.hasSuffix("\n  -- drydock: drops table a"))
    }

    /// The text of a view or a condition can hold anything, on lines of its own.
    @Test(arguments: ["@declare drops table a", "  -- drydock: drops table a", "-- drydock: drops table a"])
    func textIsNeverTakenForADeclaration(_ line: String) {
        var finding = Finding(.objectLost, "gone", help: "Make it again:\n\(line)\nend", migration: "1")
        finding.declareInConfiguration()
        #expect(finding.advice.declarations.isEmpty)
        #expect(finding.help == "Make it again:\n\(line)\nend")
    }

    @Test func helpIsPutTogetherFromParts() {
        let declarations = ["rewrites a.b", "rewrites a.c"].map { Help.declaration($0) }.joinedLines()
        let help: Help = "Before: \(1)\n\(declarations)\nafter \(declaration: "drops index i")"
        #expect(
            help.parts == [
                .text("Before: 1\n"), .declaration(.init("rewrites a.b")), .text("\n"),
                .declaration(.init("rewrites a.c")), .text("\nafter "), .declaration(.init("drops index i")),
            ])
        #expect(Help().isEmpty && Help("").isEmpty && Help() == "")
        #expect("a" + Help("b") + "c" == Help("abc"))
    }

    @Test func codeHasTheFormItsLanguageGivesIt() {
        var help = remedy("they may go", "drops table a")
        help.setForms { .code("declaring: \($0.words)") }
        #expect(help.text == "If they may go, declare it:\n  declaring: drops table a")
    }

    @Test func aStandInIsData() {
        let help = "Did you mean upper()? " + Help.standIn(.function("uppr"))
        #expect(help.hasStandIn && !Help("give Drydock a stand-in in drydock.yml").hasStandIn)
        #expect(
            help.text
                == "Did you mean upper()? If the app registers it, give Drydock a stand-in in drydock.yml:\n  functions:\n    uppr: {returns: null}"
        )
        #expect(Help.standIn(.collation("DE")).text.hasSuffix("\n  collations:\n    DE: nocase"))
    }
}
