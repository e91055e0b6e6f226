import Foundation
import Testing
import TestTools

@testable import DrydockCommands

/// The jobs that `drydock init --ci` writes: their steps run in a bare folder, with a stand-in for Drydock's repository whose
/// `make install` puts the built tool in place.
@Suite(
    .serialized, .enabled(if: ShellScripts.areAsked, ShellScripts.hint),
    .enabled(if: ShellTools.arePresent, "it needs git and make"))
struct CIJobTests {
    /// A machine with nothing but a shell, git and make.
    private struct Machine {
        let project: Project
        /// What `drydock init` runs in, relative to the root.
        let folder: String

        init(_ service: String, second: String, in folder: String = "") throws {
            project = try Project(second: second)
            self.folder = folder
            if !folder.isEmpty {
                try FileManager.default.createDirectory(
                    at: project.folder.appending(path: folder), withIntermediateDirectories: true)
                for name in ["Migrations", "Snapshots"] {
                    try FileManager.default.moveItem(
                        at: project.folder.appending(path: name),
                        to: project.folder.appending(path: "\(folder)/\(name)"))
                }
            }
            try project.write(
                "tool/Makefile",
                "install:\n\tinstall -d \"$(PREFIX)/bin\"\n\tln -s \"$(DRYDOCK)\" \"$(PREFIX)/bin/drydock\"\n\techo built >> \"$(BUILDS)\"\n"
            )
            try project.writeProgram("bin/apt-get", "#!/bin/sh\necho \"$@\" >> \"$APT\"\n")
            let setUp = try project.shell(
                """
                set -e
                git init -q . && cd tool && git init -q . && git add Makefile
                git -c user.name=a -c user.email=a@example.com commit -qm 'Build it'
                cd ../\(folder.isEmpty ? "." : "'\(folder)'") && "$DRYDOCK" init --no-run --ci \(service)
                """)
            #expect(setUp.status == 0, "\(setUp.output)\(setUp.errors)")
        }

        private var root: String { project.folder.path }

        func text(_ path: String) throws -> String {
            (try? String(contentsOf: project.folder.appending(path: path), encoding: .utf8)) ?? ""
        }

        /// Runs a script as the service does.
        func run(_ script: String, in place: String, _ more: [String: String] = [:]) throws -> Project.Result
        {
            var variables = more
            variables["PATH"] =
                "\(root)/bin:" + (more["PATH"].map { "\($0):" } ?? "") + "/usr/local/bin:/usr/bin:/bin"
            variables["HOME"] = "\(root)/home"
            variables["APT"] = "\(root)/apt.txt"
            variables["BUILDS"] = "\(root)/builds.txt"
            variables["DRYDOCK_REPOSITORY"] = more["DRYDOCK_REPOSITORY"] ?? "file://\(root)/tool"
            try FileManager.default.createDirectory(atPath: "\(root)/home", withIntermediateDirectories: true)
            try FileManager.default.createDirectory(
                atPath: "\(root)/scratch", withIntermediateDirectories: true)
            // Jobs run on machines of their own: what is in /tmp there is here in a folder.
            let own = script.replacing("/tmp", with: "\"$SCRATCH\"")
            variables["SCRATCH"] = "\(root)/scratch"
            let process = try project.process([], environment: variables)
            process.executableURL = URL(filePath: "/bin/sh")
            process.arguments = ["-e", "-c", own]
            process.currentDirectoryURL = URL(filePath: place.isEmpty ? root : place)
            return try project.result(of: process)
        }

        func place(_ path: String) -> String { path == "/tmp" ? "\(root)/scratch" : "\(root)/\(path)" }
    }

    // MARK: - GitHub

    private struct Step {
        var folder = ""
        var script = ""
        var isAlways = false
    }

    /// Returns the steps of GitHub's job that a shell runs.
    private func githubSteps(_ yaml: String) -> [Step] {
        var steps: [Step] = []
        let normal = yaml.firstMatch(of: /\n        working-directory: (.+)\n/).map { String($0.1) } ?? ""
        let body = yaml.split(separator: "\n    steps:\n", maxSplits: 1).last ?? ""
        for item in body.split(separator: "\n      - ") {
            var step = Step(folder: normal)
            if let match = item.firstMatch(of: /working-directory: (.+)/) { step.folder = String(match.1) }
            step.isAlways = item.contains("if: ${{ !cancelled()")
            if let match = item.firstMatch(of: /run: \|\n([\s\S]*)/) {
                step.script = match.1.split(separator: "\n").map { $0.dropFirst(10) }.joined(separator: "\n")
            } else if let match = item.firstMatch(of: /run: (.+)/) {
                step.script = String(match.1)
            } else {
                continue
            }
            steps.append(step)
        }
        return steps
    }

