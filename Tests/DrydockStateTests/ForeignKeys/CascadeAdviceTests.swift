import Drydock
import Foundation
import Testing

@testable import DrydockTestSupport

/// DROP TABLE of a parent with foreign keys on, in each tool's migrations.
@Suite struct CascadeAdviceTests {
    private static let bare = """
        CREATE TABLE new_person(id INTEGER PRIMARY KEY, name TEXT NOT NULL, born TEXT DEFAULT '');
        INSERT INTO new_person SELECT id, name, born FROM person;
        DROP TABLE person;
        ALTER TABLE new_person RENAME TO person;

        """

    private static func drizzle(_ sql: String) -> ToolProject {
        DrizzleProject.project.with("0002_index.sql", DrizzleProject.pieces(sql))
    }

    @Test func drizzlesRebuildPassesWithForeignKeysOff() async throws {
        let project = Self.drizzle(ToolProject.rebuild)
        let finding = try await project.verify().finding(.rowsLost)
        #expect(
            finding.message.hasSuffix(
                ": DROP TABLE person in line 7 deletes what they reference, and ON DELETE CASCADE acts on them"
            ),
            "\(finding.message)")
        #expect(
            finding.help.contains(
                "PRAGMA foreign_keys = OFF in line 1 does not turn them off: see pragma-ignored."))
        #expect(!finding.help.contains("If not:"))
        let ignored = try await project.verify().finding(.pragmaIgnored).help
        #expect(ignored.contains("client.pragma('foreign_keys = OFF')"))
        #expect(ignored.components(separatedBy: "copy the children").count == 2, "\(ignored)")
        let report = try await project.verify { $0.migrations.options.foreignKeys = false }
        #expect(report.rules(.error).isEmpty, "\(report.findings.map(\.line))")
    }

    /// A transaction that the file opens, where the tool opens none.
    @Test func aPragmaBelowTheFilesOwnBeginMovesUp() async throws {
        let file = "3_rebuild/migration.sql"
        let inside = "BEGIN;\nPRAGMA foreign_keys = OFF;\n\(Self.bare)COMMIT;\n"
        let report = try await PrismaProject.project.with(file, inside).verify {
            $0.migrations.options.foreignKeys = true
        }
        let help = try report.finding(.pragmaIgnored).help
        #expect(
            help
                == "BEGIN in line 1 opens the transaction: write PRAGMA foreign_keys = OFF before it, and PRAGMA "
                + "foreign_keys = ON after its COMMIT.")
        #expect(try report.finding(.rowsLost).help.contains("see pragma-ignored"))
        let outside = "PRAGMA foreign_keys = OFF;\nBEGIN;\n\(Self.bare)COMMIT;\nPRAGMA foreign_keys = ON;\n"
        let second = try await PrismaProject.project.with(file, outside).verify {
            $0.migrations.options.foreignKeys = true
        }
        #expect(second.rules(.error).isEmpty, "\(second.findings.map(\.line))")
        let bare = try await PrismaProject.project.with(file, "BEGIN;\n\(Self.bare)COMMIT;\n").verify {
            $0.migrations.options.foreignKeys = true
        }
        #expect(try bare.finding(.rowsLost).help.contains("BEGIN in line 1 opens the transaction"))
    }

    /// The help for D1.
    @Test func childrenThatAreCopiedAndRestoredAreKept() async throws {
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
        project.files["0000_people.sql"] = DrizzleProject.pieces(project.schema)
        let finding = try await project.verify().finding(.migrationFailed)
        #expect(
            finding.message.hasSuffix(
                "FOREIGN KEY constraint failed: 2 rows of pet (person_id) reference no row of person, since DROP TABLE deletes the rows of person first while foreign keys are on"
            ), "\(finding.message)")
        #expect(finding.help.contains("client.pragma('foreign_keys = OFF')"))
        let report = try await project.verify { $0.migrations.options.foreignKeys = false }
        #expect(report.rules(.error).isEmpty, "\(report.findings.map(\.line))")
    }

    /// With foreign keys off alone, the references would be left to the table that is dropped.
    @Test func aRebuildThatRenamesFirstIsToldToRenameLast() async throws {
        func off(_ sql: String) -> String {
            "-- no-transaction\nPRAGMA foreign_keys = OFF;\nBEGIN;\n\(sql)COMMIT;\nPRAGMA foreign_keys = ON;\n"
        }
        let finding = try await Self.sqlx.with("0003_pet.sql", Self.first).verify().finding(.rowsLost)
        #expect(finding.help.contains("drop person, and rename the new table to person"), "\(finding.help)")
        #expect(finding.help.contains("'-- no-transaction' as the file's first line"), "\(finding.help)")
        let half = try await Self.sqlx.with("0003_pet.sql", off(Self.first)).verify()
        #expect(half.rules(.error).contains(.foreignKeyViolation), "\(half.findings.map(\.line))")
        let better = try await Self.sqlx.with("0003_pet.sql", off(Self.last)).verify()
        #expect(better.rules(.error).isEmpty, "\(better.findings.map(\.line))")
    }

    @Test func aRefusedDropOfARenamedTableIsExplained() async throws {
        func project(_ sql: String) -> ToolProject {
            var project = Self.drizzle(sql)
            project.schema = project.schema.replacing(" ON DELETE CASCADE", with: "")
            project.files["0000_people.sql"] = DrizzleProject.pieces(project.schema)
            return project
        }
        let finding = try await project(Self.first).verify().finding(.migrationFailed)
        #expect(
            finding.message.hasSuffix(
                "; the reference followed the rename of person to person_old in line 1"),
            "\(finding.message)")
        #expect(finding.help.hasPrefix("Rename last: "), "\(finding.help)")
        #expect(finding.help.contains("foreign keys off where person is recreated"), "\(finding.help)")
        let half = try await project(Self.first).verify { $0.migrations.options.foreignKeys = false }
        #expect(half.rules(.error).contains(.foreignKeyViolation), "\(half.findings.map(\.line))")
        let better = try await project(Self.last).verify { $0.migrations.options.foreignKeys = false }
        #expect(better.rules(.error).isEmpty, "\(better.findings.map(\.line))")
    }

    /// A rebuild of `person` that renames the old table first, and one that renames the new table last.
    private static let first = """
        ALTER TABLE person RENAME TO person_old;
        CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT NOT NULL, born TEXT);
        INSERT INTO person SELECT * FROM person_old;
        DROP TABLE person_old;

        """
    private static let last = """
        CREATE TABLE new_person(id INTEGER PRIMARY KEY, name TEXT NOT NULL, born TEXT);
        INSERT INTO new_person SELECT * FROM person;
        DROP TABLE person;
        ALTER TABLE new_person RENAME TO person;

        """

    /// SET NULL changes values.
    @Test func setNullIsExplained() async throws {
        var project = Self.drizzle(ToolProject.rebuild)
        project.schema = project.schema.replacing(
            "NOT NULL REFERENCES person(id) ON DELETE CASCADE",
            with: "REFERENCES person(id) ON DELETE SET NULL")
        let finding = try await project.verify().finding(.valuesChanged)
        #expect(finding.message.hasSuffix("and ON DELETE SET NULL acts on them"), "\(finding.message)")
    }

    /// The statement that keeps each file out of the tool's transaction.
    @Test func otherToolsRunThePragmaOutsideTheirTransaction() async throws {
        let open = "PRAGMA foreign_keys = OFF;\nBEGIN;\n\(Self.bare)COMMIT;\nPRAGMA foreign_keys = ON;\n"
        let metadata = "2024-01-03-000000_index/metadata.toml"
        let projects: [(ToolProject, String, String, String, also: (String, String)?)] = [
            (
                GooseProject.project, "003_index.sql", "-- +goose Up\n\(Self.bare)",
                "-- +goose NO TRANSACTION\n-- +goose Up\n\(open)", nil
            ),
            (
                DbmateProject.project, "20240103_index.sql", "-- migrate:up\n\(Self.bare)",
                "-- migrate:up transaction:false\n\(open)", nil
            ),
            (Self.sqlx, "0003_pet.sql", Self.bare, "-- no-transaction\n\(open)", nil),
            (
                DieselProject.project, "2024-01-03-000000_index/up.sql", Self.bare, open,
                (metadata, "run_in_transaction = false\n")
            ),
            (
                FlywayProject.project.with("R__names.sql", nil), "later/V2__index.sql", Self.bare,
                "PRAGMA foreign_keys = OFF;\n\(Self.bare)PRAGMA foreign_keys = ON;\n",
                ("later/V2__index.sql.conf", "executeInTransaction=false\n")
            ),
            (
                PrismaProject.project, "3_rebuild/migration.sql", Self.bare,
                "PRAGMA foreign_keys = OFF;\n\(Self.bare)PRAGMA foreign_keys = ON;\n", nil
            ),
        ]
        for (project, file, bad, good, also) in projects {
            let report = try await project.with(file, bad).verify { $0.migrations.options.foreignKeys = true }
            let finding = try report.finding(.rowsLost)
            #expect(finding.help.contains("PRAGMA foreign_keys = OFF"), "\(finding.help)")
            var better = project.with(file, good)
            if let also { better = better.with(also.0, also.1) }
            let second = try await better.verify { $0.migrations.options.foreignKeys = true }
            #expect(second.rules(.error).isEmpty, "\(file) \(second.findings.map(\.line))")
            // The connection without foreign keys: the help also gives it for drydock.yml.
            guard finding.help.contains("foreignKeys: false") else { continue }
            let third = try await project.with(file, bad).verify { $0.migrations.options.foreignKeys = false }
            #expect(third.rules(.error).isEmpty, "\(file) \(third.findings.map(\.line))")
        }
    }

    /// The checksum of ``ToolProject/one``, as sha384sum computes it.
    private static let checksum =
        "e2ae47b99770d8c1aa4d46b027c6a709f07c8f3c71060f039c2136842c07cc8e8dc054449bbc8973eee5e605653d0959"

    /// A sqlx project with a parent and its children.
    private static var sqlx: ToolProject {
        ToolProject(
            files: [
                "0001_people.sql": ToolProject.one, "0002_born.sql": ToolProject.two,
                "0003_pet.sql": ToolProject.three,
            ],
            history: SqlxProject.history(checksum: checksum))
    }

    /// For golang-migrate a setting in the database's URL applies to all files.
    @Test func golangMigrateTurnsTransactionsOffForAllFiles() async throws {
        let project = GolangMigrateProject.project
        let file = "000003_index.up.sql"
        let finding = try await project.with(file, Self.bare).verify {
            $0.migrations.options.foreignKeys = true
        }
        .finding(.rowsLost)
        #expect(finding.help.contains("x-no-tx-wrap=true"), "\(finding.help)")
        try await project.with(file, Self.bare).verify { $0.migrations.options.foreignKeys = false }
            .expectNothing()
        let open = "PRAGMA foreign_keys = OFF;\nBEGIN;\n\(Self.bare)COMMIT;\nPRAGMA foreign_keys = ON;\n"
        let second = try await project.with(file, open).verify {
            $0.migrations.options.foreignKeys = true
            $0.migrations.options.transaction = ToolPolicy.Transaction.none
        }
        #expect(second.rules(.error).isEmpty, "\(second.findings.map(\.line))")
    }

    /// For a PRAGMA inside the tool's transaction the help says what the tool's users can do.
    @Test func anIgnoredPragmaGetsTheToolsAdvice() async throws {
        for (project, file, advice) in [
            (Self.sqlx, "0003_pet.sql", "'-- no-transaction' as the file's first line"),
            (DieselProject.project, "2024-01-03-000000_index/up.sql", "'run_in_transaction = false'"),
            (GolangMigrateProject.project, "000003_index.up.sql", "x-no-tx-wrap=true"),
        ] {
            let finding = try await project.with(file, ToolProject.rebuild).verify {
                $0.migrations.options.foreignKeys = true
            }
            .finding(.pragmaIgnored)
            #expect(finding.help.contains(advice), "\(finding.help)")
        }
    }

    /// The commit is refused, and the statement that caused it is named.
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

    /// The statement is refused at once.
    @Test func aRefusedInsertNamesTheParent() async throws {
        let finding = try await Self.drizzle("INSERT INTO pet VALUES (9, 99, 'X');\n").verify().finding(
            .migrationFailed)
        #expect(
            finding.message.hasSuffix(
                "1 row of pet (person_id) references no row of person: line 1 inserts them"),
            "\(finding.message)")
    }
}
