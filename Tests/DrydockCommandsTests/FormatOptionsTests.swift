import Drydock
import Testing

@testable import DrydockCommands

/// What drydock.yml and the command line say about another tool's migrations.
@Suite struct FormatOptionsTests {
    @Test func readsEveryKey() throws {
        let config = try ConfigFile(
            """
            migrationFormat: goose
            foreignKeys: true
            double-quoted-strings: false
            transaction: none
            historyTable: done
            mixed: true
            placeholders: {prefix: app, "%TABLE%": 7}
            base: db/base.sql
            rollback: true
            custom:
              files: '(?<version>[0-9]+)_.*[.]sql'
              identifier: v${version}
              order: text
              transaction: all
              foreignKeys: true
              late: refuse
              schema: LATEST.sql
              history: {table: done, query: select v from done, newest: true, record: insert into done values (:version)}
            """, name: "drydock.yml")
        #expect(config[Setting.migrationFormat] == "goose" && config[Setting.rollback] == true)
        #expect(config.options.foreignKeys == true && config.options.doubleQuotedStrings == false)
        #expect(config.options.transaction == ToolPolicy.Transaction.none)
        #expect(config.options.historyTable == "done" && config.options.mixed == true)
        #expect(config.options.placeholders == ["prefix": "app", "%TABLE%": "7"])
        #expect(config.options.base == SchemaBase(path: "db/base.sql"))
        let custom = try #require(config.options.custom)
        #expect(custom.identifier == "v${version}" && custom.order == .text && custom.isNewestOnly)
        #expect(
            custom.policy.transaction == .all && custom.policy.foreignKeys && custom.policy.late == .refuse)
        #expect(
            custom.historyTable == "done" && custom.query == "select v from done"
                && custom.schema == "LATEST.sql"
        )
        #expect(custom.record == ["insert into done values (:version)"])
    }

    @Test func aPlainQueryIsAHistory() throws {
        let text = "custom:\n  files: '(?<version>[0-9]+).sql'\n  history: select v from done"
        let custom = try ConfigFile(text, name: "drydock.yml").options.custom
        #expect(custom?.query == "select v from done" && custom?.sharedTables == ["done"])
    }

    @Test(arguments: [
        ("migrationFormat: gose", "drydock.yml:1:18: migrationFormat: 'gose' is not one of"),
        ("transaction: some", "drydock.yml:1:14: transaction: 'some' is not one of: each, all, none"),
        ("foreignKeys: maybe", "drydock.yml:1:14: foreignKeys must be true or false"),
        ("custom:\n  files: '(?<version>.*)'", "drydock.yml:2:3: custom needs 'history'"),
        ("custom:\n  files: '.*'\n  history: {query: select 1}", "drydock.yml:2:3: custom needs 'files'"),
        ("custom:\n  file: x", "drydock.yml:2:3: 'file' is not a key of custom; did you mean 'files'?"),
    ])
    func mistakesHaveTheirPlace(_ text: String, _ told: String) throws {
        do {
            _ = try ConfigFile(text, name: "drydock.yml")
            Issue.record("it was read")
        } catch let error as RequestError {
            #expect(error.description.hasPrefix(told), "\(error)")
        }
    }

    @Test func anAmbiguousFolderEndsWithStatusTwo() throws {
        let project = try Project()
        try project.write("db/1_a.sql", "-- +goose Up\nSELECT 1;\n")
        try project.write("db/2_b.sql", "-- migrate:up\nSELECT 1;\n")
        try project.write("none/README.md", "no snapshot, so that no history decides")
        let result = try project.run("verify", "-m", "db", "-s", "none")
        #expect(result.status == 2)
        #expect(result.errors.contains("--migration-format"))
        #expect(try project.run("verify", "-m", "db", "--migration-format", "gose").status == 64)
        #expect(try project.run("schema", "db").status == 2)
        #expect(try project.run("new", "x", "-m", "db", "--allow-loss").status == 2)
    }

    @Test func theFlagsAreTaken() throws {
        let project = try Project(second: "ALTER TABLE email ADD COLUMN ${name} TEXT;")
        try project.write("Migrations/v2.down.sql", "ALTER TABLE email DROP COLUMN ${name};")
        #expect(try project.run("verify").status == 1)
        let result = try project.run("verify", "--placeholder", "name=note", "--rollback")
        #expect(result.status == 0, "\(result.output)\(result.errors)")
        #expect(try project.run("verify", "--transaction", "none").status == 2)
        // In Drydock's own format GRDB decides that.
        let keys = try project.run("verify", "--no-foreign-keys")
        #expect(keys.status == 2 && keys.errors.contains("does not apply to Drydock's own format"))
    }
}
