import Foundation
import Testing

/// Where reports go: standard output, files, and what a service of continuous integration reads.
@Suite struct OutputFormatTests {
    private static let formats = [
        "human", "json", "junit", "sarif", "github", "gitlab", "tap", "markdown", "html",
    ]
    private static let lossy = "DELETE FROM email WHERE id = 1;"
    private static let github = ["CI": "true", "GITHUB_ACTIONS": "true"]

    private func read(_ path: String, in project: Project) throws -> String {
        try String(contentsOf: project.folder.appending(path: path), encoding: .utf8)
    }

    @Test(arguments: [
        ["verify"], ["lint"], ["lock"], ["migrate", "Snapshots/v1.sqlite"],
        ["health", "Snapshots/v1.sqlite"],
        ["diff", "Snapshots/v1.sqlite", "Migrations"],
    ]) func everyFormatGoesToAFileOfItsOwn(_ arguments: [String]) throws {
        let project = try Project(second: Self.lossy)
        let reports = Self.formats.flatMap { ["--report", "\($0)=out.\($0)"] }
        let result = try project.run(arguments + reports)
        #expect([0, 1].contains(result.status), "\(result.errors)")
        for format in Self.formats {
            let file = try read("out.\(format)", in: project)
            let printed = try project.run(arguments + ["--format", format])
            #expect(!file.isEmpty && printed.status == result.status, "\(format): \(printed.errors)")
            #expect(!printed.output.isEmpty, "\(format)")
        }
        let twice = try project.run(arguments + ["--report", "json=a", "--report", "tap=./a"])
        #expect(twice.status == 2 && twice.errors.contains("two reports would be written to './a'"))
    }

    @Test(arguments: [
        ["verify"], ["lint"], ["lock"], ["migrate", "a"], ["health", "a"], ["diff", "a", "b"],
    ]) func aWrongFormatNamesTheRightOnes(_ arguments: [String]) throws {
        let project = try Project()
        for wrong in [["--report", "xunit=a.xml"], ["--format", "xunit"]] {
            let result = try project.run(arguments + wrong)
            #expect(result.status == 64 && result.errors.contains("'xunit'"), "\(result.errors)")
            for format in Self.formats { #expect(result.errors.contains(format), "\(arguments) \(format)") }
        }
        let auto = try project.run(arguments + ["--report", "auto=a"])
        #expect(auto.status == 64)
    }

    /// The page has the schema's history, however it was asked for.
    @Test func aPageHasTheHistory() throws {
        let project = try Project(second: "ALTER TABLE email ADD COLUMN note TEXT;")
        let result = try project.run(["verify", "--report", "html=out.html", "--format", "json"])
        #expect(!result.output.contains("add column note"))
        let printed = try project.run(["verify", "--format", "html"]).output
        for page in [try read("out.html", in: project), printed] {
            #expect(page.contains("id=\"history\"") && page.contains("add column note TEXT"))
        }
    }

    @Test func gitHubGetsAnnotationsAndASummary() throws {
        let project = try Project(second: Self.lossy)
        try project.write("summary.md", "before\n")
        var environment = Self.github
        environment["GITHUB_STEP_SUMMARY"] = project.folder.appending(path: "summary.md").path
        let result = try project.run(["verify", "--format", "auto"], environment: environment)
        #expect(result.status == 1 && result.output.contains("error[rows-lost]"), "\(result.output)")
        #expect(result.output.contains("\n::error file=Migrations/v2.sql,line=1,col=1,title=rows-lost::"))
        #expect(!result.output.contains("Hi there"))
        let summary = try read("summary.md", in: project)
        #expect(summary.hasPrefix("before\n<!-- drydock:verify -->\n### ❌"), "\(summary)")
        // Output that goes to a file is not read for commands, unless that is what was asked for.
        let plain = try project.run(["verify"], environment: environment)
        #expect(plain.output.contains("error[rows-lost]") && !plain.output.contains("\n::error"))
        let piped = try project.run(["verify", "--format", "human"], environment: environment)
        #expect(!piped.output.contains("\n::error"))
        let failure = try project.run(
            ["verify", "-m", "nowhere", "--format", "auto"], environment: environment)
        #expect(
            failure.status == 2 && failure.output.hasPrefix("::error title=drydock verify::"), "\(failure)")
    }

