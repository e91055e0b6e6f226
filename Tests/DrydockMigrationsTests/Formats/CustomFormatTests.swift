import Drydock
import Testing

@testable import DrydockTestSupport

@Suite struct CustomFormatTests {
    /// A project like memos: a folder for each release, a number in it, the newest version in a setting.
    static let project = ToolProject(
        files: [
            "0.9/00__people.sql": ToolProject.one, "0.9/01__born.sql": ToolProject.two,
            "0.10/00__index.sql": ToolProject.three,
            "LATEST.sql": ToolProject.one.replacing(
                "name TEXT NOT NULL)", with: "name TEXT NOT NULL, born TEXT)")
                + ToolProject.three,
        ],
        history:
            "CREATE TABLE setting(name TEXT PRIMARY KEY, value); INSERT INTO setting VALUES ('version', '0.9.1');"
    )

    static var format: CustomFormat {
        var format = CustomFormat(
            files: #"(?<release>[0-9]+\.[0-9]+)/(?<patch>[0-9]+)__.*\.sql"#,
            query: "SELECT value FROM setting WHERE name = 'version'")
        format.identifier = "${release}.${patch+1}"
        format.isNewestOnly = true
        format.historyTable = "setting"
        format.schema = "LATEST.sql"
        format.record = ["UPDATE setting SET value = :version WHERE name = 'version'"]
        format.policy.transaction = .all
        return format
    }

    @Test func pendingMigrationsAreReplayed() async throws {
        let report = try await Self.project.verify { $0.migrations.options.custom = Self.format }
        report.expectNothing()
        #expect(report.steps == ["0.9.2", "0.10.1"])
    }

    @Test func textOrderMakesAMigrationLate() async throws {
        let report = try await Self.project.verify {
            $0.migrations.options.custom = Self.format
            $0.migrations.options.custom?.order = .text
        }
        // As text 0.10 sorts before 0.9, so that it is late.
        #expect(report.replays[0].steps.map(\.migration) == ["0.9.2"])
    }

    @Test func aBrokenPatternIsRefused() async throws {
        let refusal = try await Self.project.refusal {
            $0.migrations.options.custom = Self.format
            $0.migrations.options.custom?.files = "(?<version>"
        }
        #expect(refusal.contains("custom.files"))
    }

    // MARK: - The history among the app's own rows

    /// Returns the report if this is the last migration and the table `setting` holds a theme beside the version.
    private func shared(
        _ sql: String, _ configure: (inout CustomFormat) -> Void = { _ in }
    ) async throws -> Report {
        var project = Self.project.with("0.10/00__index.sql", sql).with("LATEST.sql", nil)
        project.history =
            "CREATE TABLE setting(name TEXT PRIMARY KEY, value, at); INSERT INTO setting(name, value) "
            + #"VALUES ('theme', 'dark'), ('basic', '{"version":"0.9.1","secret":"x"}');"#
        var format = Self.format
        format.schema = nil
        format.query = "SELECT json_extract(value, '$.version') FROM setting WHERE name = 'basic'"
        format.record = [
            "UPDATE setting SET value = json_set(value, '$.version', :version) WHERE name = 'basic'"
        ]
        configure(&format)
        return try await project.verify { [format] in $0.migrations.options.custom = format }
    }

    @Test func whatRecordWritesIsNotAChange() async throws {
        let report = try await shared("SELECT 1;")
        #expect(report.rules(.error).isEmpty && report.rules(.warning).isEmpty, "\(report.faults)")
        #expect(report.steps == ["0.9.2", "0.10.1"])
    }

    @Test(arguments: [
        ("DELETE FROM setting WHERE name = 'theme';", Rule.rowsLost),
        ("UPDATE setting SET value = 'light' WHERE name = 'theme';", .valuesChanged),
        ("UPDATE setting SET value = json_remove(value, '$.secret') WHERE name = 'basic';", .valuesChanged),
    ])
    func otherRowsOfTheHistorysTableAreData(_ sql: String, _ rule: Rule) async throws {
        let report = try await shared(sql)
        #expect(report.rules(.error) == [rule], "\(report.faults)")
        #expect(try report.finding(rule).place?.line == 1)
        // Also if no two runs would record the same.
        let timed = try await shared(sql) { format in
            format.record[0] = format.record[0].replacing(" WHERE", with: ", at = random() WHERE")
        }
        #expect(timed.rules(.error) == [rule], "\(timed.faults)")
    }

    @Test func rowsAddedBesideTheVersionAreReported() async throws {
        let report = try await shared("INSERT INTO setting VALUES ('zoom', 1, NULL);")
        #expect(report.rules(.warning) == [.rowsAdded], "\(report.findings.map(\.line))")
        #expect(report.rules(.error).isEmpty, "\(report.faults)")
    }

    @Test func recordsThatDifferInEveryRunAreAccepted() async throws {
        let report = try await shared("SELECT 1;") { format in
            format.record[0] = format.record[0].replacing(" WHERE", with: ", at = random() WHERE")
        }
        #expect(report.rules(.error).isEmpty && report.rules(.warning).isEmpty, "\(report.faults)")
    }

