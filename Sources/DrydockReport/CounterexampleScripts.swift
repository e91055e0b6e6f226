import Drydock
import SQLiteSchema

/// Writes each finding that generated rows show as a script for SQLite's shell: `sqlite3 < SCRIPT` shows it.
package enum CounterexampleScripts {
    /// The name for `--report`.
    package static let name = "sql"

    /// The first line of every script, by which the next run knows its own.
    package static let mark =
        "-- Written by drydock verify --report sql=FOLDER, which deletes it at the next run"

    package struct Script: Sendable {
        package var fileName: String
        package var text: String
    }

    package static func scripts(of report: Report) -> [Script] {
        report.findings.compactMap { finding in finding.counterexample.map { (finding, $0) } }
            .enumerated().map { number, pair in
                let (finding, example) = pair
                let parts = [finding.rule.rawValue, finding.table, finding.migration].compactMap(\.self)
                return Script(
                    fileName: "\(padded(number + 1))-\(parts.map(plain).joined(separator: "-")).sql",
                    text: text(finding, example))
            }
    }

    /// - Parameter mark: the first line.
    package static func text(
        _ finding: Finding, _ example: Counterexample, mark: String = mark
    ) -> String {
        let isFailure = finding.rule == .migrationFailed
        var lines = [
            mark, "-- \(finding.severity.rawValue)[\(finding.rule.rawValue)] \(comment(finding.message))",
        ]
        if let place = finding.place {
            lines.append("-- \(comment(place.file))\(place.line.map { ":\($0)" } ?? "")")
        }
        let database = example.command == nil ? "" : Counterexample.databaseName + " "
        lines.append("-- Run it with: sqlite3 \(database)< THIS_FILE")
        if let command = example.command {
            lines.append("-- and then, where that file is, the project's own command:")
            lines += command.split(separator: "\n", omittingEmptySubsequences: false).map { "--   \($0)" }
        }
        lines += ["", "-- The schema that the migration meets"] + statements(example.schema)
        lines += ["", "-- Rows that its constraints allow"] + statements(example.inserts)
        // Values as literals, so that 1 and '1' differ.
        lines += ["", ".mode quote"]
        let checks = statements(example.checks)
        if !isFailure {
            lines += ["", "-- Before"] + example.tables.map { rows(of: $0, "before") } + checks
        }
        guard example.command == nil else { return lines.joined(separator: "\n") + "\n" }
        lines += ["", "-- \(title(finding, example))"] + settings(example) + statements(example.migration)
        for sequel in example.sequels {
            lines += ["", "-- \(comment(sequel.title))"] + statements(sequel.statements)
        }
        if !isFailure {
            lines += ["", "-- After (a table that is gone gives an error)"]
            lines += example.tables.map { rows(of: $0, "after") } + checks
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func title(_ finding: Finding, _ example: Counterexample) -> String {
        guard !example.migration.isEmpty else { return "No migration is needed" }
        guard let migration = finding.migration else { return "The migrations" }
        let isFailure = finding.rule == .migrationFailed
        return (isFailure ? "The migration, which fails: " : "The migration: ") + comment(migration)
    }

    /// Returns the settings of the tool's connections, whose default is not that of every shell.
    private static func settings(_ example: Counterexample) -> [String] {
        guard let readsText = example.readsQuotedText else { return [] }
        return ["dml", "ddl"].map { ".dbconfig dqs_\($0) \(readsText ? "on" : "off")" }
    }

    private static func rows(of table: String, _ moment: String) -> String {
        "SELECT \(quotedText("\(moment), \(table):")), * FROM \(quotedName(table));"
    }

    private static func statements(_ statements: [String]) -> [String] {
        // A comment at the end would hide the semicolon. A command of the shell has none.
        statements.map { $0.hasPrefix(".") ? $0 : $0.contains("--") ? "\($0)\n;" : "\($0);" }
    }

    private static func comment(_ text: String) -> String { VisibleText.line(text) }

    private static func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

    /// Returns a name as a part of a file's name.
    private static func plain(_ name: String) -> String {
        let plain = name.unicodeScalars.map { scalar in
            scalar.isASCII
                && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar) || scalar == "_")
                ? Character(scalar) : "-"
        }
        return String(plain.prefix(40))
    }
}
