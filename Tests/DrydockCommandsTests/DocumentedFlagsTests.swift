import ArgumentParser
import Foundation
import Testing

@testable import DrydockCommands

/// The flags of the documentation exist, and every flag is documented.
@Suite struct DocumentedFlagsTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// All commands, those below another included.
    private static var commands: [any ParsableCommand.Type] {
        DrydockCommand.configuration.subcommands.flatMap { [$0] + $0.configuration.subcommands }
    }

    /// The flags that the help of a command lists.
    private func flags(of command: any ParsableCommand.Type) -> Set<String> {
        let help = DrydockCommand.helpMessage(for: command, columns: 4000)
        let lines = help.split(separator: "\n").map { $0.drop { $0 == " " } }.filter { $0.hasPrefix("-") }
        return Set(lines.flatMap { $0.matches(of: Self.flag).map { String($0.output.1) } })
    }

    private static var flag: Regex<(Substring, Substring)> { #/(?:^|[\s`\/(,'])(--[a-z][a-z-]*[a-z])/# }

    private static var otherProgram: Regex<(Substring, Substring)> {
        #/\b(git|gh|swift|make|python|npx|npm|cargo|sqlite3|docker|apt-get|prove|Scripts|alembic|rails|diesel|xcodebuild|systemd|go|wrangler|curl|manage\.py|knex|prisma|rsync|litestream|node|goose|sqlx|dbmate|flyway|drizzle-kit|pip|pipx|uvx)\b/#
    }

    @Test func everyFlagIsOnThePageOfItsCommand() throws {
        for command in Self.commands {
            let help = try #require(command as? any DrydockSubcommand.Type).help
            let name = help.name.split(separator: " ")[0]
            let page = try String(
                contentsOf: Self.root.appending(path: "docs/\(name).md"), encoding: .utf8)
            for flag in flags(of: command) where flag != "--help" && flag != "--version" {
                #expect(page.contains(flag), "\(name) \(flag)")
            }
        }
    }

    /// Flags on a line with another program's name are that program's.
    @Test func everyFlagInTheDocumentationExists() throws {
        let known = Self.commands.reduce(into: Set(["--generate-completion-script"])) {
            $0.formUnion(flags(of: $1))
        }
        let pages =
            try FileManager.default.contentsOfDirectory(atPath: Self.root.appending(path: "docs").path)
            .filter { $0.hasSuffix(".md") }.map { "docs/" + $0 } + ["README.md"]
        #expect(pages.count > 20)
        for page in pages {
            let text = try String(contentsOf: Self.root.appending(path: page), encoding: .utf8)
            for line in text.split(separator: "\n") where line.firstMatch(of: Self.otherProgram) == nil {
                for match in line.matches(of: Self.flag) where !known.contains(String(match.output.1)) {
                    Issue.record("\(page): \(match.output.1) in: \(line)")
                }
            }
        }
    }

    @Test func everyHelpFitsAScreen() throws {
        for command in Self.commands {
            let help = try #require(command as? any DrydockSubcommand.Type).help
            let known = flags(of: command)
            for line in help.screen.split(separator: "\n") where line.firstMatch(of: Self.otherProgram) == nil
            {
                for match in line.matches(of: Self.flag) {
                    #expect(known.contains(String(match.output.1)), "\(help.name): \(line)")
                }
            }
            let screen = help.screen.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
            #expect(screen.count <= 40, "\(help.name) has \(screen.count) lines")
            for line in screen { #expect(line.count <= 80, "\(help.name): \(line)") }
            for line in (help.examples + "\n" + help.exitStatus).split(separator: "\n") {
                #expect(line.count <= 77, "\(help.name): \(line)")
            }
            let words = help.name.split(separator: " ").map(String.init)
            #expect(DrydockCommand.helpScreen(for: words + ["--help"]) == help.screen)
            #expect(DrydockCommand.helpScreen(for: words + ["x", "-h"]) == help.screen)
            #expect(DrydockCommand.helpScreen(for: words + ["--", "-h"]) == nil)
        }
        let all = DrydockCommand.helpMessage(for: DrydockCommand.self, columns: 80)
        #expect(all.split(separator: "\n", omittingEmptySubsequences: false).count <= 40)
    }
}
