import Foundation
import Testing

/// Rules of the repository: forbidden code, and tests and pages for everything that needs them.
@Suite struct TidyTests {
    @Test func nothingTrapsOrIsLeftUndone() throws {
        let forbidden = #"\btry!|\bas!|\bfatalError\(|\bTODO\b|\bFIXME\b|[\)\]]!(?!=)"#
        for file in try Repository.swiftFiles(in: "Sources") {
            for line in try file.codeLines(with: forbidden) { Issue.record("\(file.path): \(line)") }
        }
    }

    /// Phrases that read as translated; docs/style.md has what to say instead.
    @Test func everythingIsPlainEnglish() throws {
        // "There is no" is how everyone says it.
        let forbidden =
            #"(?i)\b((?<!here )is no (?!longer|more)\w|(are|is|was) told|held against|is held to|mend(s|ed)?|so-manieth"#
            + "|anew|puts? right|guilty|written down|is another one|somebody|stands? in the way|lies in|in vain)"
        let pages = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"]
        let files = try ["Sources", "Examples", "docs"].flatMap(Repository.texts).filter {
            $0 != "docs/style.md"
        }
        #expect(files.count > 500)
        for path in files + pages {
            let file = Repository.File(path: path, text: try Repository.text(path))
            for line in try file.lines(with: forbidden) { Issue.record("\(path): \(line)") }
        }
    }

    /// An app branches on the reason of an error, never on its text.
    @Test func everyRequestErrorHasAReason() throws {
        for file in try Repository.swiftFiles(in: "Sources") {
            #expect(try file.lines(with: #"\bRequestError\(\s*""#) == [], "\(file.path)")
        }
    }

    /// What SQLite says is recognised in one file.
    @Test func onlyOneFileKnowsTheWordsOfSQLite() throws {
        let words =
            #"(hasPrefix|hasSuffix|contains|prefix:|==|case) ?\(?"(no such|unknown function|near \\|[A-Z ]+ constraint failed|NULL value in|cannot (add|drop|store|modify)|ambiguous column|duplicate column|malformed|datatype mismatch)"#
        for file in try Repository.swiftFiles(in: "Sources") where file.name != "SQLiteMessage.swift" {
            #expect(try file.codeLines(with: words) == [], "\(file.path)")
        }
    }

    /// Each rule has a section of its own on the page of rules.
    @Test func everyRuleIsDocumented() throws {
        let rules = try Repository.text("Sources/DrydockFindings/Catalogue/Rule.swift")
        let page = try Repository.text("docs/rules.md")
        let identifiers = rules.matches(of: /case \w+ = "([a-z-]+)"/).map { String($0.output.1) }
        #expect(identifiers.count > 20)
        for identifier in identifiers { #expect(page.contains("\n## `\(identifier)`\n"), "\(identifier)") }
    }

    /// Each rule is on the page of a command that reports it, or is one of lint's.
    @Test func everyRuleIsOnThePageOfACommand() throws {
        let rules = try Repository.text("Sources/DrydockFindings/Catalogue/RuleText.swift")
        let catalogue = try Repository.text("Sources/DrydockFindings/Catalogue/Rule.swift")
        let pages = try ["verify", "health", "diff", "vacuum", "migrate"].map {
            try Repository.text("docs/\($0).md")
        }
        .joined()
        let names = rules.matches(of: /case \.(\w+):/).map(\.output.1)
        #expect(names.count > 20)
        for name in names {
            let identifier = try #require(Self.identifier(ofRule: name, in: catalogue), "\(name)")
            #expect(pages.contains("`\(identifier)`"), "\(identifier)")
        }
    }

    /// Each row of the table of changes names files and folders that exist.
    @Test func theTableOfChangesIsTrue() throws {
        let text = try Repository.text("ARCHITECTURE.md")
        let rows = text.split(separator: "\n").filter { $0.hasPrefix("| ") && $0.contains(" | `") }
        #expect(rows.count > 20)
        let paths = try Repository.swiftFiles(in: "Sources").map { $0.path.dropFirst("Sources/".count) }
        for row in rows {
            for name in row.split(separator: "|")[1].matches(of: /`([\w\/+]+)`/).map(\.output.1) {
                #expect(
                    paths.contains { "/\($0)".contains("/\(name)/") || "/\($0)".hasSuffix("/\(name).swift") },
                    "\(name)")
            }
        }
    }

    /// Every command has a page of its name, and the README links to it.
    @Test func everyCommandHasAPage() throws {
        let readme = try Repository.text("README.md")
        let names = try Repository.swiftFiles(in: "Sources/DrydockCommands").flatMap { file in
            file.text.matches(of: /CommandHelp\(\s+name: "([a-z]+)"/).map { String($0.output.1) }
        }
        #expect(names.count >= 10)
        for name in names {
            #expect(readme.contains("**[\(name)](docs/\(name).md)**"), "\(name)")
            #expect(try Repository.text("docs/\(name).md").contains("drydock help \(name)"), "\(name)")
        }
    }

    /// One paragraph and one example for each command; anything longer belongs in docs/.
    @Test func readmeIsShort() throws {
        let lines = try Repository.text("README.md").split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count <= 181)
    }