    /// Without `record`, only the query's result may change.
    @Test func aMigrationThatRecordsItself() async throws {
        func verify(_ sql: String) async throws -> Report {
            try await Self.project.with("0.9/01__born.sql", nil).with("0.10/00__index.sql", sql)
                .with("LATEST.sql", nil).verify {
                    $0.migrations.options.custom = Self.format
                    $0.migrations.options.custom?.schema = nil
                    $0.migrations.options.custom?.record = []
                }
        }
        let record = "UPDATE setting SET value = '0.10.1' WHERE name = 'version';"
        #expect(try await verify(record).rules(.error).isEmpty)
        let other = try await verify(record + "UPDATE setting SET name = 'x' WHERE name = 'version';")
        #expect(other.rules(.error).contains(.rowsLost), "\(other.faults)")
    }

    /// Where no table is named, those that the query reads hold the history.
    @Test func aPlainQueryNamesTheTables() async throws {
        func verify(_ last: String, _ isGenerated: Bool) async throws -> Report {
            var project = Self.project.with("0.10/00__index.sql", ToolProject.three + last)
            project.files["LATEST.sql"] = nil
            project.files["0.9/00__people.sql"] =
                "CREATE TABLE done(v TEXT, note TEXT DEFAULT 'x'); INSERT INTO done(v) VALUES ('0.9.1');"
                + ToolProject.one
            project.files["0.9/01__born.sql"] = ToolProject.two + "INSERT INTO done(v) VALUES ('0.9.2');"
            project.history =
                "CREATE TABLE done(v TEXT, note TEXT DEFAULT 'x'); INSERT INTO done(v) VALUES ('0.9.1');"
            return try await project.verify {
                $0.migrations.options.custom = Self.format
                $0.migrations.options.custom?.schema = nil
                $0.migrations.options.custom?.historyTable = nil
                $0.migrations.options.custom?.record = []
                $0.migrations.options.custom?.isNewestOnly = false
                $0.migrations.options.custom?.query = "SELECT v FROM done"
                if isGenerated {
                    $0.snapshots.folder += "/none"
                    $0.snapshots.isFolderNamed = false
                }
            }
        }
        for isGenerated in [false, true] {
            let report = try await verify("INSERT INTO done(v) VALUES ('0.10.1');", isGenerated)
            #expect(report.findings.filter { $0.severity > .note }.isEmpty, "\(report.findings.map(\.line))")
        }
        let loss = try await verify("UPDATE done SET note = 'y';", false)
        #expect(
            loss.rules(.error).contains { [.rowsLost, .valuesChanged].contains($0) },
            "\(loss.findings.map(\.line))")
    }

    /// Without `unrecord` nobody knows how the tool removes a record, so that the history is left as it is.
    @Test(arguments: ["row", "update"]) func aWayBackWithoutUnrecord(_ kind: String) async throws {
        let inserts = kind == "row"
        var format = CustomFormat(
            files: #"(?<version>[0-9]+)_[a-z]+(?<down>\.down)?\.sql"#, query: "SELECT version FROM applied")
        format.historyTable = "applied"
        format.isNewestOnly = !inserts
        format.setup = ["CREATE TABLE IF NOT EXISTS applied(version TEXT PRIMARY KEY)"]
        format.record = [
            inserts ? "INSERT INTO applied VALUES (:version)" : "UPDATE applied SET version = :version"
        ]
        let project = ToolProject(
            files: [
                "1_people.sql": ToolProject.one, "2_born.sql": ToolProject.two,
                "2_born.down.sql": "ALTER TABLE person DROP COLUMN born;", "3_index.sql": ToolProject.three,
                "3_index.down.sql": "SELECT 1;",
            ],
            history: "CREATE TABLE applied(version TEXT PRIMARY KEY); INSERT INTO applied VALUES ('1');")
        let report = try await project.verify { [format] in
            $0.migrations.options.custom = format
            $0.checks.rollback = true
        }
        #expect(report.steps == ["2", "3"])
        // The second way back does nothing, and only that is reported.
        let broken = report.findings.filter { $0.severity == .error }
        #expect(broken.allSatisfy { $0.migration == "3" }, "\(report.findings.map(\.line))")
        #expect(!broken.contains { $0.message.contains("UNIQUE") }, "\(report.findings.map(\.line))")
    }

    @Test func aSecondFormatIsRefused() async throws {
        let refusal = try await Self.project.refusal {
            $0.migrations.options.custom = Self.format
            $0.migrations.format = "goose"
        }
        #expect(refusal.contains("'migrationFormat: goose'") && refusal.contains("'custom'"))
    }

    @Test func aMissingRecordIsNamed() async throws {
        let report = try await Self.project.verify {
            $0.migrations.options.custom = Self.format
            $0.migrations.options.custom?.record = []
        }
        report.expect(errors: [.notIdempotent])
        #expect(try report.finding(.notIdempotent).message.hasSuffix("since nothing records them"))
        #expect(try report.finding(.notIdempotent).help.contains("'record' under 'custom: history:'"))
    }
}
