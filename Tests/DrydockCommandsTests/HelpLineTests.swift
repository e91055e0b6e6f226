import ArgumentParser
import Testing

@testable import DrydockCommands

/// The lines of `--help`, from what the parser knows.
@Suite struct HelpLineTests {
    private struct Sample: ParsableCommand {
        @Option(
            name: .shortAndLong, help: ArgumentHelp("How many; in all.", default: "3; or so", valueName: "n"))
        var count: Int?

        @Flag(inversion: .prefixedNo, help: "Be quick. It costs nothing.")
        var quick: Bool?

        @Option(help: ArgumentHelp("A word.", valueName: "word"))
        var word = "x"
    }

    private let facts = CommandFacts.of(Sample.self)

    @Test(arguments: [
        ("--count", "-c, --count N", "How many (default: 3)"), ("--quick", "    --quick", "Be quick"),
        ("--word", "    --word WORD", "A word (default: x)"),
    ]) func `an option has a line`(_ name: String, _ label: String, _ text: String) throws {
        let line = HelpLine(try #require(facts[name]))
        #expect(line.label == label && line.text == text, "\(line)")
    }

    @Test func `texts are in one column`() throws {
        let lines = try ["--count", "--word"].map { HelpLine(try #require(facts[$0])) }
        #expect(
            HelpLine.aligned(lines) == """
                -c, --count N    How many (default: 3)
                    --word WORD  A word (default: x)
                """)
    }

    @Test(arguments: [
        ("--count 3 --quick a", nil), ("--nope", "--nope"), ("a --count=3 --nope=4", "--nope"),
        ("-c 3 -x", "-x"), ("-c3", nil), ("--count --nope", nil), ("--count", nil), ("- -- --nope", nil),
        ("--no-quick --word - --wort y", "--wort"),
    ]) func `an option that the command does not have is found`(_ line: String, _ option: String?) {
        #expect(facts.unknownOption(in: line.split(separator: " ").map(String.init)) == option)
    }
}

/// Defaults have one home; their texts are made from them.
@Suite struct DefaultTests {
    @Test(arguments: [
        (Duration.seconds(600), "10m"), (.milliseconds(250), "250ms"), (.seconds(5), "5s"),
        (.seconds(3600), "1h"), (.seconds(90), "90s"),
    ]) func `a duration is written as it is read`(_ duration: Duration, _ text: String) {
        #expect(duration.written == text && TimeLimit(argument: text)?.duration == duration)
    }

    @Test func `a limit is written as it is read`() {
        for text in ["10m", "none"] { #expect(RunLimit(argument: text)?.text == text) }
        for text in ["2GB", "512MB", "none"] { #expect(MemoryLimit(argument: text)?.text == text) }
        for text in ["8GB", "3KB", "none"] { #expect(SnapshotSize(argument: text)?.text == text) }
    }
}
