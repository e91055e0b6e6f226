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
        let (flag, otherProgram) = (Self.flag, Self.otherProgram)
        for page in pages {
            let text = try String(contentsOf: Self.root.appending(path: page), encoding: .utf8)
            for line in text.split(separator: "\n") where line.firstMatch(of: otherProgram) == nil {
                for match in line.matches(of: flag) where !known.contains(String(match.output.1)) {
                    Issue.record("\(page): \(match.output.1) in: \(line)")
                }
            }
        }
    }

    @Test func everyHelpFitsAScreen() throws {
        let (flag, otherProgram) = (Self.flag, Self.otherProgram)
        for command in Self.commands {
            let command = try #require(command as? any DrydockSubcommand.Type)
            let (help, text, known) = (command.help, command.screen, flags(of: command))
            let page = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
            for line in page where line.firstMatch(of: otherProgram) == nil {
                for match in line.matches(of: flag) {
                    #expect(known.contains(String(match.output.1)), "\(help.name): \(line)")
                }
            }
            #expect(page.count <= 40, "\(help.name) has \(page.count) lines")
            for line in page { #expect(line.count <= 80, "\(help.name): \(line)") }
            for line in (help.examples + "\n" + help.exitStatus).split(separator: "\n") {
                #expect(line.count <= 77, "\(help.name): \(line)")
            }
            let words = help.name.split(separator: " ").map(String.init)
            #expect(DrydockCommand.helpScreen(for: words + ["--help"]) == text)
            #expect(DrydockCommand.helpScreen(for: words + ["x", "-h"]) == text)
            #expect(DrydockCommand.helpScreen(for: words + ["--", "-h"]) == nil)
        }
        let all = DrydockCommand.helpMessage(for: DrydockCommand.self, columns: 80)
        #expect(all.split(separator: "\n", omittingEmptySubsequences: false).count <= 40)
    }

    @Test func everyCommonOptionExists() throws {
        for command in Self.commands {
            let command = try #require(command as? any DrydockSubcommand.Type)
            let (facts, names) = (CommandFacts.of(command), command.help.common.split(separator: /\s+/))
            #expect(names.isEmpty == (facts.subcommands?.isEmpty == false), "\(command.help.name)")
            #expect(Set(names).count == names.count, "\(command.help.name)")
            for name in names {
                let option = try #require(facts["--\(name)"], "\(command.help.name): \(name)")
                #expect(command.screen.contains(HelpLine(option).label), "\(command.help.name): \(name)")
                #expect(!HelpLine(option).text.isEmpty, "\(command.help.name): \(name)")
            }
        }
    }
}
