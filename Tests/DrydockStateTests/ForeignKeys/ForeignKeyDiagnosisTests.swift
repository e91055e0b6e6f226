import Drydock
import Testing

@testable import DrydockTestSupport

@Suite struct ForeignKeyDiagnosisTests {
    private static let family = """
        CREATE TABLE parent(id INTEGER PRIMARY KEY, name TEXT, code TEXT UNIQUE);
        CREATE TABLE child(id INTEGER PRIMARY KEY, parent_id INTEGER REFERENCES parent(id));

        """
    private static let rows = """
        INSERT INTO parent VALUES (1, 'a', 'A'), (2, NULL, 'B'); INSERT INTO child VALUES (1, 1), (2, 2), (3, NULL);
        """
    private static let pairs = """
        CREATE TABLE a(id INTEGER PRIMARY KEY); CREATE TABLE b(id INTEGER PRIMARY KEY);
        CREATE TABLE link(id INTEGER PRIMARY KEY, a_id INTEGER REFERENCES a(id), b_id INTEGER REFERENCES b(id));

        """
    private static let pairRows =
        "INSERT INTO a VALUES (1); INSERT INTO b VALUES (7); INSERT INTO link VALUES (1, 1, 7);"

    static let cases = [
        RemedyCase(
            "a rebuild that renames first", schema: family, rows: rows,
            """
            ALTER TABLE parent RENAME TO parent_old;
            CREATE TABLE parent(id INTEGER PRIMARY KEY, name TEXT, code TEXT UNIQUE);
            INSERT INTO parent SELECT * FROM parent_old;
            DROP TABLE parent_old;
            """,
            says:
                "2 rows of child (parent_id) reference no row of parent_old: the reference followed the rename of parent to parent_old in line 1, which line 4 drops",
            help: "drop parent, and rename the new table to parent"
        ) { _ in
            """
            CREATE TABLE parent_new(id INTEGER PRIMARY KEY, name TEXT, code TEXT UNIQUE);
            INSERT INTO parent_new SELECT * FROM parent;
            DROP TABLE parent;
            ALTER TABLE parent_new RENAME TO parent;
            """
        },
        RemedyCase(
            "a rebuild that forgets the rename", schema: family, rows: rows,
            """
            CREATE TABLE parent_new(id INTEGER PRIMARY KEY, name TEXT, code TEXT UNIQUE);
            INSERT INTO parent_new SELECT * FROM parent;
            DROP TABLE parent;
            """,
            says: "reference no row of parent: line 3 drops that table",
            help: "must be renamed to parent afterwards"
        ) { _ in
            """
            CREATE TABLE parent_new(id INTEGER PRIMARY KEY, name TEXT, code TEXT UNIQUE);
            INSERT INTO parent_new SELECT * FROM parent;
            DROP TABLE parent;
            ALTER TABLE parent_new RENAME TO parent;
            """
        },
        RemedyCase(
            "a parent that is created again without rows", schema: family, rows: rows,
            "DROP TABLE parent;\nCREATE TABLE parent(id INTEGER PRIMARY KEY, name TEXT, code TEXT UNIQUE);",
            says: "line 2 recreates parent without the rows that they reference",
            help: "Copy every row of the old parent"
        ) { _ in
            """
            CREATE TABLE parent_new(id INTEGER PRIMARY KEY, name TEXT, code TEXT UNIQUE);
            INSERT INTO parent_new SELECT * FROM parent;
            DROP TABLE parent;
            ALTER TABLE parent_new RENAME TO parent;
            """
        },
        RemedyCase(
            "OR IGNORE drops parents", schema: family, rows: rows,
            """
            CREATE TABLE parent_new(id INTEGER PRIMARY KEY, name TEXT NOT NULL, code TEXT UNIQUE);
            INSERT OR IGNORE INTO parent_new SELECT id, name, code FROM parent;
            DROP TABLE parent;
            ALTER TABLE parent_new RENAME TO parent;
            """,
            says:
                "1 row of child (parent_id) references no row of parent: the copy in line 2 says OR IGNORE and leaves out the rows of parent that the new table refuses",
            help: "coalesce(COLUMN, VALUE)"
        ) { _ in
            """
            -- drydock: rewrites parent.name
            CREATE TABLE parent_new(id INTEGER PRIMARY KEY, name TEXT NOT NULL, code TEXT UNIQUE);
            INSERT INTO parent_new SELECT id, coalesce(name, ''), code FROM parent;
            DROP TABLE parent;
            ALTER TABLE parent_new RENAME TO parent;
            """
        },
        RemedyCase(
            "WHERE leaves parents out", schema: family, rows: rows,
            """
            CREATE TABLE parent_new(id INTEGER PRIMARY KEY, name TEXT, code TEXT UNIQUE);
            INSERT INTO parent_new SELECT * FROM parent WHERE name IS NOT NULL;
            DROP TABLE parent;
            ALTER TABLE parent_new RENAME TO parent;
            """,
            says: "the copy in line 2 leaves out rows of parent that they reference",
            help: "WHERE leaves some out"
        ) { _ in
            """
            CREATE TABLE parent_new(id INTEGER PRIMARY KEY, name TEXT, code TEXT UNIQUE);
            INSERT INTO parent_new SELECT * FROM parent;
            DROP TABLE parent;
            ALTER TABLE parent_new RENAME TO parent;
            """
        },
        RemedyCase(
            "DELETE of parents", schema: family, rows: rows + "INSERT INTO parent VALUES (3, NULL, 'C');",
            "-- drydock: deletes from parent where name IS NULL\nDELETE FROM parent WHERE name IS NULL",
            says: "references no row of parent: line 2 deletes the rows that they reference",
            help: "Keep the rows that are referenced"
        ) { finding in
            "-- drydock: deletes from parent where name IS NULL\nDELETE FROM parent WHERE name IS NULL AND "
                + finding.proposedSQL
        },
        RemedyCase(
            "columns of the child swapped by position", schema: pairs, rows: pairRows,
            """
            CREATE TABLE new_link(id INTEGER PRIMARY KEY, b_id INTEGER REFERENCES b(id), a_id INTEGER REFERENCES a(id));
            INSERT INTO new_link SELECT * FROM link;
            DROP TABLE link;
            ALTER TABLE new_link RENAME TO link;
            """,
            says: "the copy in line 2 puts a_id into b_id and b_id into a_id",
            help: "Name the columns on both sides"
        ) { finding in
            """
            CREATE TABLE new_link(id INTEGER PRIMARY KEY, b_id INTEGER REFERENCES b(id), a_id INTEGER REFERENCES a(id));
            \(finding.proposedSQL)
            DROP TABLE link;
            ALTER TABLE new_link RENAME TO link;
            """
        },
        RemedyCase(
            "columns of the child swapped by name, quoted", schema: pairs, rows: pairRows,
            """
            CREATE TABLE new_link(id INTEGER PRIMARY KEY, a_id INTEGER REFERENCES a(id), b_id INTEGER REFERENCES b(id));
            INSERT INTO "new_link"("id", [A_ID], `b_id`) SELECT id, "B_id", link.a_id FROM link;
            DROP TABLE link;
            ALTER TABLE new_link RENAME TO link;
            """,
            says: "the copy in line 2 puts b_id into a_id and a_id into b_id"
        ) { finding in
            """
            CREATE TABLE new_link(id INTEGER PRIMARY KEY, a_id INTEGER REFERENCES a(id), b_id INTEGER REFERENCES b(id));
            \(finding.proposedSQL)
            DROP TABLE link;
            ALTER TABLE new_link RENAME TO link;
            """
        },
        RemedyCase(
            "columns swapped whose values all reference something", schema: pairs,
            rows: pairRows + "INSERT INTO a VALUES (7); INSERT INTO b VALUES (1);",
            """
            CREATE TABLE new_link(id INTEGER PRIMARY KEY, b_id INTEGER REFERENCES b(id), a_id INTEGER REFERENCES a(id));
            INSERT INTO new_link SELECT * FROM link;
            DROP TABLE link;
            ALTER TABLE new_link RENAME TO link;
            """, rule: .valuesChanged,
            says: "the copy in line 2 puts a_id into b_id and b_id into a_id",
            help: "Name the columns on both sides"
        ) { finding in
            """
            CREATE TABLE new_link(id INTEGER PRIMARY KEY, b_id INTEGER REFERENCES b(id), a_id INTEGER REFERENCES a(id));
            \(finding.proposedSQL)
            DROP TABLE link;
            ALTER TABLE new_link RENAME TO link;
            """
        },
        RemedyCase(
            "OR IGNORE drops rows that nothing references", schema: family,
            rows: rows + "INSERT INTO parent VALUES (3, NULL, 'C');",
            """
            CREATE TABLE child_new(id INTEGER PRIMARY KEY, parent_id INTEGER NOT NULL REFERENCES parent(id));
            INSERT OR IGNORE INTO child_new SELECT id, parent_id FROM child;
            DROP TABLE child;
            ALTER TABLE child_new RENAME TO child;
            """, rule: .rowsLost,
            says: "OR IGNORE in line 2 silently leaves out the rows that the table refuses",
            help: "Without OR IGNORE the statement fails and names these rows"
        ) { _ in
            """
            -- drydock: rewrites child.parent_id
            CREATE TABLE child_new(id INTEGER PRIMARY KEY, parent_id INTEGER NOT NULL REFERENCES parent(id));
            INSERT INTO child_new SELECT id, coalesce(parent_id, 1) FROM child;
            DROP TABLE child;
            ALTER TABLE child_new RENAME TO child;
            """
        },
        RemedyCase(
            "columns of the parent swapped",
            schema: """
                CREATE TABLE parent(id INTEGER PRIMARY KEY, rank INTEGER);
                CREATE TABLE child(id INTEGER PRIMARY KEY, parent_id INTEGER REFERENCES parent(id));
                """, rows: "INSERT INTO parent VALUES (1, 50), (2, 60); INSERT INTO child VALUES (1, 1);",
            """
            CREATE TABLE parent_new(rank INTEGER, id INTEGER PRIMARY KEY);
            INSERT INTO parent_new SELECT id, rank FROM parent;
            DROP TABLE parent;
            ALTER TABLE parent_new RENAME TO parent;
            """,
            says: "the copy in line 2 puts id into rank and rank into id"
        ) { finding in
            """
            CREATE TABLE parent_new(rank INTEGER, id INTEGER PRIMARY KEY);
            \(finding.proposedSQL)
            DROP TABLE parent;
            ALTER TABLE parent_new RENAME TO parent;
            """
        },
        RemedyCase(
            "a new foreign key",
            schema:
                "CREATE TABLE parent(id INTEGER PRIMARY KEY); CREATE TABLE child(id INTEGER PRIMARY KEY, parent_id INTEGER);",
            rows: "INSERT INTO parent VALUES (1); INSERT INTO child VALUES (1, 1), (2, 9), (3, NULL);",
            """
            CREATE TABLE new_child(id INTEGER PRIMARY KEY, parent_id INTEGER REFERENCES parent(id));
            INSERT INTO new_child SELECT * FROM child;
            DROP TABLE child;
            ALTER TABLE new_child RENAME TO child;
            """,
            says:
                "1 row of child (parent_id) references no row of parent: the foreign key is new, and the rows had these values before",
            help: "Insert the rows of parent that are missing"
        ) { finding in
            finding.proposedDeclarations + finding.proposedSQL + """
                CREATE TABLE new_child(id INTEGER PRIMARY KEY, parent_id INTEGER REFERENCES parent(id));
                INSERT INTO new_child SELECT * FROM child;
                DROP TABLE child;
                ALTER TABLE new_child RENAME TO child;
                """
        },
        RemedyCase(
            "rows that are inserted", schema: family, rows: rows,
            "-- drydock: inserts into child, parent\nINSERT INTO child VALUES (4, 40)",
            says: "references no row of parent: line 2 inserts them", help: "Insert the rows of parent"
        ) { _ in
            "-- drydock: inserts into child, parent\nINSERT INTO parent(id) VALUES (40);\nINSERT INTO child VALUES (4, 40)"
        },
        RemedyCase(
            "rows that are updated", schema: family, rows: rows,
            "-- drydock: rewrites child.parent_id\nUPDATE child SET parent_id = 40 WHERE id = 1",
            says: "line 2 gives them values that no row of parent has", help: "or NULL"
        ) { _ in "-- drydock: rewrites child.parent_id\nUPDATE child SET parent_id = NULL WHERE id = 1" },
        RemedyCase(
            "a default that references nothing", schema: family, rows: rows,
            "ALTER TABLE child ADD COLUMN other INTEGER DEFAULT 9 REFERENCES parent(id)",
            says: "no row of parent has the default of other in line 1",
            help: "Let the column be NULL by default"
        ) { _ in "ALTER TABLE child ADD COLUMN other INTEGER REFERENCES parent(id)" },
        RemedyCase(
            "a generated column", schema: family, rows: rows,
            "ALTER TABLE child ADD COLUMN other INTEGER AS (id + 40) REFERENCES parent(id)",
            says: "other is generated, as id + 40, and parent has no such row",
            help: "insert the rows of parent that are missing, or change what it is computed from"
        ) { _ in "ALTER TABLE child ADD COLUMN other INTEGER AS (parent_id) REFERENCES parent(id)" },
        RemedyCase(
            "a parent's index that is dropped",
            schema: """
                CREATE TABLE parent(id INTEGER PRIMARY KEY, code TEXT);
                CREATE UNIQUE INDEX by_code ON parent(code);
                CREATE TABLE child(id INTEGER PRIMARY KEY, code TEXT REFERENCES parent(code));
                """, "\nDROP INDEX by_code", says: "since line 2 nothing makes parent (code) unique"
        ) { finding in "DROP INDEX by_code;" + finding.proposedSQL },
    ]

