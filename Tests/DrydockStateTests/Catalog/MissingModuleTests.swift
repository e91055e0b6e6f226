import DatabaseEngine
import Drydock
import GRDBEngine
import NIOEngine
import Testing

@testable import DrydockTestSupport

/// Virtual tables that this SQLite cannot open: everything else is replayed and compared.
@Suite struct MissingModuleTests {
    private static let hidden = """
        PRAGMA writable_schema = 1;
        INSERT INTO sqlite_schema(type, name, tbl_name, rootpage, sql) VALUES(
          'table', 'near', 'near', 0, 'CREATE VIRTUAL TABLE near USING vec0(v float[2])');
        """
    private static let project = ToolProject(
        files: [
            "1_people.sql": ToolProject.one, "2_born.sql": ToolProject.two, "3_index.sql": ToolProject.three,
        ],
        history: "PRAGMA user_version = 1;" + hidden,
        schema: ToolProject.one + "CREATE TABLE near_chunks(id INTEGER PRIMARY KEY, v BLOB);",
        rows: ToolProject.rows + "; INSERT INTO near_chunks VALUES(1, x'01'), (2, x'02');")

    @Test(arguments: ["grdb", "nio"]) func theRestIsReplayed(_ engine: String) async throws {
        let folder = try Self.project.write()
        let report = try await folder.verify(engine == "grdb" ? GRDBDriver() : NIODriver())
        report.expect(notChecked: [.rowsLost])
        #expect(report.steps == ["2", "3"])
        #expect(report.notChecked[0].reason == "table near cannot be read: no such module: vec0")
    }

    @Test func aLossBesideItIsFound() async throws {
        try await Self.project.with("3_index.sql", ToolProject.loss).verify()
            .expect(errors: [.rowsLost], notChecked: [.rowsLost])
    }

    /// What the module keeps its rows in is data: only it could tell otherwise.
    @Test func itsOwnTablesAreData() async throws {
        let report = try await Self.project.with("3_index.sql", "DELETE FROM near_chunks WHERE id = 2;")
            .verify()
        #expect(try report.finding(.rowsLost).table == "near_chunks")
    }

    // MARK: - Migrations that create them

    private static let created = """
        CREATE VIRTUAL TABLE near USING vec0(v float[2], +note text, chunk_size=8);
        CREATE TRIGGER person_in AFTER INSERT ON person BEGIN INSERT INTO near(rowid, v) VALUES(new.id, x'00'); END;
        CREATE TRIGGER person_out AFTER DELETE ON person BEGIN DELETE FROM near WHERE rowid = old.id; END;

        """

    /// A stand-in takes the module's place, also where a trigger writes to the table.
    @Test(arguments: ["grdb", "nio"]) func migrationsThatUseTheModuleRun(_ engine: String) async throws {
        var project = Self.project
        project.files["1_people.sql"] = ToolProject.one + Self.created
        project.files["3_index.sql"] = """
            INSERT INTO person(id, name) SELECT id + 10, name FROM person;
            DELETE FROM person WHERE id > 10;
            INSERT INTO near(rowid, v) SELECT id, x'01' FROM person;
            INSERT INTO near(near) VALUES('optimize');
            INSERT INTO near VALUES(x'02', 'an option is no column');
            UPDATE near SET note = 'x' WHERE rowid = 1;
            """
        let triggers = Self.created.split(separator: "\n").dropFirst().joined(separator: "\n")
        project.history =
            "PRAGMA user_version = 1;" + triggers
            + Self.hidden.replacing("v float[2]", with: "v float[2], +note text, chunk_size=8")
        let report = try await project.write().verify(engine == "grdb" ? GRDBDriver() : NIODriver())
        report.expect(notChecked: [.rowsLost])
        #expect(report.steps == ["2", "3"])
        #expect(report.notChecked[0].reason == "table near cannot be read: no such module: vec0")
    }

    /// The text of a table with the app's tokenizer is compared, and its index is not.
    @Test(arguments: ["grdb", "nio"]) func aTokenizerOfTheAppsIsReplaced(_ engine: String) async throws {
        let table = "CREATE VIRTUAL TABLE search USING fts5(name, tokenize = 'app_words 2');\n"
        var project = Self.project
        project.files["1_people.sql"] = ToolProject.one + table
        project.files["3_index.sql"] =
            "INSERT INTO search(search) VALUES('rebuild'); UPDATE search SET name = name;\n"
        project.schema = ToolProject.one + table.replacing("app_words 2", with: "unicode61")
        project.rows = ToolProject.rows + ";INSERT INTO search(rowid, name) SELECT id, name FROM person;"
        project.history = """
            PRAGMA user_version = 1; PRAGMA writable_schema = 1;
            UPDATE sqlite_schema SET sql = replace(sql, 'unicode61', 'app_words 2') WHERE name = 'search';
            """
        let driver: any Engine = engine == "grdb" ? GRDBDriver() : NIODriver()
        let report = try await project.write().verify(driver)
        report.expect(notChecked: [.searchIndexStale])
        #expect(report.steps == ["2", "3"])
        let lost = try await project.with("3_index.sql", "DELETE FROM search WHERE rowid = 2;\n").write()
            .verify(driver)
        #expect(lost.rules(.error) == [.rowsLost])
    }
}
