import Drydock
import Foundation
import Testing

@testable import DrydockTestSupport

/// Where a project's migrations are, for layouts as projects have them.
@Suite struct MigrationsFinderTests {
    struct Layout: CustomTestStringConvertible {
        var name: String
        /// Files; a text matters only where it is not empty.
        var files: [String]
        var texts: [String: String] = [:]
        var expected: String

        init(_ name: String, _ expected: String, _ files: [String], _ texts: [String: String] = [:]) {
            (self.name, self.files, self.texts, self.expected) = (name, files, texts, expected)
        }

        var testDescription: String { name }

        func write() throws -> TemporaryFolder {
            let folder = try TemporaryFolder()
            for file in files { try folder.write(file, texts[file] ?? "SELECT 1;\n") }
            return folder
        }
    }

    static let layouts = [
        Layout("Drydock's own", "Migrations", ["Migrations/v1_first.sql"]),
        Layout("the usual folder first", "Migrations", ["Migrations/v1_first.sql", "db/migrations/1_x.sql"]),
        Layout(
            "prisma", "prisma/migrations",
            [
                "prisma/schema.prisma", "prisma/migrations/migration_lock.toml",
                "prisma/migrations/20240101_init/migration.sql",
            ], ["prisma/migrations/migration_lock.toml": "provider = \"sqlite\"\n"]),
        Layout(
            "prisma without its lock file", "prisma/migrations",
            ["prisma/migrations/20240101_init/migration.sql"]),
        Layout(
            "prisma in a monorepo", "backend/prisma/migrations",
            [
                "backend/prisma/migrations/0_init/migration.sql", "frontend/package.json",
                "frontend/node_modules/x/migrations/1_x.sql",
            ]),
        Layout(
            "drizzle", "drizzle", ["drizzle/meta/_journal.json", "drizzle/0000_first.sql"],
            ["drizzle/meta/_journal.json": #"{"version":"7","dialect":"sqlite","entries":[]}"#]),
        Layout(
            "drizzle beside those of other databases", "packages/db/migrations/sqlite",
            [
                "packages/db/migrations/sqlite/meta/_journal.json",
                "packages/db/migrations/sqlite/0000_first.sql",
                "packages/db/migrations/mysql/meta/_journal.json",
                "packages/db/migrations/mysql/0000_first.sql",
                "packages/db/migrations/postgresql/meta/_journal.json",
                "packages/db/migrations/postgresql/0000_first.sql",
            ]),
        Layout(
            "drizzle's dialect", "b/drizzle",
            ["a/drizzle/meta/_journal.json", "b/drizzle/meta/_journal.json"],
            [
                "a/drizzle/meta/_journal.json": #"{"dialect": "postgresql"}"#,
                "b/drizzle/meta/_journal.json": #"{"dialect": "sqlite"}"#,
            ]),
        Layout(
            "sqlx in a workspace", "crates/server/migrations",
            [
                "Cargo.toml", "crates/server/Cargo.toml", "crates/server/migrations/20240101000000_first.sql",
                "target/debug/build/x/migrations/1_x.sql",
            ]),
        Layout(
            "sqlx of two databases", "store/migrations",
            [
                "store/Cargo.toml", "store/migrations/1_first.sql", "api/Cargo.toml",
                "api/migrations/1_first.sql",
                "scraper-psql/migrations/1_first.sql",
            ],
            [
                "store/Cargo.toml": "sqlx = { version = \"0.8\", features = [\"sqlite\"] }\n",
                "api/Cargo.toml": "sqlx = { workspace = true, features = [\n  \"postgres\",\n] }\n",
            ]),
        Layout(
            "diesel of two databases", "migrations",
            [
                "Cargo.toml", "migrations/1_first/up.sql", "registry/Cargo.toml",
                "registry/migrations/1_first/up.sql",
            ],
            [
                "Cargo.toml": "diesel = { version = \"2\", features = [\"sqlite\"] }\n",
                "registry/Cargo.toml": "diesel = { version = \"2\", features = [\"postgres\", \"r2d2\"] }\n",
            ]),
        Layout(
            "diesel", "migrations/sqlite",
            [
                "migrations/sqlite/2018-01-14-171611_create_tables/up.sql",
                "migrations/mysql/2018-01-14-171611_create_tables/up.sql",
            ]),
        Layout(
            "goose", "internal/db/migrations",
            ["internal/db/migrations/001_first.sql", "internal/db/sql/queries.sql"],
            ["internal/db/migrations/001_first.sql": "-- +goose Up\nSELECT 1;\n"]),
        Layout(
            "goose under another name", "sql/schema", ["sql/schema/001_first.sql", "sql/queries/users.sql"],
            ["sql/schema/001_first.sql": "-- +goose Up\nSELECT 1;\n"]),
        Layout(
            "golang-migrate", "pkg/sqlite/migrations",
            [
                "pkg/sqlite/migrations/1_initial.up.sql", "pkg/sqlite/migrations/2_x.down.sql",
                "pkg/sqlite/x.go",
            ]),
        Layout(
            "dbmate", "db/migrations", ["db/migrations/20240101_first.sql", "db/schema.sql"],
            ["db/migrations/20240101_first.sql": "-- migrate:up\nSELECT 1;\n"]),
        Layout(
            "flyway", "src/main/resources/db/migration",
            ["src/main/resources/db/migration/V1__first.sql", "src/main/java/db/App.java"]),
        Layout(
            "flyway in a module", "modules/app/src/main/resources/db/migration",
            [
                "modules/app/src/main/resources/db/migration/V1__first.sql",
                "modules/app/build/resources/main/db/migration/V1__first.sql",
            ]),
        Layout(
            "flyway with folders of releases", "src/main/resources/db/migration",
            [
                "src/main/resources/db/migration/1.0/V1__first.sql",
                "src/main/resources/db/migration/1.1/V2__second.sql",
            ]),
        Layout(
            "flyway with folders of databases", "src/main/resources/db/migration/sqlite",
            [
                "src/main/resources/db/migration/mysql/V1__first.sql",
                "src/main/resources/db/migration/sqlite/V1__first.sql",
            ]),
        Layout(
            "sqldelight", "src/main/sqldelight",
            ["src/main/sqldelight/com/example/db/1.sqm", "src/main/sqldelight/com/example/db/Note.sq"]),
        Layout(
            "sqldelight, multiplatform", "shared/src/commonMain/sqldelight",
            [
                "shared/src/commonMain/sqldelight/migrations/1.sqm",
                "shared/src/commonMain/sqldelight/com/example/Note.sq",
            ]),
        Layout(
            "room", "app/schemas/com.example.Database", ["app/schemas/com.example.Database/1.json"],
            [
                "app/schemas/com.example.Database/1.json":
                    #"{"database": {"version": 1, "identityHash": "a", "entities": []}}"#
            ]),
        Layout("drift", "drift_schemas", ["drift_schemas/drift_schema_v1.json", "lib/database.dart"]),
        Layout("d1", "migrations", ["migrations/0001_first.sql", "wrangler.toml"]),
        Layout(
            "tests of another kind do not count", "db/migrations",
            [
                "db/migrations/1_first.sql", "tests/migrations/1_x.sql",
                "internal/testdata/migrations/1_x.sql", "examples/migrations/1_x.sql",
            ]),
        Layout("examples alone", "examples/migrations", ["examples/migrations/1_x.sql"]),
        Layout(
            "dependencies, builds and hidden folders", "migrations",
            [
                "migrations/1_x.sql", "vendor/a/migrations/1_x.sql", "node_modules/a/migrations/1_x.sql",
                ".build/checkouts/a/migrations/1_x.sql", "dist/migrations/1_x.sql",
                ".cache/migrations/1_x.sql",
            ]),
        Layout(
            "other SQL", "migrations",
            ["migrations/1_x.sql", "sql/queries.sql", "sql/001_report.sql", "seeds/0001_users.sql"]),
        Layout("names with spaces", "my app/migrations", ["my app/migrations/1_x.sql"]),
    ]

    @Test(arguments: layouts) func layoutsAreFound(_ layout: Layout) throws {
        let folder = try layout.write()
        let place = try MigrationsFinder.find(in: folder.path)
        #expect(place.path == folder.file(layout.expected))
        #expect(place.wasFound == (layout.expected != "Migrations"))
        // From the project's folder itself the path is relative.
        let survey = MigrationsSurvey(folder.path)
        #expect(layout.expected == "Migrations" || survey.candidates.map(\.path) == [layout.expected])
        #expect(survey.isWhole)
    }

    @Test func whatShrinkMadeIsAnotherProject() throws {
        let folder = try TemporaryFolder()
        try folder.write("db/migrations/0001_first.sql", "CREATE TABLE a(b);")
        for name in ["Migrations/0001_first.sql", "finding.sql", "drydock.yml"] {
            try folder.write("found/" + name, "SELECT 1;")
        }
        #expect(MigrationsSurvey(folder.path).candidates.map(\.path) == ["db/migrations"])
    }

    private func refusal(_ folder: TemporaryFolder) -> RequestError? {
        #expect(throws: RequestError.self) { try MigrationsFinder.find(in: folder.path) }
    }

    @Test func severalAreListed() throws {
        let folder = try Layout(
            "", "",
            ["prisma/migrations/0_init/migration.sql", "db/migrations/1_x.up.sql", "a b/migrations/1_x.sql"]
        ).write()
        let refusal = refusal(folder)
        #expect(refusal?.description.contains("3 folders of migrations") == true)
        let quote = refusal?.quote ?? ""
        #expect(quote.contains("--migrations \(folder.file("prisma/migrations"))  (NAME/migration.sql)"))
        #expect(quote.contains("--migrations \(folder.file("db/migrations"))  (1_x.up.sql)"))
        #expect(quote.contains("--migrations '\(folder.file("a b/migrations"))'"))
    }

    @Test func noneIsExplained() throws {
        let empty = try TemporaryFolder()
        #expect(refusal(empty)?.description.contains("prisma/migrations") == true)
        try empty.write("a/b/c/d/migrations/1_x.sql", "SELECT 1;")
        #expect(refusal(empty)?.description.contains("within 3 levels") == true)
        let other = try Layout("", "", ["supabase/migrations/1_x.sql", "services/pg/migrations/1_x.up.sql"])
            .write()
        #expect(refusal(other)?.description.contains("a database other than SQLite") == true)
    }

    /// What an app keeps in folders of its own is not read as the few files above them.
    @Test func aLayoutOfAnAppsOwnIsExplained() throws {
        let folder = try Layout(
            "", "",
            [
                "store/migration/sqlite/LATEST.sql", "store/migration/sqlite/0.10/00__a.sql",
                "store/migration/sqlite/0.11/00__b.sql", "store/migration/mysql/LATEST.sql",
            ]
        ).write()
        let refusal = refusal(folder)
        #expect(
            refusal?.description.contains("store/migration/sqlite' is in its subfolders") == true,
            "\(refusal?.description ?? "")")
        #expect(refusal?.description.contains("'custom:'") == true)
    }

    /// A folder for which there is no other is used, so that the report says what is missing in it.
    @Test func anEmptyUsualFolderIsUsed() throws {
        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(
            atPath: folder.file("Migrations"), withIntermediateDirectories: true)
        #expect(try MigrationsFinder.find(in: folder.path).path == folder.file("Migrations"))
        try folder.write("prisma/migrations/0_init/migration.sql", "SELECT 1;")
        #expect(try MigrationsFinder.find(in: folder.path).path == folder.file("prisma/migrations"))
    }

    // MARK: - Links, permissions, sizes

    @Test func linksLeadInNoCircle() throws {
        let folder = try TemporaryFolder()
        try folder.write("db/migrations/1_x.sql", "SELECT 1;")
        for link in ["db/loop", "db/migrations/again", "self"] {
            try FileManager.default.createSymbolicLink(
                atPath: folder.file(link), withDestinationPath: folder.path)
        }
        try FileManager.default.createSymbolicLink(atPath: folder.file("root"), withDestinationPath: "/")
        // The same folder under another name.
        try FileManager.default.createSymbolicLink(
            atPath: folder.file("migrations"), withDestinationPath: "db/migrations")
        try FileManager.default.createSymbolicLink(
            atPath: folder.file("old-migrations"), withDestinationPath: "nowhere")
        #expect(try MigrationsFinder.find(in: folder.path).path == folder.file("db/migrations"))
        #expect(MigrationsSurvey(folder.path).folderCount < 20)
    }

    @Test func aLinkToAFolderElsewhereCounts() throws {
        let (folder, elsewhere) = (try TemporaryFolder(), try TemporaryFolder())
        try elsewhere.write("sql/1_x.sql", "SELECT 1;")
        try FileManager.default.createSymbolicLink(
            atPath: folder.file("migrations"), withDestinationPath: elsewhere.file("sql"))
        #expect(try MigrationsFinder.find(in: folder.path).path == folder.file("migrations"))
    }

    @Test func foldersThatCannotBeReadAreLeftOut() throws {
        let folder = try TemporaryFolder()
        try folder.write("db/migrations/1_x.sql", "SELECT 1;")
        try folder.write("secret/migrations/1_x.sql", "SELECT 1;")
        let path = folder.file("secret")
        try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: path)
        defer { try? FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path) }
        // The superuser reads it nevertheless.
        guard geteuid() != 0 else { return }
        #expect(try MigrationsFinder.find(in: folder.path).path == folder.file("db/migrations"))
    }

    /// What this thread has used, in seconds: other tests run meanwhile.
    private var processorTime: Int {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return time.tv_sec
    }

    @Test func aHundredThousandFilesTakeNoTime() throws {
        let folder = try TemporaryFolder()
        try folder.write("db/migrations/1_x.sql", "SELECT 1;")
        for place in ["assets", "assets/deep", "data/1/2"] {
            try FileManager.default.createDirectory(
                atPath: folder.file(place), withIntermediateDirectories: true)
            for number in 0..<33_000 {
                let descriptor = open(folder.file("\(place)/\(number).png"), O_CREAT | O_WRONLY, 0o644)
                close(descriptor)
            }
        }
        let start = processorTime
        #expect(try MigrationsFinder.find(in: folder.path).path == folder.file("db/migrations"))
        #expect(processorTime - start < 5)
    }

    @Test func aSearchThatDoesNotEndSaysSo() throws {
        let folder = try TemporaryFolder()
        try folder.write("a/migrations/1_x.sql", "SELECT 1;")
        for number in 0..<10_100 { mkdir(folder.file("b\(number)"), 0o755) }
        let refusal = refusal(folder)
        #expect(
            refusal?.description.contains("not all were searched") == true, "\(refusal?.description ?? "")")
    }

    // MARK: - A folder that is named

    private func refusal(_ folder: TemporaryFolder, named path: String) -> String {
        let error = #expect(throws: RequestError.self) {
            try MigrationsFinder.check(named: folder.file(path), format: nil)
        }
        return (error.map { $0.description + $0.quote } ?? "").replacing(folder.path + "/", with: "")
    }

    @Test(arguments: [
        (
            "prisma", "--migrations prisma/migrations",
            ["prisma/schema.prisma", "prisma/seed.sql", "prisma/migrations/0_init/migration.sql"]
        ),
        ("crates", "--migrations crates/server/migrations", ["crates/server/migrations/1_x.sql"]),
        ("db", "--migrations db/migrations", ["db/migrations/1_x.up.sql", "db/schema.sql"]),
        (
            "migrations/0001_init", "--migrations migrations",
            ["migrations/0001_init/up.sql", "migrations/0001_init/down.sql", "migrations/0002_more/up.sql"]
        ),
        (
            "prisma/migrations/0_init", "--migrations prisma/migrations",
            ["prisma/migrations/0_init/migration.sql"]
        ),
        (
            "prisma/migrations/0_init/", "--migrations prisma/migrations",
            ["prisma/migrations/0_init/migration.sql"]
        ),
        ("drizzle/meta", "--migrations drizzle", ["drizzle/meta/_journal.json", "drizzle/0000_a.sql"]),
        ("migrations/1_x.sql", "--migrations migrations", ["migrations/1_x.sql"]),
    ]) func oneLevelOff(_ named: String, _ expected: String, _ files: [String]) throws {
        let folder = try Layout("", "", files).write()
        let text = refusal(folder, named: named)
        #expect(text.contains(expected), "\(text)")
    }

    @Test(arguments: layouts) func foldersThatAreRightPass(_ layout: Layout) throws {
        let folder = try layout.write()
        try MigrationsFinder.check(named: folder.file(layout.expected), format: nil)
    }

    @Test func foldersWithoutMigrationsPass() throws {
        let folder = try TemporaryFolder()
        try folder.write("empty/README.md", "")
        try folder.write("own/up.sql", "SELECT 1;")
        try MigrationsFinder.check(named: folder.file("empty"), format: nil)
        try MigrationsFinder.check(named: folder.file("nowhere"), format: nil)
        try MigrationsFinder.check(named: folder.file("own"), format: "drydock")
    }
}
