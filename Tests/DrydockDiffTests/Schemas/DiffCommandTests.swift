import Foundation
import Testing

@testable import DrydockTestSupport

/// Runs `drydock diff` and `drydock schema` as a user does.
@Suite struct DiffCommandTests {
    private let tool: Tool

    init() throws {
        let folder = try TemporaryFolder()
        try folder.write("a.sql", "CREATE TABLE t(a);\nCREATE INDEX i ON t(a);\n")
        try folder.write("same.sql", "create table \"t\" ( [a] ) ; -- the same\ncreate index i on t (a)")
        try folder.write("b.sql", "CREATE TABLE t(a, b TEXT);\nCREATE INDEX i ON t(a);\n")
        try folder.write("broken.sql", "CREATE TABLE t(a);\nCREATE TABLE u(a,, b);\n")
        try folder.write("Migrations/v1.sql", "CREATE TABLE t(a);\n")
        try folder.write("Migrations/v2.sql", "ALTER TABLE t ADD COLUMN b TEXT;\n")
        try PlainDatabase(folder.file("old.sqlite")).execute(
            "CREATE TABLE t(a); INSERT INTO t VALUES (1), (NULL)")
        tool = Tool(folder: folder)
    }

    @Test func `equal sources are the same`() throws {
        let result = try tool.run("diff", "a.sql", "same.sql")
        #expect(result.status == 0 && result.errors == "", "\(result)")
    }

    @Test func `sources of different kinds are compared`() throws {
        #expect(try tool.run("diff", "old.sqlite", "Migrations@v1").status == 0)
        let result = try tool.run("diff", "Migrations@v1", "Migrations", "--sql")
        #expect(result.status == 1)
        #expect(result.output == "-- Table t.\nALTER TABLE t ADD COLUMN b TEXT;\n")
    }

    @Test func `migrations are read as drydock.yml says`() throws {
        let folder = tool.folder
        try folder.write("base.sql", "CREATE TABLE before(x);")
        try folder.write("app/V1__first.sql", "CREATE TABLE ${prefix}t(a CHECK (half(a) = a));")
        try folder.write("app/V2__index.sql", "CREATE INDEX i ON before(x);")
        try folder.write(
            "drydock.yml", "base: base.sql\nplaceholders:\n  prefix: app_\nfunctions:\n  half: $0\n")
        let schema = try tool.run("schema", "app")
        #expect(
            schema.status == 0 && schema.output.contains("app_t") && schema.output.contains("before"),
            "\(schema)")
        let result = try tool.run("diff", "app@1", "app", "--name-only")
        #expect(result.status == 1 && result.output == "before\n", "\(result)")
    }

    @Test func `different sources have status 1 in every format`() throws {
        let result = try tool.run("diff", "a.sql", "b.sql")
        #expect(result.status == 1)
        #expect(result.output == "--- a.sql\n+++ b.sql\n\nt\n  + add column b TEXT\n\n1 difference\n")
        #expect(try tool.run("diff", "a.sql", "b.sql", "--name-only").output == "t\n")
        let json = try tool.run("diff", "a.sql", "b.sql", "--format", "json")
        #expect(json.status == 1)
        let object = try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any]
        #expect(object?["command"] as? String == "diff" && object?["formatVersion"] as? Int == 1)
        let markdown = try tool.run("diff", "a.sql", "b.sql", "--format", "markdown")
        #expect(markdown.status == 1 && markdown.output.contains("b"))
    }

    @Test func `the way back is written`() throws {
        let result = try tool.run("diff", "a.sql", "b.sql", "--down")
        #expect(result.status == 1, "\(result)")
        #expect(result.output == "-- Table t.\n-- drydock: drops column t.b\nALTER TABLE t DROP COLUMN b;\n")
    }

    @Test func `a plan that loses something is refused, with the reason`() throws {
        let result = try tool.run("diff", "b.sql", "a.sql", "--sql")
        #expect(result.status == 2 && result.output == "")
        #expect(
            result.errors.contains("the plan would lose column t.b with its values; --allow-loss allows it"))
        let allowed = try tool.run("diff", "b.sql", "a.sql", "--sql", "--allow-loss")
        #expect(allowed.status == 1 && allowed.output.contains("-- drydock: drops column t.b\n"))
    }

    @Test func `a plan that the rows do not allow is refused`() throws {
        try tool.folder.write("new.sql", "CREATE TABLE t(a NOT NULL)")
        let result = try tool.run("diff", "old.sqlite", "new.sql", "--sql")
        #expect(result.status == 2 && result.output == "")
        #expect(result.errors.contains("NOT NULL constraint failed"), "\(result.errors)")
    }

    @Test func `a missing source gets one clear sentence`() throws {
        let result = try tool.run("diff", "none.sqlite", "a.sql")
        #expect(result.status == 2 && result.output == "")
        #expect(
            result.errors.contains("there is no 'none.sqlite'; a source is a database"), "\(result.errors)")
        let version = try tool.run("diff", "Migrations@v3", "a.sql")
        #expect(version.status == 2 && version.output == "")
        #expect(version.errors.contains("there is no migration 'v3' in 'Migrations'"), "\(version.errors)")
        try tool.folder.write("text.sqlite", "this is no database, whatever its name says")
        let text = try tool.run("diff", "text.sqlite", "a.sql")
        #expect(text.status == 2 && text.errors.contains("text.sqlite"), "\(text.errors)")
    }

    @Test func `an error in SQL has its line and a caret`() throws {
        let result = try tool.run("diff", "broken.sql", "a.sql")
        #expect(result.status == 2 && result.output == "")
        #expect(result.errors.contains("broken.sql:2:18: "), "\(result.errors)")
        #expect(result.errors.contains("  CREATE TABLE u(a,, b);\n                   ^"), "\(result.errors)")
    }

    @Test func `bad usage has status 64`() throws {
        for arguments in [["--format", "xml"], ["--rename", "a"], ["--sqlite-version", "2"]] {
            #expect(try tool.run("diff", "a.sql", "b.sql", arguments[0], arguments[1]).status == 64)
        }
        #expect(try tool.run("diff", "a.sql", "b.sql", "--rename", "x=y").status == 2)
    }

    @Test func `a kept schema is checked`() throws {
        let printed = try tool.run("schema", "Migrations")
        #expect(printed.status == 0)
        try tool.folder.write("schema.sql", printed.output)
        #expect(try tool.run("schema", "Migrations", "--check", "schema.sql").status == 0)
        #expect(try tool.run("schema", "Migrations@v1", "--check", "schema.sql").status == 1)
        #expect(try tool.run("schema", "Migrations", "--check", "none.sql").status == 2)
        #expect(try tool.run("schema", "old.sqlite", "--format", "mermaid").output.hasPrefix("erDiagram"))
    }
}
