import Foundation
import Testing

@testable import DrydockReplay
@testable import DrydockTestSupport

/// Which SQLite a project brings, by its lock files.
@Suite struct BundledSQLiteTests {
    private func found(_ files: [String: String], in folder: String = "db/migrations") throws -> String? {
        let project = try TemporaryFolder()
        for (name, text) in files { try project.write(name, text) }
        try project.write(".git/HEAD", "")
        try project.write(folder + "/0001_a.sql", "")
        let found = BundledSQLite.nearest(to: project.file(folder))
        return found.map { "\($0)".replacing(project.path + "/", with: "") }
    }

    private func cargo(_ version: String, _ dependencies: String) -> String {
        """
        version = 4

        [[package]]
        name = "libc"
        version = "0.2.155"

        [[package]]
        name = "libsqlite3-sys"
        version = "\(version)"
        source = "registry+https://github.com/rust-lang/crates.io-index"
        dependencies = [
        \(dependencies)
        ]

        [[package]]
        name = "sqlx"
        version = "0.8.0"
        dependencies = ["cc"]

        """
    }

    @Test func cargo() throws {
        let bundled = " \"cc\",\n \"pkg-config\","
        #expect(
            try found(["Cargo.lock": cargo("0.30.1", bundled)])
                == "libsqlite3-sys 0.30.1 in Cargo.lock includes SQLite 3.46")
        #expect(
            try found(["Cargo.lock": cargo("0.99.0", bundled)])?.hasSuffix("includes SQLite 3.53 or newer")
                == true)
        #expect(
            try found(["Cargo.lock": cargo("0.9.0", bundled)])?.hasSuffix("includes its own SQLite")
                == true)
        // Without the C compiler, the crate links the system's library.
        #expect(try found(["Cargo.lock": cargo("0.30.1", " \"pkg-config\",")]) == nil)
    }

    @Test(arguments: [
        (
            "go.mod", "module example.org/app\n\nrequire (\n\tmodernc.org/sqlite v1.30.1\n)\n",
            "modernc.org/sqlite 1.30.1 in go.mod includes SQLite 3.46 or newer"
        ),
        (
            "go.mod", "require github.com/mattn/go-sqlite3 v1.14.22 // indirect\n",
            "github.com/mattn/go-sqlite3 1.14.22 in go.mod includes SQLite 3.45"
        ),
        (
            "package-lock.json",
            """
            { "packages": { "": { "dependencies": { "better-sqlite3": "^11.0.0" } },
                "node_modules/better-sqlite3": {
                  "version": "11.5.0",
                } } }
            """, "better-sqlite3 11.5.0 in package-lock.json includes SQLite 3.47"
        ),
        (
            "pnpm-lock.yaml", "packages:\n\n  better-sqlite3@9.4.3:\n    resolution: {}\n",
            "better-sqlite3 9.4.3 in pnpm-lock.yaml includes SQLite 3.45"
        ),
        (
            "pnpm-lock.yaml", "packages:\n\n  '@sqlite.org/sqlite-wasm@3.46.1-build1':\n",
            "@sqlite.org/sqlite-wasm 3.46.1 in pnpm-lock.yaml includes SQLite 3.46"
        ),
        (
            "yarn.lock", "better-sqlite3@^9.0.0:\n  version \"9.6.0\"\n  resolved \"https://x\"\n",
            "better-sqlite3 9.6.0 in yarn.lock includes SQLite 3.45"
        ),
        (
            "build.gradle.kts", "dependencies { implementation(\"org.xerial:sqlite-jdbc:3.45.3.0\") }\n",
            "org.xerial:sqlite-jdbc 3.45.3.0 in build.gradle.kts includes SQLite 3.45"
        ),
    ]) func others(_ name: String, _ text: String, _ expected: String) throws {
        #expect(try found([name: text]) == expected)
    }

    @Test(arguments: [
        ("go.mod", "module example.org/modernc.org/sqlite\n"),
        (
            "package-lock.json",
            "{ \"packages\": { \"node_modules/better-sqlite3-helper\": {\n\"version\": \"1\"}}}"
        ),
        ("pnpm-lock.yaml", "packages:\n\n  '@types/better-sqlite3@7.6.8':\n"),
        ("yarn.lock", "\"@types/better-sqlite3@^7\":\n  version \"7.6.8\"\n"),
    ]) func otherPackages(_ name: String, _ text: String) throws {
        #expect(try found([name: text]) == nil)
    }

    @Test func theNearestFolderCounts() throws {
        let files = [
            "db/go.mod": "require modernc.org/sqlite v1.30.1\n", "Cargo.lock": cargo("0.30.1", " \"cc\","),
        ]
        #expect(try found(files)?.hasPrefix("modernc.org/sqlite 1.30.1 in db/go.mod") == true)
    }
}
