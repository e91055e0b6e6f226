import Drydock
import Foundation
import Testing

@testable import DrydockCommands

/// `drydock init` in projects of every kind.
@Suite struct InitCommandTests {
    /// A folder with only these files, in which `drydock init` runs.
    private func project(_ files: [String: String]) throws -> Project {
        let project = try Project()
        for name in ["Migrations", "Snapshots"] {
            try FileManager.default.removeItem(at: project.folder.appending(path: name))
        }
        for (path, text) in files { try project.write(path, text) }
        return project
    }

    private func text(_ path: String, _ project: Project) throws -> String {
        try String(contentsOf: project.folder.appending(path: path), encoding: .utf8)
    }

    private func names(_ project: Project) throws -> Set<String> {
        Set(try FileManager.default.subpathsOfDirectory(atPath: project.folder.path)).subtracting([
            ".output", ".errors",
        ])
    }

    private static let table = "CREATE TABLE a (id INTEGER PRIMARY KEY);\n"

    private static let formats: [(format: String, folder: String, files: [String: String])] = [
        ("drydock", "Migrations", ["Migrations/v1.sql": table]),
        ("goose", "db/migrations", ["db/migrations/00001_a.sql": "-- +goose Up\n\(table)"]),
        (
            "golang-migrate", "migrations",
            [
                "migrations/1_a.up.sql": table, "migrations/1_a.down.sql": "DROP TABLE a;",
                "go.mod": "module a\nrequire github.com/golang-migrate/migrate/v4 v4.17.0\n",
            ]
        ),
        (
            "sqlx", "migrations",
            ["migrations/20240101000000_a.sql": table, "Cargo.toml": "[dependencies]\nsqlx = \"0.8\"\n"]
        ),
        (
            "diesel", "migrations",
            [
                "migrations/2024-01-01-000000_a/up.sql": table,
                "migrations/2024-01-01-000000_a/down.sql": "DROP TABLE a;", "diesel.toml": "[print_schema]\n",
            ]
        ),
        (
            "dbmate", "db/migrations",
            ["db/migrations/20240101000000_a.sql": "-- migrate:up\n\(table)\n-- migrate:down\n"]
        ),
        (
            "prisma", "prisma/migrations",
            [
                "prisma/migrations/20240101000000_a/migration.sql": table,
                "prisma/migrations/migration_lock.toml": "provider = \"sqlite\"\n",
            ]
        ),
        (
            "flyway", "src/main/resources/db/migration",
            [
                "src/main/resources/db/migration/V1__a.sql": table,
                "build.gradle": "plugins { id 'org.flywaydb.flyway' version '10.0' }\n",
            ]
        ),
    ]