    @Test(arguments: cases) func causes(_ it: RemedyCase) async throws { try await it.check() }

    /// Deleting rows is never the first proposal.
    @Test(arguments: cases) func nothingIsDeletedFirst(_ it: RemedyCase) async throws {
        let report = try await Scenario(it.schema, rows: it.rows, steps: it.step).verify()
        for finding in report.findings {
            let first = finding.help.prefix { $0 != "." }.lowercased()
            #expect(!first.contains("delete such") && !first.hasPrefix("delete"), "\(finding.help)")
        }
    }

    /// The tool checks nothing before its commit: the violation is a separate finding.
    @Test func theCauseIsTheSameWhereNothingRefusesTheViolation() async throws {
        var project = GolangMigrateProject.project
        project = project.with(
            "000003_index.up.sql",
            "ALTER TABLE person RENAME TO old;\nCREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT NOT NULL, born TEXT);\n"
                + "INSERT INTO person SELECT * FROM old;\nDROP TABLE old;\n")
        let finding = try await project.verify().finding(.foreignKeyViolation)
        #expect(
            finding.message.hasSuffix(
                "the reference followed the rename of person to old in line 1, which line 4 drops"),
            "\(finding.message)")
        #expect(finding.place?.line == 4)
    }

    @Test func theHelpRepairsTheSnapshotsOwnOrphans() async throws {
        let orphan = "PRAGMA foreign_keys = OFF; INSERT INTO child VALUES (9, 99);"
        let finding = try await Scenario(Self.family, rows: Self.rows + orphan, steps: "CREATE TABLE t(a)")
            .verify()
            .finding(.migrationFailed)
        let report = try await Scenario(
            Self.family, rows: Self.rows + orphan,
            steps: finding.proposedDeclarations + finding.proposedSQL + "CREATE TABLE t(a)"
        ).verify()
        #expect(report.rules(.error).isEmpty, "\(report.findings.map(\.line)) \(finding.help)")
    }

    /// The key has two columns, the table's names are quoted and one table is WITHOUT ROWID.
    @Test func aCompoundKeyOfQuotedNames() async throws {
        let schema = """
            CREATE TABLE "my parent"("a b" TEXT, c INTEGER, PRIMARY KEY("a b", c)) WITHOUT ROWID;
            CREATE TABLE "my child"(x TEXT, y INTEGER, FOREIGN KEY(x, y) REFERENCES "my parent");
            """
        let finding = try await Scenario(
            schema,
            rows:
                "INSERT INTO \"my parent\" VALUES ('p', 1); INSERT INTO \"my child\" VALUES ('p', 1), ('p', NULL);",
            steps: "-- drydock: deletes from \"my parent\"\nDELETE FROM \"my parent\""
        ).verify().finding(.migrationFailed)
        #expect(
            finding.message.hasSuffix("line 2 deletes the rows that they reference"), "\(finding.message)")
        #expect(
            finding.proposedSQL
                == "NOT EXISTS (SELECT 1 FROM \"my child\" WHERE \"my child\".x = \"my parent\".\"a b\" AND \"my child\".y = \"my parent\".c)\n"
        )
    }
}
