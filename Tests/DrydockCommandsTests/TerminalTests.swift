import Testing

@testable import DrydockCommands

@Suite struct TerminalTests {
    @Test(arguments: [
        ([:], true, true), ([:], false, false), (["NO_COLOR": "1"], true, false),
        (["NO_COLOR": ""], true, true),
        (["TERM": "dumb"], true, false), (["TERM": "xterm"], false, false),
        (["FORCE_COLOR": "1"], false, true),
        (["FORCE_COLOR": "3", "NO_COLOR": "1"], false, true),
        (["FORCE_COLOR": "1", "TERM": "dumb"], true, true),
        (["FORCE_COLOR": "0"], true, false), (["FORCE_COLOR": "false"], true, false),
        (["FORCE_COLOR": ""], true, true), (["FORCE_COLOR": ""], false, false),
    ]) func colors(_ environment: [String: String], _ isTerminal: Bool, _ expected: Bool) {
        #expect(Terminal.hasColor(environment, isTerminal: isTerminal) == expected)
    }

    @Test func colorsThatAreForcedArePrinted() throws {
        let project = try Project()
        let plain = try project.run("verify")
        let colored = try project.run(["verify"], environment: ["FORCE_COLOR": "1"])
        #expect(!plain.output.contains("\u{1b}[") && colored.output.contains("\u{1b}[1;32m"))
        let file = try project.run(
            ["verify", "--report", "human=out.txt"], environment: ["FORCE_COLOR": "1"])
        #expect(file.status == 0)
        let text = try String(contentsOf: project.folder.appending(path: "out.txt"), encoding: .utf8)
        #expect(!text.contains("\u{1b}["))
    }

    /// Every command says in the same words that a file is missing, and which.
    @Test(arguments: [
        (["verify", "-m", "nowhere"], "there is no folder 'nowhere'"),
        (["lint", "-m", "nowhere"], "there is no folder 'nowhere'"),
        (["lock", "-m", "nowhere"], "there is no folder 'nowhere'"),
        (["migrate", "nowhere"], "there is no database 'nowhere'"),
        (["stats", "nowhere"], "there is no database 'nowhere'"),
        (["stats", "Snapshots/v1.sqlite", "--compare", "nowhere"], "there is no database 'nowhere'"),
        (["vacuum", "nowhere"], "there is no database 'nowhere'"),
        (["health", "nowhere"], "there is no database 'nowhere'"),
        (["verify", "nowhere"], "there is no snapshot 'nowhere'"),
        (["verify", "--config", "nowhere"], "there is no configuration file 'nowhere'"),
        (["diff", "nowhere", "Migrations"], "there is no 'nowhere'"),
        (["schema", "nowhere"], "there is no 'nowhere'"),
        (["verify", "--report", "json=nowhere/x"], "there is no folder 'nowhere'"),
        (["lock", "--check", "--lock", "nowhere"], "there is no lock 'nowhere'"),
    ]) func oneWordingForAMissingFile(_ arguments: [String], _ words: String) throws {
        let project = try Project()
        let result = try project.run(arguments)
        #expect((result.errors + result.output).contains(words), "\(result.errors)\(result.output)")
    }
}