    @Test(arguments: formats) func `it writes what it finds, and that is read back`(
        _ format: String, _ folder: String, _ files: [String: String]
    ) throws {
        let project = try project(files)
        let result = try project.run("init")
        #expect(result.status == 0, "\(result.output)\(result.errors)")
        let yaml = try text("drydock.yml", project)
        let isOnly = yaml.contains("\nmigrationFormat: \(format)\n")
        #expect(isOnly || yaml.contains("# Read as \(format)'s."), "\(yaml.prefix(400))")
        let config = try ConfigFile(yaml, name: "drydock.yml")
        #expect(
            config[Setting.migrations] == folder && config[Setting.migrationFormat] == (isOnly ? format : nil)
        )
        #expect(config.findings.isEmpty)
        // A folder of snapshots that is named and empty would be an error.
        #expect(config[Setting.snapshots] == nil)
        let lint = try project.run("lint")
        #expect(lint.status == 0 && lint.errors.isEmpty, "\(lint.output)\(lint.errors)")
    }

    @Test func `every line that has a value can be uncommented`() throws {
        let drydock = RequestError.Choice(format: "drydock", reason: "")
        let template = ConfigTemplate(found: .folder("Migrations", formats: [drydock]))
        let lines = template.text.split(separator: "\n", omittingEmptySubsequences: false)
        let keys = lines.map { line -> Substring in
            let isKey =
                line.firstMatch(of: /^#( {2})?[a-zA-Z]+:/) != nil && !line.contains("<") && line != "#custom:"
            return isKey ? line.dropFirst() : line
        }
        _ = try ConfigFile(
            keys.joined(separator: "\n").replacing("\nlint:\n", with: "\n"), name: "drydock.yml")
        for setting in Setting.all {
            let key = setting.key.split(separator: ".").last.map(String.init) ?? ""
            #expect(lines.contains { $0.contains("\(key):") }, "\(setting.key)")
        }
    }

    @Test(arguments: ["db/it's here", "a: b", "123", "- a", "#x", "true", "a\tb", "a\"b", ".", "ä/b"])
    func `a folder of any name is read back`(_ name: String) throws {
        let text = ConfigTemplate(found: .folder(name, formats: [.init(format: "goose", reason: "")])).text
        #expect(try ConfigFile(text, name: "drydock.yml")[Setting.migrations] == name)
    }

    @Test func `nothing is overwritten`() throws {
        let project = try project([
            "Migrations/v1.sql": Self.table, "drydock.yml": "strict: true\n",
            ".gitlab-ci.yml": "mine", ".github/workflows/drydock.yml": "mine",
        ])
        for (service, path) in [("gitlab", ".gitlab-ci.yml"), ("github", ".github/workflows/drydock.yml")] {
            let result = try project.run("init", "--ci", service)
            #expect(result.status == 1)
            #expect(
                result.output.contains("drydock.yml already exists")
                    && result.output.contains("\(path) already exists"))
            #expect(try text(path, project) == "mine" && text("drydock.yml", project) == "strict: true\n")
            #expect(result.output.contains("add this job to it:") == (service == "gitlab"))
        }
    }

    @Test func `a link to nothing is left`() throws {
        let project = try project(["Migrations/v1.sql": Self.table])
        let link = project.folder.appending(path: "drydock.yml").path
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "elsewhere.yml")
        #expect(try project.run("init").status == 1)
        #expect(try !names(project).contains("elsewhere.yml"))
    }

    @Test func `an empty project is told what to do`() throws {
        let project = try project([:])
        let result = try project.run("init")
        #expect(
            result.status == 1 && result.errors.contains("there are no migrations here"), "\(result.errors)")
        #expect(try text("drydock.yml", project).contains("\n#migrations: Migrations\n"))
        #expect(try names(project) == ["drydock.yml", "Snapshots", "Snapshots/README.md"])
        try project.write("Migrations/v1.sql", Self.table)
        #expect(try project.run("lint").status == 0)
    }

    @Test func `several folders are listed, and one can be named`() throws {
        let files = [
            "a/migrations/00001_a.sql": "-- +goose Up\n\(Self.table)",
            "b/migrations/00001_a.sql": "-- +goose Up\n\(Self.table)",
        ]
        let project = try project(files)
        let result = try project.run("init", "--dry-run")
        #expect(
            result.status == 1 && result.errors.contains("a/migrations"), "\(result.output)\(result.errors)")
        #expect(
            result.output.contains("#migrations: a/migrations")
                && result.output.contains("#migrations: b/migrations"))
        #expect(try project.run("init", "-m", "b/migrations").status == 0)
        #expect(try text("drydock.yml", project).contains("\nmigrations: b/migrations\n"))
    }

    @Test func `tools that would run them differently are left to the user`() throws {
        let project = try project([
            "migrations/00001_a.sql": "-- +goose Up\n\(Self.table)-- +goose Down\nDROP TABLE a;\n",
            "migrations/00002_b.sql": "-- migrate:up\nCREATE TABLE b (x);\n-- migrate:down\nDROP TABLE b;\n",
        ])
        let result = try project.run("init")
        let lint = try project.run("lint")
        #expect((result.status == 1) == (lint.status == 2), "\(result.output)\(result.errors)\(lint.errors)")
        _ = try ConfigFile(text("drydock.yml", project), name: "drydock.yml")
    }

    private static let rebuild = """
        CREATE TABLE p2 (id INTEGER PRIMARY KEY); INSERT INTO p2 SELECT id FROM p; DROP TABLE p;
        ALTER TABLE p2 RENAME TO p;

        """
    private static let family = """
        CREATE TABLE p (id INTEGER PRIMARY KEY);
        CREATE TABLE c (id INTEGER PRIMARY KEY, p REFERENCES p (id) ON DELETE CASCADE);

        """
    private static let ambiguous: [(files: [String: String], tools: [String])] = [
        (
            [
                "migrations/1_a.up.sql": family, "migrations/2_b.up.sql": rebuild,
                "migrations/1_a.down.sql": "DROP TABLE c;", "migrations/2_b.down.sql": "SELECT 1;",
            ], ["golang-migrate", "sqlx"]
        ),
        (["migrations/V1__a.sql": family, "migrations/V2__b.sql": rebuild], ["flyway", "refinery"]),
        (
            ["db/migrations/0001_a.sql": family, "db/migrations/0002_b.sql": rebuild],
            ["drydock", "sqlx", "d1"]
        ),
    ]

    @Test(arguments: ambiguous) func `where each way is tried, the line of each tool is there`(
        _ files: [String: String], _ tools: [String]
    ) throws {
        let project = try project(files)
        let each = try project.run("verify")
        #expect(each.status == 1 && each.output.contains("runs them (foreign keys on)"), "\(each)")
        #expect(try project.run("lock").status == 2)
        let result = try project.run("init")
        #expect(result.status == 0, "\(result.output)\(result.errors)")
        let yaml = try text("drydock.yml", project)
        #expect(try ConfigFile(yaml, name: "drydock.yml")[Setting.migrationFormat] == nil)
        for tool in tools {
            // Uncommented, it is the only way.
            #expect(yaml.contains("\n#migrationFormat: \(tool)  # "), "\(yaml.prefix(900))")
            try project.write(
                "drydock.yml",
                yaml.replacing("\n#migrationFormat: \(tool) ", with: "\nmigrationFormat: \(tool) "))
            let verify = try project.run("verify")
            #expect(verify.status < 2 && !verify.output.contains("runs them"), "\(verify)")
        }
    }

    @Test func `a lock decides for init as for verify`() throws {
        let project = try project(Self.ambiguous[1].files)
        #expect(try project.run("lock", "--migration-format", "refinery").status == 0)
        let result = try project.run("init")
        #expect(
            result.status == 0 && result.output.contains("as refinery's"), "\(result.output)\(result.errors)")
    }

    @Test func `a format that cannot be used is refused`() throws {
        let project = try project(["Migrations/v1.sql": Self.table])
        #expect(try project.run("init", "--migration-format", "nonsense").status == 64)
        #expect(try project.run("init", "--migration-format", "custom").status == 2)
        #expect(try !names(project).contains("drydock.yml"))
    }

    @Test func `tools that only the user can tell apart are listed`() throws {
        let project = try project([
            "migrations/20240101000000_a.up.sql": Self.table,
            "migrations/20240101000000_a.down.sql": "DROP TABLE a;",
        ])
        let result = try project.run("init")
        let yaml = try text("drydock.yml", project)
        #expect(result.status == 0 && yaml.contains("\nmigrations: migrations\n"), "\(result.errors)")
        #expect(
            yaml.contains("\n#migrationFormat: sqlx\n")
                && yaml.contains("\n#migrationFormat: golang-migrate\n"))
        #expect(try ConfigFile(yaml, name: "drydock.yml")[Setting.migrationFormat] == nil)
    }

    @Test func `migrations in code get their recipe`() throws {
        let project = try project([
            "shop/migrations/__init__.py": "", "shop/migrations/0001_initial.py": "# code",
        ])
        let result = try project.run("init")
        let yaml = try text("drydock.yml", project)
        #expect(result.status == 1 && result.errors.contains("Django's, which are code"), "\(result.errors)")
        #expect(yaml.contains("#  command: python manage.py migrate ") && yaml.contains("#custom:"))
        #expect(try ConfigFile(yaml, name: "drydock.yml")[Setting.migrations] == nil)
    }

    @Test func `a subfolder of a repository gets its own, and the job goes to the root`() throws {
        let project = try project([
            ".git/HEAD": "", "services/mail/db/migrations/00001_a.sql": "-- +goose Up\n\(Self.table)",
        ])
        let result = try project.shell(
            "cd services/mail && \"$DRYDOCK\" init --ci github && \"$DRYDOCK\" verify --help >&2")
        #expect(result.status == 0, "\(result.output)\(result.errors)")
        #expect(
            try names(project).isSuperset(of: ["services/mail/drydock.yml", ".github/workflows/drydock.yml"]))
        #expect(
            try text(".github/workflows/drydock.yml", project).contains("working-directory: services/mail\n"))
        // One above holds here, too.
        let below = try project.shell("cd services/mail/db && \"$DRYDOCK\" init")
        #expect(
            below.status == 1 && below.output.contains("../drydock.yml applies here"),
            "\(below.output)\(below.errors)")
        #expect(try !names(project).contains("services/mail/db/drydock.yml"))
    }

    @Test func `the folder of the migrations itself is refused`() throws {
        let project = try project(["db/migrations/00001_a.sql": "-- +goose Up\n\(Self.table)"])
        let result = try project.shell("cd db/migrations && \"$DRYDOCK\" init")
        #expect(result.status == 2 && result.errors.contains("cd .. && drydock init"), "\(result.errors)")
        #expect(try names(project) == ["db", "db/migrations", "db/migrations/00001_a.sql"])
    }

    @Test func `a dry run writes nothing`() throws {
        let project = try project(["Migrations/v1.sql": Self.table])
        let before = try names(project)
        let result = try project.run("init", "--dry-run", "--ci", "gitlab")
        #expect(result.status == 0 && result.output.contains("Snapshots/README.md would be written"))
        #expect(try names(project) == before)
    }

    @Test(.enabled(if: geteuid() != 0)) func `a folder that cannot be written is an error`() throws {
        let project = try project(["Migrations/v1.sql": Self.table])
        chmod(project.folder.path, 0o500)
        let result = try project.run("init")
        chmod(project.folder.path, 0o700)
        #expect(result.status == 2 && result.errors.contains("cannot be written: permission denied"))
    }

    @Test func `what is in the way of a folder is an error, and nothing is written`() throws {
        let project = try project(["Migrations/v1.sql": Self.table, "Snapshots": "a file"])
        let result = try project.run("init")
        #expect(
            result.status == 2 && result.errors.contains("'Snapshots' is not a folder"), "\(result.errors)")
        #expect(try !names(project).contains("drydock.yml"))
    }

    @Test func `it can run verify and lint at the end`() throws {
        let project = try Project()
        let result = try project.run("init", "--run")
        #expect(result.status == 0, "\(result.errors)")
        for text in ["$ drydock verify\n", "$ drydock lint\n", "v1.sqlite", "drydock lock"] {
            #expect(result.output.contains(text), "\(result.output)")
        }
        #expect(try !project.run("init", "--no-run").output.contains("$ drydock"))
    }

    @Test func `the page on continuous integration has the job`() throws {
        let page = URL(fileURLWithPath: #filePath).appending(path: "../../../docs/ci.md").standardized
        let text = try String(contentsOf: page, encoding: .utf8)
        #expect(text.contains("```yaml\n" + CIJob.github.text(in: "") + "```\n"))
    }

    @Test func `an unknown service is bad usage`() throws {
        let result = try project([:]).run("init", "--ci", "jenkins")
        #expect(result.status == 64 && result.errors.contains("github"), "\(result.errors)")
    }
}
