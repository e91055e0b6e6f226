import Foundation
import Testing
import TestTools

@testable import DrydockTestSupport

/// Wrong usage is found before any file is opened and ends with 64; a file that is not a database is reported as
/// such.
@Suite struct UsageTests {
    private let folder: TemporaryFolder
    private let tool: Tool

    init() throws {
        folder = try Scenario("CREATE TABLE t(a);\n", steps: "CREATE TABLE u(a);").write()
        tool = Tool(folder: folder)
    }

    @Test(arguments: [
        (["help", "stat"], "did you mean 'stats'"), (["help", "qqqqqq"], "verify, lint"),
        (["health", "no.sqlite", "--only", "nosuch"], "there is no check 'nosuch'"),
        (["health", "no.sqlite", "--without", "freelst"], "did you mean 'freelist'"),
        (["health", "no.sqlite", "-w", "25"], "does not name a check"),
        (["health", "no.sqlite", "-c", "nosuch=25"], "there is no check 'nosuch'"),
        (["vacuum", "no.sqlite", "--page-size", "1000"], "a power of two"),
        (["vacuum", "no.sqlite", "--page-size", "131072"], "a power of two"),
        (["migrate", "no.sqlite", "--timeout", "0"], "--timeout"),
        (["migrate", "no.sqlite", "--memory", "1"], "--memory"),
        (["verify", "--nope"], "Unknown option '--nope'\n"),
        (["lint", "--zzz=1"], "Unknown option '--zzz'\n"),
        (["verify", "-Z"], "Unknown option '-Z'\n"),
        (["verify", "--snapshot"], "Unknown option '--snapshot'. Did you mean '--snapshots'?"),
        (["verify", "--stict"], "Did you mean '--strict'?"),
        (["health", "-dash.sqlite"], "write './-dash.sqlite', or -- before it"),
        (["health", "-x.sqlite"], "write './-x.sqlite', or -- before it"),
    ]) func badUsage(_ arguments: [String], _ text: String) throws {
        try folder.write("-x.sqlite", "")
        let result = try tool.run(arguments)
        #expect(result.status == 64, "\(arguments): \(result.errors)")
        #expect(result.errors.contains(text), "\(result.errors)")
    }

    @Test func lettersThatAreNoFileAreOptions() throws {
        let result = try tool.run("health", "-qh")
        #expect(result.status == 0 && result.output.contains("drydock health"), "\(result)")
    }

