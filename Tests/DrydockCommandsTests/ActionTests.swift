import Foundation
import Testing

@testable import DrydockCommands

/// Scripts/action, which action.yml calls: its steps run as GitHub's runner runs them, with a stand-in for `gh`.
@Suite(.serialized, .enabled(if: ShellScripts.areAsked, ShellScripts.hint)) struct ActionTests {
    private static let script = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Scripts/action")

    /// A job on a runner.
    private struct Job {
        let project: Project

        /// - Parameter gh: the stand-in's script; nil for a machine without it.
        init(second: String, gh: String? = Self.gh) throws {
            project = try Project(second: second)
            for folder in ["temp", "bin"] {
                try FileManager.default.createDirectory(
                    at: project.folder.appending(path: folder), withIntermediateDirectories: true)
            }
            if let gh { try project.writeProgram("bin/gh", "#!/bin/bash\n" + gh) }
        }

        /// Knows one comment, of which `known.txt` has the first line, and notes what it is asked for.
        static let gh = """
            echo "$@" >> "$ROOT/asked.txt"
            case "$*" in
            *--paginate*) [ "$(cat "$ROOT/known.txt" 2>/dev/null)" != "$DRYDOCK_FIRST_LINE" ] || echo 71 ;;
            *POST*) head -n 1 "$RUNNER_TEMP/drydock-comment.md" > "$ROOT/known.txt" ;;
            esac
            """

        func step(_ name: String, _ variables: [String: String] = [:]) throws -> Project.Result {
            let root = project.folder.path
            var all = variables
            let known = (try? String(contentsOfFile: "\(root)/path.txt", encoding: .utf8)) ?? ""
            let path = known.split(separator: "\n").joined(separator: ":")
            all["PATH"] = "\(root)/bin:\(path):/usr/bin:/bin"
            all["ROOT"] = root
            all["RUNNER_TEMP"] = "\(root)/temp"
            all["GITHUB_ACTIONS"] = "true"
            all["CI"] = "true"
            all["GITHUB_PATH"] = "\(root)/path.txt"
            all["GITHUB_OUTPUT"] = "\(root)/output.txt"
            all["GITHUB_STEP_SUMMARY"] = "\(root)/summary.md"
            all["GITHUB_REPOSITORY"] = "owner/app"
            all["GITHUB_ACTION_PATH"] = "\(root)/action"
            let process = try project.process([], environment: all)
            process.executableURL = URL(filePath: "/bin/bash")
            process.arguments = [ActionTests.script.path, name]
            process.currentDirectoryURL = project.folder
            return try project.result(of: process)
        }

        func install() throws {
            let link = try project.shell("readlink -f \"$DRYDOCK\"").output
            let result = try step("install", ["DRYDOCK_BINARY": link.split(separator: "\n").joined()])
            #expect(result.status == 0, "\(result.output)\(result.errors)")
        }

        func text(_ path: String) -> String {
            (try? String(contentsOf: project.folder.appending(path: path), encoding: .utf8)) ?? ""
        }

        /// An output of the step that runs drydock.
        func output(_ name: String) -> String? {
            text("output.txt").split(separator: "\n").last { $0.hasPrefix(name + "=") }.map {
                String($0.dropFirst(name.count + 1))
            }
        }

        func comment() throws -> Project.Result {
            try step(
                "comment",
                [
                    "DRYDOCK_MARKER": "drydock verify .", "DRYDOCK_PULL_REQUEST": "5",
                    "DRYDOCK_MARKDOWN": output("markdown") ?? "",
                ])
        }
    }

    private static let bad = "DELETE FROM email;"

    @Test func `errors are shown beside the line, in the summary and in one comment`() throws {
        let job = try Job(second: Self.bad)
        try job.install()
        let run = try job.step("run", ["DRYDOCK_COMMAND": "verify", "DRYDOCK_ARGS": "--no-cache"])
        #expect(run.status == 0, "\(run.output)\(run.errors)")
        #expect(job.output("status") == "1")
        #expect(run.output.contains("rows-lost") && run.output.contains("::error "), "\(run.output)")
        #expect(job.text("summary.md").contains("rows-lost"))
        let sarif = try #require(job.output("sarif"))
        #expect(try String(contentsOfFile: sarif, encoding: .utf8).contains("\"rows-lost\""))
        for count in 1...2 {
            #expect(try job.comment().status == 0)
            #expect(job.text("asked.txt").split(separator: "\n").count == 2 * count)
        }
        let asked = job.text("asked.txt").split(separator: "\n")
        #expect(asked[1].contains("--method POST repos/owner/app/issues/5/comments"))
        #expect(asked[3].contains("--method PATCH repos/owner/app/issues/comments/71"))
        let body = job.text("temp/drydock-comment.md")
        #expect(body.hasPrefix("<!-- drydock verify . -->\n") && body.contains("rows-lost"))
        #expect(body.unicodeScalars.count < 65_536)
    }

    @Test func `arguments with spaces stay whole, and nothing in them is run`() throws {
        let job = try Job(second: "ALTER TABLE email ADD COLUMN note TEXT;")
        try job.install()
        let run = try job.step(
            "run",
            [
                "DRYDOCK_COMMAND": "verify",
                "DRYDOCK_ARGS": "--snapshots 'no such folder' --migrations '$(touch made)'",
            ])
        #expect(job.output("status") == "2")
        #expect((run.output + run.errors).contains("$(touch made)"), "\(run.output)\(run.errors)")
        #expect(
            job.text("made").isEmpty
                && !FileManager.default.fileExists(atPath: job.project.folder.path + "/made"))
    }

    @Test(arguments: ["exit 1", nil]) func `a comment that cannot be written fails nothing, and is said`(
        _ gh: String?
    )
        throws
    {
        let job = try Job(second: Self.bad, gh: gh)
        try job.install()
        _ = try job.step("run", ["DRYDOCK_COMMAND": "verify"])
        let result = try job.comment()
        #expect(
            result.status == 0 && result.output.contains("::notice title=Drydock::No comment was written"))
    }

    @Test(.enabled(if: PackageTools.arePresent, "it needs tar and gzip"), arguments: [true, false])
    func `a release's archive is installed, if its checksum is right`(_ isWhole: Bool) throws {
        let gh = """
            [ "$1 $2" = "release download" ] && cp "$ROOT"/release/* "$RUNNER_TEMP" && echo "$@" >> "$ROOT/asked.txt"
            """
        let job = try Job(second: Self.bad, gh: gh)
        let tree = try PackageTree(job.project)
        try job.project.writeProgram("tree/bin/drydock", "#!/bin/sh\necho drydock 9.8.7\n")
        let made = try tree.make("tarball", into: "release")
        #expect(made.status == 0, "\(made.errors)")
        if !isWhole {
            _ = try job.project.shell(
                "cd '\(job.project.folder.path)'/release && for file in *.gz; do echo more >> $file; done")
        }
        let result = try job.step(
            "install", ["DRYDOCK_ACTION_REPOSITORY": "owner/drydock", "DRYDOCK_ACTION_REF": "v1"])
        #expect(job.text("asked.txt").hasPrefix("release download v1 --repo owner/drydock"))
        if isWhole {
            #expect(result.status == 0, "\(result.output)\(result.errors)")
            #expect(job.text("path.txt").hasSuffix("temp/drydock/bin\n"))
            #expect(result.output.hasPrefix("drydock 9.8.7\n"))
        } else {
            #expect(
                result.status == 2 && result.output.contains("The checksum of drydock-"), "\(result.output)")
        }
    }

    @Test func `what cannot be installed is an error that says what to do`() throws {
        let job = try Job(second: Self.bad, gh: "exit 1")
        let named = try job.step("install", ["DRYDOCK_BINARY": "/no/such/drydock"])
        #expect(named.status == 2 && named.output.hasPrefix("::error title=Drydock::/no/such/drydock"))
        let other = try job.step(
            "install", ["DRYDOCK_ACTION_REPOSITORY": "owner/drydock", "DRYDOCK_ACTION_REF": "v1"])
        // A machine with Swift would build it, which a stand-in for the repository refuses.
        #expect(other.status != 0)
    }
}