    @Test func pathsStartAtTheRootOfTheRepository() throws {
        let project = try Project(second: Self.lossy)
        try project.write(".git/HEAD", "x")
        try project.write("backend/drydock.yml", "migrations: ../Migrations\nsnapshots: ../Snapshots\n")
        let result = try project.run(
            ["verify", "--config", "backend/drydock.yml", "--format", "github"])
        #expect(result.output.hasPrefix("::error file=Migrations/v2.sql,line=1,"), "\(result.output)")
        let process = try project.process(["verify", "--format", "github"], environment: [:])
        process.currentDirectoryURL = project.folder.appending(path: "backend")
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let output = String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        #expect(output.hasPrefix("::error file=Migrations/v2.sql,line=1,"), "\(output)")
    }

    /// A service shows the file of an error, too, only under its path in the repository.
    @Test(arguments: ["github", "gitlab", "sarif"])
    func pathsOfFailuresStartThereToo(_ format: String) throws {
        let project = try Project()
        try project.write(".git/HEAD", "x")
        try project.write("backend/drydock.yml", "migrations: ../Migrations\nbogus: 1\n")
        try project.write("backend/src/a.txt", "")
        let result = try project.shell("cd backend/src && \"$DRYDOCK\" verify --format \(format)")
        #expect(result.status == 2 && result.errors.contains("../drydock.yml:2:1"))
        let place = #/(::error file=|"(path|uri)" : ")backend/drydock.yml[,"]/#
        #expect(result.output.contains(place), "\(result.output)")
    }

    /// In GitLab they start at the project, which may have other repositories in it.
    @Test func pathsStartAtTheProjectOfGitLab() throws {
        let project = try Project(second: Self.lossy)
        try project.write("Migrations/.git", "gitdir: elsewhere")
        for (variable, path) in [
            ("CI_PROJECT_DIR=..", "v2.sql"), ("CI_PROJECT_DIR=\"$PWD/..\"", "Migrations/v2.sql"),
            // A folder whose name only begins like it.
            ("CI_PROJECT_DIR=\"${PWD%s}\"", "v2.sql"),
        ] {
            let result = try project.shell(
                "cd Migrations && \(variable) \"$DRYDOCK\" verify -m . -s ../Snapshots --format gitlab")
            #expect(result.output.contains("\"path\" : \"\(path)\""), "\(result)")
        }
    }

    @Test func gitLabGetsItsFile() throws {
        let project = try Project(second: Self.lossy)
        let environment = ["CI": "true", "GITLAB_CI": "true"]
        let result = try project.run(["verify"], environment: environment)
        #expect(result.status == 1 && result.output.contains("error[rows-lost]"))
        let file = "gl-code-quality-report.json"
        let issues = try #require(
            try JSONSerialization.jsonObject(with: Data(read(file, in: project).utf8)) as? [[String: Any]])
        #expect(issues.first?["check_name"] as? String == "rows-lost")
        let failure = try project.run(["verify", "-m", "nowhere"], environment: environment)
        #expect(failure.status == 2)
        let other = try Project(second: Self.lossy)
        _ = try other.run(["verify", "--report", "gitlab=own.json"], environment: environment)
        #expect(!FileManager.default.fileExists(atPath: other.folder.appending(path: file).path))
    }

    @Test func whatNoReportSaysIsInEveryFormat() throws {
        let project = try Project()
        let formats = Self.formats.filter { $0 != "human" }
        let reports = formats.flatMap { ["--report", "\($0)=out.\($0)"] }
        let result = try project.run(["verify", "--up-to", "v9"] + reports)
        #expect(result.status == 2)
        for format in formats { #expect(try read("out.\(format)", in: project).contains("v9"), "\(format)") }
    }
}