    @Test(arguments: ["verify", "lint"]) func aDeclarationForAnUnknownMigrationNamesItsOrigin(
        _ command: String
    ) throws {
        let flag = try tool.run(command, "--declare", "v77:drops table t")
        #expect(flag.status == 2)
        #expect(
            flag.errors.contains(
                "--declare declares something for 'v77', which is not a migration in Migrations"),
            "\(flag.errors)")
        try folder.write("drydock.yml", "declarations:\n  v1: drops table t\n  v22: drops table t\n")
        let file = try tool.run(command)
        #expect(file.status == 2)
        #expect(file.errors.contains("drydock.yml:3 declares something for 'v22', "), "\(file.errors)")
        #expect(file.errors.contains("did you mean 'v2'?"), "\(file.errors)")
    }

    @Test func helpOnACommandIsHelp() throws {
        for arguments in [["help"], ["help", "verify"], ["help", "help"]] {
            #expect(try tool.run(arguments).status == 0, "\(arguments)")
        }
    }

    #if os(Linux)
    @Test(arguments: ["/proc/self/mem", "/proc/self/maps", "/dev/zero", "/dev/null"])
    func aSpecialFileIsNotADatabase(_ path: String) throws {
        for arguments in [
            ["schema", path], ["diff", path, "Migrations"], ["diff", "--data", path, path], ["stats", path],
            ["health", path], ["vacuum", path, "--dry-run"], ["migrate", path],
            ["schema", "Migrations", "--check", path],
        ] {
            let result = try tool.run(arguments)
            #expect(result.status == 2, "\(arguments): \(result.output)\(result.errors)")
            #expect((result.output + result.errors).contains("is not a regular file"), "\(arguments)")
        }
        // A snapshot that cannot be read is a finding.
        let verified = try tool.run("verify", path, "--no-cache")
        #expect(
            verified.status == 1 && verified.output.contains("is not a regular file"), "\(verified.output)")
    }
    #endif

    @Test func patternsNameDatabases() throws {
        try folder.write("Snapshots/deep/er/note.md", "no database")
        let database =
            FileManager.default.contents(atPath: folder.file("Snapshots/snapshot.sqlite")) ?? Data()
        try folder.write("Snapshots/deep/er/other.sqlite", database)
        for pattern in ["Snapshots/**", "**/*.sqlite", "*/**/o*er.sqlite"] {
            let result = try tool.run("verify", pattern, "--no-cache", "-v")
            #expect(result.status == 0, "\(pattern): \(result.output)\(result.errors)")
            #expect(result.output.contains("other.sqlite"), "\(result.output)")
            #expect(
                result.output.contains("snapshot.sqlite") == !pattern.contains("o*er"), "\(result.output)")
        }
        let none = try tool.run("verify", "nosuch/**")
        #expect(none.status == 2 && none.errors.contains("no snapshot matches"), "\(none.errors)")
        for command in [["stats"], ["vacuum", "--dry-run"], ["migrate"]] {
            #expect(try tool.run(command + ["**/other.sqlite"]).status == 0, "\(command)")
        }
        for command in [["stats"], ["vacuum", "--dry-run"], ["migrate"]] {
            #expect(try tool.run(command + ["**/*.sqlite"]).status == 0, "\(command)")
        }
    }

    /// A name with line breaks can be quoted in only one way: if the output is a log that is read for commands, it is
    /// not printed.
    @Test func sqlThatALogWouldRunIsRefused() throws {
        let name = "v\n::warning::INJECTED"
        try PlainDatabase(folder.file("a.sqlite")).execute(
            "CREATE TABLE \"\(name)\"(a PRIMARY KEY); INSERT INTO \"\(name)\" VALUES ('x\n  ##[error]y')")
        try PlainDatabase(folder.file("b.sqlite")).execute(
            "CREATE TABLE t(a PRIMARY KEY); INSERT INTO t VALUES (1)")
        try PlainDatabase(folder.file("c.sqlite")).execute(
            "CREATE TABLE t(a PRIMARY KEY); INSERT INTO t VALUES ('x\n ::error::y')")
        func run(_ arguments: [String], _ variable: String?, toFile: Bool = false) throws -> (
            Int32, String, String
        ) {
            let process = ChildProcess()
            process.executableURL = URL(filePath: Tool.path)
            process.arguments = arguments
            process.currentDirectoryURL = URL(filePath: folder.path)
            let names = ["CI", "GITHUB_ACTIONS", "TF_BUILD", "TEAMCITY_VERSION"]
            process.environment = ProcessInfo.processInfo.environment.filter { !names.contains($0.key) }
            if let variable { process.environment?[variable] = "true" }
            let (output, errors) = (Pipe(), Pipe())
            try folder.write("out.sql", "")
            process.standardOutput = toFile ? FileHandle(forWritingAtPath: folder.file("out.sql")) : output
            process.standardError = errors
            try process.run()
            if toFile { try output.fileHandleForWriting.close() }
            let text = output.fileHandleForReading.readDataToEndOfFile()
            let complaint = errors.fileHandleForReading.readDataToEndOfFile()
            process.waitUntilExit()
            return (
                process.terminationStatus, String(decoding: text, as: UTF8.self),
                String(decoding: complaint, as: UTF8.self)
            )
        }
        for arguments in [
            ["schema", "a.sqlite"], ["diff", "b.sqlite", "a.sqlite", "--sql", "--allow-loss"],
            ["diff", "--data", "b.sqlite", "c.sqlite", "--format", "sql"],
        ] {
            for variable in ["GITHUB_ACTIONS", "TF_BUILD", "TEAMCITY_VERSION"] {
                let (status, output, errors) = try run(arguments, variable)
                #expect(status == 2, "\(arguments): \(output)\(errors)")
                #expect(
                    errors.contains("this continuous integration would run as a command")
                        && errors.contains("Write it to a file"))
                #expect(
                    !output.contains("::warning") && !output.contains("##[") && !output.contains("::error"))
            }
            let (status, output, errors) = try run(arguments, nil)
            #expect(status != 2 && output.contains("::"), "\(arguments): \(errors)")
            #expect(try run(arguments, "GITHUB_ACTIONS", toFile: true).0 == status)
        }
        // SQL without such a name is printed everywhere.
        #expect(try run(["schema", "b.sqlite"], "GITHUB_ACTIONS").0 == 0)
    }
}
