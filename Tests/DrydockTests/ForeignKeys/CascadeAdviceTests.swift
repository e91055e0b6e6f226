import Drydock
import Testing

/// DROP TABLE of a parent while foreign keys are on, in each tool's migrations.
@Suite struct CascadeAdviceTests {
    private static let bare = """
        CREATE TABLE new_person(id INTEGER PRIMARY KEY, name TEXT NOT NULL, born TEXT DEFAULT '');
        INSERT INTO new_person SELECT id, name, born FROM person;
        DROP TABLE person;
        ALTER TABLE new_person RENAME TO person;

        """

    private static func drizzle(_ sql: String) -> ToolProject {
        DrizzleFormatTests.project.with("0002_index.sql", DrizzleFormatTests.pieces(sql))
    }

    @Test func drizzlesOwnRebuildRunsWithForeignKeysOffAroundIt() async throws {
        let project = Self.drizzle(ToolProject.rebuild)
        let finding = try await project.verify().finding(.rowsLost)
        #expect(
            finding.message.hasSuffix(
                ": DROP TABLE person in line 7 deletes what they reference, and ON DELETE CASCADE acts on them"
            ),
            "\(finding.message)")
        #expect(finding.help.contains("client.pragma('foreign_keys = OFF')"))
        let report = try await project.verify { $0.format.foreignKeys = false }
        #expect(report.rules(.error).isEmpty, "\(report.findings.map(\.line))")
    }

    /// What the help proposes for D1.
    @Test func childrenThatAreCopiedAndBroughtBackAreKept() async throws {
        let sql =
            "CREATE TABLE kept_pet AS SELECT * FROM pet;\n" + Self.bare
            + "INSERT INTO pet SELECT * FROM kept_pet;\nDROP TABLE kept_pet;\n"
        let report = try await Self.drizzle(sql).verify()
        report.expect(warnings: [.migrationEdited])
    }

    /// NO ACTION refuses the DROP TABLE.
    @Test func aRefusedDropIsExplained() async throws {
        var project = Self.drizzle(ToolProject.rebuild)
        project.schema = project.schema.replacing(" ON DELETE CASCADE", with: "")
        project.files["0000_people.sql"] = DrizzleFormatTests.pieces(project.schema)
        let finding = try await project.verify().finding(.migrationFailed)
        #expect(
            finding.message.hasSuffix(
                "FOREIGN KEY constraint failed: 2 rows of pet (person_id) reference no row of person, since DROP TABLE deletes the rows of person first while foreign keys are on"
            ), "\(finding.message)")
        #expect(finding.help.contains("client.pragma('foreign_keys = OFF')"))
        let report = try await project.verify { $0.format.foreignKeys = false }
        #expect(report.rules(.error).isEmpty, "\(report.findings.map(\.line))")
    }

    /// SET NULL changes values.
    @Test func setNullIsExplained() async throws {
        var project = Self.drizzle(ToolProject.rebuild)
        project.schema = project.schema.replacing(
            "NOT NULL REFERENCES person(id) ON DELETE CASCADE",
            with: "REFERENCES person(id) ON DELETE SET NULL")
        let finding = try await project.verify().finding(.valuesChanged)
        #expect(finding.message.hasSuffix("and ON DELETE SET NULL acts on them"), "\(finding.message)")
    }

    /// The statement that holds each file back from the tool's transaction.
    @Test func otherToolsTakeThePragmaOutsideOfTheirTransaction() async throws {
        let open = "PRAGMA foreign_keys = OFF;\nBEGIN;\n\(Self.bare)COMMIT;\nPRAGMA foreign_keys = ON;\n"
        let projects: [(ToolProject, String, String, String)] = [
            (
                GooseFormatTests.project, "003_index.sql", "-- +goose Up\n\(Self.bare)",
                "-- +goose NO TRANSACTION\n-- +goose Up\n\(open)"
            ),
            (
                DbmateFormatTests.project, "20240103_index.sql", "-- migrate:up\n\(Self.bare)",
                "-- migrate:up transaction:false\n\(open)"
            ),
        ]
        for (project, file, bad, good) in projects {
            let report = try await project.with(file, bad).verify { $0.format.foreignKeys = true }
            let finding = try report.finding(.rowsLost)
            #expect(finding.help.contains("PRAGMA foreign_keys = OFF"), "\(finding.help)")
            let second = try await project.with(file, good).verify { $0.format.foreignKeys = true }
            #expect(second.rules(.error).isEmpty, "\(file) \(second.findings.map(\.line))")
        }
    }

    /// The commit is refused, and the statement to blame is named.
    @Test func aRefusedCommitNamesTheStatement() async throws {
        let sql = "PRAGMA defer_foreign_keys = ON;\nINSERT INTO pet VALUES (9, 99, 'X');\n"
        var project = Self.drizzle(sql)
        project.schema = project.schema.replacing(" ON DELETE CASCADE", with: "")
        let finding = try await project.verify().finding(.migrationFailed)
        #expect(
            finding.message.hasSuffix("reference no row of person: line 3 inserts them")
                || finding.message.hasSuffix("references no row of person: line 3 inserts them"),
            "\(finding.message)")
        #expect(finding.place?.line == 3)
    }

    /// A statement is refused at once.
    @Test func aRefusedInsertNamesTheParent() async throws {
        let finding = try await Self.drizzle("INSERT INTO pet VALUES (9, 99, 'X');\n").verify().finding(
            .migrationFailed)
        #expect(
            finding.message.hasSuffix(
                "1 row of pet (person_id) references no row of person: line 1 inserts them"),
            "\(finding.message)")
    }
}