    /// Runs the steps as GitHub does.
    private func runGitHub(_ machine: Machine, repository: String? = nil) throws -> (
        failed: [String], output: String
    ) {
        let steps = githubSteps(try machine.text(".github/workflows/drydock.yml"))
        #expect(steps.count == 4, "\(steps)")
        var (failed, output): ([String], String) = ([], "")
        for step in steps where failed.isEmpty || step.isAlways && !failed.contains("install") {
            let path = try machine.text("path.txt").split(separator: "\n").joined(separator: ":")
            var variables = [
                "GITHUB_OUTPUT": machine.place("output.txt"), "GITHUB_PATH": machine.place("path.txt"),
            ]
            if !path.isEmpty { variables["PATH"] = path }
            variables["DRYDOCK_REPOSITORY"] = repository
            let result = try machine.run(step.script, in: machine.place(step.folder), variables)
            output += result.output + result.errors
            if result.status != 0 {
                failed.append(step.script.hasPrefix("drydock") ? step.script : "install")
            }
        }
        return (failed, output)
    }

    private static let good = "ALTER TABLE email ADD COLUMN note TEXT;"
    private static let bad = "DELETE FROM email;"

    @Test(arguments: ["", "services/mail"]) func `the job on GitHub does its work`(_ folder: String) throws {
        let machine = try Machine("github", second: Self.good, in: folder)
        for _ in 0..<2 {
            let (failed, output) = try runGitHub(machine)
            #expect(failed.isEmpty && output.contains("passed"), "\(output)")
            try? FileManager.default.removeItem(atPath: machine.place("scratch/drydock"))
        }
        // The second time it is in the cache.
        #expect(try machine.text("builds.txt") == "built\n")
        #expect(try machine.text("apt.txt").contains("libsqlite3-0"))
        #expect(try machine.text("output.txt").firstMatch(of: /^commit=[0-9a-f]{40}\n/) != nil)
    }

    @Test func `the job on GitHub fails where the migrations do, and lint hides nothing`() throws {
        let machine = try Machine("github", second: Self.bad)
        let (failed, output) = try runGitHub(machine)
        #expect(failed.contains("drydock verify") && output.contains("rows-lost"), "\(failed)\(output)")
    }

    @Test func `the job on GitHub says what is not set`() throws {
        let machine = try Machine("github", second: Self.good)
        let (failed, output) = try runGitHub(machine, repository: "")
        #expect(
            failed == ["install"] && output.contains("DRYDOCK_REPOSITORY: is not set"), "\(failed)\(output)")
    }

    // MARK: - GitLab

    /// Returns the lines of GitLab's job as the one script that its runner makes of them.
    private func gitlabScript(_ yaml: String) -> String {
        var lines: [String] = []
        let end = yaml.range(of: "  artifacts:\n")?.lowerBound ?? yaml.endIndex
        let body = yaml[..<end].split(separator: "\n  before_script:\n", maxSplits: 1).last ?? ""
        for line in body.split(separator: "\n") where !line.hasPrefix("  script:") && !line.hasPrefix("    #")
        {
            if line == "    - |" { continue }
            lines.append(String(line.hasPrefix("    - ") ? line.dropFirst(6) : line.dropFirst(6)))
        }
        return lines.joined(separator: "\n")
    }

    private func runGitLab(_ machine: Machine, _ command: String) throws -> Project.Result {
        let yaml = try machine.text(".gitlab-ci.yml")
        #expect(yaml.contains("- DRYDOCK_COMMAND: [lint, verify]"))
        return try machine.run(
            gitlabScript(yaml), in: "",
            [
                "XDG_CACHE_HOME": machine.place(".cache"), "CI_PROJECT_DIR": machine.place(""),
                "DRYDOCK_COMMAND": command, "CI": "true", "GITLAB_CI": "true",
            ])
    }

    /// Returns the report that the job uploads.
    private func uploaded(by machine: Machine) throws -> String {
        let yaml = try machine.text(".gitlab-ci.yml")
        return try machine.text(String(try #require(yaml.firstMatch(of: /codequality: (.+)/)).output.1))
    }

    @Test(arguments: ["", "services/mail"]) func `the job on GitLab does its work`(_ folder: String) throws {
        let machine = try Machine("gitlab", second: Self.good, in: folder)
        for command in ["lint", "verify"] {
            let result = try runGitLab(machine, command)
            #expect(
                result.status == 0 && result.output.contains("passed"), "\(result.output)\(result.errors)")
            #expect(try uploaded(by: machine).hasPrefix("["))
            try? FileManager.default.removeItem(atPath: machine.place("scratch/drydock"))
        }
        #expect(try machine.text("builds.txt") == "built\n")
    }

    @Test func `the job on GitLab fails where the migrations do`() throws {
        let machine = try Machine("gitlab", second: Self.bad)
        let result = try runGitLab(machine, "verify")
        #expect(result.status == 1 && result.output.contains("rows-lost"), "\(result.output)\(result.errors)")
        #expect(try uploaded(by: machine).contains("rows-lost"))
    }
}

/// What the jobs need of a machine.
private enum ShellTools {
    static let arePresent: Bool = {
        let process = ChildProcess()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", "command -v git && command -v make"]
        process.standardOutput = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }()
}