    /// Every rule of a step, of a state and of lint has a mirrored test file.
    @Test(arguments: ["Replay": "State", "State": "State", "Lint": "Lint"])
    func rulesHaveTests(_ target: String, _ tested: String) throws {
        let rules = try Repository.swiftFiles(in: "Sources/Drydock\(target)/Rules").map {
            $0.name.dropLast(6)
        }.filter { $0.hasSuffix("Rule") && !["ReplayRule", "StateRule"].contains($0) }
        #expect(rules.count >= 4)
        let tests = try Repository.swiftFiles(in: "Tests/Drydock\(tested)Tests/Rules").map(\.name)
        for rule in rules { #expect(tests.contains("\(rule)Tests.swift"), "\(rule)") }
    }

    /// Every health check is registered, has a mirrored test file and a row on the page of health.
    @Test func healthChecksAreComplete() throws {
        let checks = try Repository.swiftFiles(in: "Sources/DrydockMaintenance/Health/Checks")
        #expect(checks.count > 20)
        let registry = try Repository.text("Sources/DrydockMaintenance/Health/HealthCheck.swift")
        let catalogue = try Repository.text("Sources/DrydockFindings/Catalogue/Rule.swift")
        let rows = try Repository.text("docs/health.md").split(separator: "\n").filter { $0.hasPrefix("| `") }
        let tests = try Repository.swiftFiles(in: "Tests/DrydockMaintenanceTests/Health/Checks").map(\.name)
        for check in checks {
            let type = check.name.dropLast(6)
            let name = try #require(check.text.firstMatch(of: /HealthCheckText\(\s*\.([A-Za-z]+)/)).output.1
            let rule = try #require(Self.identifier(ofRule: name, in: catalogue), "\(type)")
            #expect(rows.contains { $0.contains("`\(rule)`") }, "\(type)")
            #expect(tests.contains("\(type)Tests.swift"), "\(type)")
            #expect(registry.contains("\(type)()"), "\(type)")
        }
    }

    /// Every migration format is registered, has a mirrored test file and a row on the page of formats.
    @Test func formatsAreComplete() throws {
        let formats = try Repository.swiftFiles(in: "Sources/DrydockMigrations/Formats")
            .filter { $0.name.hasSuffix("Format.swift") }
        #expect(formats.count > 10)
        let registry = try Repository.text("Sources/DrydockMigrations/Tools/ToolProfile+All.swift")
        let rows = try Repository.text("docs/formats.md").split(separator: "\n").filter {
            $0.hasPrefix("| `")
        }
        let tests = try Repository.swiftFiles(in: "Tests/DrydockMigrationsTests").map(\.name)
        for format in formats {
            let type = format.name.dropLast(6)
            let name = try #require(format.text.firstMatch(of: /[nN]ame = "([a-z0-9-]+)"/)).output.1
            #expect(rows.contains { $0.contains("`\(name)`") }, "\(type)")
            // Every other test runs Drydock's own format; a custom one comes with drydock.yml.
            if type != "DrydockFormat" { #expect(tests.contains("\(type)Tests.swift"), "\(type)") }
            guard type != "CustomFormat" else { continue }
            let profile = try #require(
                format.text.firstMatch(of: /static let (\w+) = ToolProfile\(/), "\(type)")
            #expect(format.text.contains("\(type)(),"), "\(type)")
            #expect(registry.contains(".\(profile.output.1),"), "\(type)")
        }
    }

    /// Every tool whose migrations are code is registered, and has a case among the tests of their recipes.
    @Test func toolsInCodeAreComplete() throws {
        let tools = try Repository.swiftFiles(in: "Sources/DrydockMigrations/Tools")
            .filter { $0.name.hasSuffix("Tool.swift") }
        #expect(tools.count > 5)
        let registry = try Repository.text("Sources/DrydockMigrations/Tools/ToolProfile+All.swift")
        let tests = try Repository.text("Tests/DrydockMigrationsTests/Tools/CodeMigrationsTests.swift")
        for tool in tools {
            let profile = try #require(tool.text.firstMatch(of: /static let (\w+) = ToolProfile\(/)).output.1
            let name = try #require(tool.text.firstMatch(of: /CodeMigrations\(\s+("[^"]+")/)).output.1
            #expect(registry.contains(".\(profile),"), "\(tool.name)")
            #expect(tests.contains("(\(name), [") || tests.contains("            \(name)"), "\(tool.name)")
        }
    }

    /// Returns the identifier in reports of a case of `Rule`.
    private static func identifier(ofRule name: Substring, in catalogue: String) -> Substring? {
        for line in catalogue.split(separator: "\n") {
            let words = line.split(separator: " ")
            guard words.first == "case", words.count > 1, words[1] == name else { continue }
            return words.count == 4 ? words[3].dropFirst().dropLast() : name
        }
        return nil
    }
}
