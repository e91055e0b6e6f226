import DatabaseEngine
import Drydock
import Testing

@testable import DrydockCommands

/// The parser of drydock.yml: each key in both spellings, and each mistake with its place.
@Suite struct ConfigFileTests {
    @Test func readsEveryKey() throws {
        let config = try ConfigFile(
            """
            migrations: db/migrations
            snapshots: db/released
            up-to: v7
            jobs: 3
            timeout: 90s
            strict: true
            format: json
            report: [json=a.json, json=b.json]
            redact: false
            quiet: false
            verbose: true
            functions:
              uuid: abc
              one: {returns: 1, arguments: 2}
              same: {argument: 0}
              none: null
              single: '1'
              double: "1"
            collations: {localized: nocase}
            declarations:
              v2: deletes from email where is_spam = 1
              v3:
                - drops table a, b
                - rewrites email.subject
            """, name: "drydock.yml")
        #expect(
            config[Setting.migrations] == "db/migrations" && config[Setting.snapshots] == "db/released"
                && config[Setting.upTo] == "v7")
        #expect(
            config[Setting.jobs] == 3 && config[Setting.timeout]?.duration == .seconds(90)
                && config[Setting.strict] == true)
        #expect(config[Setting.format] == "json" && config.reports.map(\.path) == ["a.json", "b.json"])
        #expect(
            config[Setting.redact] == false && config[Setting.quiet] == false
                && config[Setting.verbose] == true)
        #expect(
            config.functions.map(\.result) == [
                .constant("abc"), .constant(1), .argument(0), .constant(.null), .constant("1"),
                .constant("1"),
            ])
        #expect(config.functions[1].argumentCount == 2)
        #expect(config.collations == [CollationStub(name: "localized", order: .nocase)])
        #expect(config.declarations["v2"]?.count == 1 && config.declarations["v3"]?.count == 3)
        #expect(config.findings.isEmpty)
    }

    @Test(arguments: ["upTo: v7", "up-to: v7", "up_to: v7"]) func takesEverySpelling(_ text: String) throws {
        #expect(try ConfigFile(text, name: "y")[Setting.upTo] == "v7")
    }

    @Test(arguments: ["", "# nothing\n", "declarations:\n", "functions:\ncollations:\n"])
    func takesEmptyParts(_ text: String) throws {
        #expect(try ConfigFile(text, name: "y").declarations.isEmpty)
    }

    @Test(arguments: [
        ("a: b: c", "is not valid YAML"), ("- a", "y:1:1: the file must be a mapping"),
        ("migratons: a", "y:1:1: 'migratons' is not a key of drydock.yml; did you mean 'migrations'?"),
        ("\nzzz: a", "y:2:1: 'zzz' is not a key of drydock.yml; its keys are: migrations"),
        ("jobs: many", "y:1:7: jobs must be a number of at least 1"), ("jobs: 0", "y:1:7: jobs must be"),
        ("strict: maybe", "y:1:9: strict must be true or false"),
        ("timeout: soon", "y:1:10: timeout: 'soon' is not"),
        ("format: xml", "y:1:9: format: 'xml' is not one of: auto, human, json"),
        ("report: a.json", "y:1:9: report: 'a.json' is not FORMAT=PATH"),
        ("functions: {f: {arguments: 200}}", "a function takes 0 to 127 arguments"),
        ("functions: {f: {retuns: 1}}", "'retuns' is not a key of a function; did you mean 'returns'?"),
        ("collations: {c: french}", "y:1:17: collations: 'french' is not one of"),
        ("migrations: [a]", "y:1:13: migrations must be text"),
    ]) func saysWhatIsWrongAndWhere(_ text: String, _ message: String) {
        let error = #expect(throws: RequestError.self) { try ConfigFile(text, name: "y") }
        #expect(error?.description.contains(message) == true, "\(error?.description ?? "")")
    }

    @Test func aMisspeltDeclarationIsAFindingAtItsLine() throws {
        let config = try ConfigFile("declarations:\n  v2:\n    - delets from email\n", name: "y")
        let finding = try #require(config.findings.first)
        #expect(finding.rule == .invalidDeclaration)
        #expect(finding.place?.line == 3 && finding.place?.lineText == "    - delets from email")
        #expect(finding.help.contains("deletes from TABLE where CONDITION"))
    }
}

@Suite struct OptionValueTests {
    @Test(arguments: [("90", 90.0), ("90s", 90), ("1.5m", 90), ("2h", 7200), ("500ms", 0.5)])
    func durations(_ text: String, _ seconds: Double) {
        #expect(TimeLimit(argument: text)?.duration == .milliseconds(Int64(seconds * 1000)))
    }

    @Test func limits() {
        #expect(RunLimit(argument: "none")?.duration == nil && RunLimit(argument: "none") != nil)
        #expect(RunLimit(argument: "2m")?.duration == .seconds(120))
        #expect(RunLimit(argument: "0") == nil)
        #expect(MemoryLimit(argument: "none")?.bytes == nil && MemoryLimit(argument: "none") != nil)
        #expect(MemoryLimit(argument: "512MB")?.bytes == 512 << 20)
        #expect(MemoryLimit(argument: "1.5GiB")?.bytes == 3 << 29)
        for text in ["", "1", "1MB", "-1GB", "nanGB", "1e99GB", "GB"] {
            #expect(MemoryLimit(argument: text) == nil, "\(text)")
        }
    }

    @Test(arguments: ["", "s", "-1s", "0", "1d", "nan", "inf", "1e99h"]) func notDurations(_ text: String) {
        #expect(TimeLimit(argument: text) == nil)
    }

    @Test func functions() {
        #expect(FunctionOption(argument: "f")?.stub.result == .constant(.null))
        #expect(FunctionOption(argument: "f=$1")?.stub.result == .argument(1))
        #expect(FunctionOption(argument: "f=1.5")?.stub.result == .constant(.real(1.5)))
        #expect(FunctionOption(argument: "f=a=b")?.stub.result == .constant("a=b"))
        #expect(FunctionOption(argument: "=1") == nil)
        #expect(FunctionOption(argument: String(repeating: "x", count: 256)) == nil)
    }

    @Test func collationsAndReports() {
        #expect(CollationOption(argument: "c")?.stub.order == .binary)
        #expect(CollationOption(argument: "c=NOCASE")?.stub.order == .nocase)
        #expect(CollationOption(argument: "c=other") == nil)
        #expect(ReportFile(argument: "json=a=b")?.path == "a=b")
        #expect(ReportFile(argument: "xml=a") == nil && ReportFile(argument: "json=") == nil)
    }
}
