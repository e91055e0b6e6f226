import Drydock
import DrydockReport
import Testing

struct CounterexampleScriptsTests {
    private func script(
        _ rule: Rule, _ message: String, readsQuotedText: Bool? = nil
    ) throws -> CounterexampleScripts.Script {
        var finding = Finding(rule, message, migration: "v2_'x'", table: "pet")
        finding.counterexample = Counterexample(
            schema: ["CREATE TABLE pet (id INTEGER PRIMARY KEY) -- a comment"],
            inserts: ["INSERT INTO pet (id) VALUES (1)"], migration: ["BEGIN", "DELETE FROM pet", "COMMIT"],
            tables: ["pet"], tried: 3, isSmallest: true)
        finding.counterexample?.readsQuotedText = readsQuotedText
        var report = Report(.verify(VerifySummary()))
        report.findings = [Finding(.rowsLost, "without rows"), finding]
        let scripts = CounterexampleScripts.scripts(of: report)
        #expect(scripts.count == 1)
        return try #require(scripts.first)
    }

    @Test func aScriptShowsTheRowsBeforeAndAfter() throws {
        let script = try script(.rowsLost, "1 row of pet is gone\n.shell false")
        #expect(script.fileName == "01-rows-lost-pet-v2_-x-.sql")
        #expect(
            script.text.split(separator: "\n", omittingEmptySubsequences: false).dropFirst(2) == [
                "-- Run it with: sqlite3 < THIS_FILE", "", "-- The schema that the migration meets",
                "CREATE TABLE pet (id INTEGER PRIMARY KEY) -- a comment", ";", "",
                "-- Rows that its constraints allow", "INSERT INTO pet (id) VALUES (1);", "", ".mode quote",
                "",
                "-- Before", "SELECT 'before, pet:', * FROM \"pet\";", "", "-- The migration: v2_'x'",
                "BEGIN;", "DELETE FROM pet;", "COMMIT;", "", "-- After (a table that is gone gives an error)",
                "SELECT 'after, pet:', * FROM \"pet\";", "",
            ])
        // A message cannot end its comment.
        let lines = script.text.split(separator: "\n")
        #expect(lines[0] == Substring(CounterexampleScripts.mark))
        #expect(lines[1].hasPrefix("-- error[rows-lost] 1 row of pet is gone"))
        #expect(!script.text.contains("\n.shell"))
    }

    @Test func theProjectsOwnCommandIsAComment() throws {
        var finding = Finding(.rowsLost, "1 row of pet is gone", migration: "2", table: "pet")
        var example = Counterexample(
            schema: ["CREATE TABLE pet (id INTEGER PRIMARY KEY)"], inserts: [], migration: [],
            tables: ["pet"],
            tried: 3, isSmallest: true)
        example.command = "(cd . && python x.py\n.shell false)"
        finding.counterexample = example
        var report = Report(.verify(VerifySummary()))
        report.findings = [finding]
        let text = try #require(CounterexampleScripts.scripts(of: report).first).text
        #expect(text.contains("sqlite3 counterexample.sqlite < THIS_FILE"))
        #expect(text.contains("\n--   (cd . && python x.py\n--   .shell false)\n"), "\(text)")
        #expect(text.contains("-- Before") && !text.contains("-- After"))
    }

    /// The shell's own setting is another in every second version.
    @Test(arguments: [(false, "off"), (true, "on")])
    func textInDoubleQuotesIsReadAsTheToolDoes(_ readsText: Bool, _ setting: String) throws {
        let text = try script(.migrationFailed, "it fails", readsQuotedText: readsText).text
        #expect(
            text.contains(
                "v2_'x'\n.dbconfig dqs_dml \(setting)\n.dbconfig dqs_ddl \(setting)\nBEGIN;\n"), "\(text)")
    }

    @Test func aFailureShowsItself() throws {
        let text = try script(.migrationFailed, "it fails").text
        #expect(text.contains("-- The migration, which fails: v2_'x'") && !text.contains("-- After"))
    }
}
