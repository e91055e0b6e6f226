/// What a search of a project for migrations leaves out.
package enum SearchLimits {
    /// How many levels below the first folder are searched.
    static let levels = 3
    static let folders = 10_000
    static let names = 500_000
    /// How many folders beyond the number of a folder's own scripts are looked into.
    static let weakLimit = 32

    /// Folders of dependencies and builds; hidden folders are not searched either.
    package static let skipped: Set<String> = [
        "node_modules", "bower_components", "vendor", "third_party", "pods", "carthage", "site-packages",
        "venv",
        "env", "deps", "target", "build", "_build", "dist", "out", "bin", "obj", "deriveddata", "__pycache__",
        "coverage",
    ]

    /// Words of names that say that migrations are those of another database.
    private static let databases: Set<String> = [
        "postgres", "postgresql", "psql", "pg", "mysql", "mariadb", "mssql", "sqlserver", "oracle",
        "cockroach",
        "cockroachdb", "clickhouse", "supabase", "snowflake", "bigquery", "duckdb", "mongo", "mongodb",
        "cassandra",
        "scylla", "spanner", "redshift",
    ]

    /// Words in names of folders for tests or examples: their files count only if there are no others.
    private static let trials: Set<String> = [
        "test", "tests", "testing", "testdata", "fixture", "fixtures", "example", "examples", "sample",
        "samples",
        "demo", "demos", "doc", "docs", "e2e", "spec", "specs", "template", "templates", "bench", "benches",
    ]

    static func isOfAnotherDatabase(_ path: String) -> Bool {
        let words = words(path)
        return !words.isDisjoint(with: databases) && !words.contains("sqlite") && !words.contains("sqlite3")
    }

    static func isTrial(_ path: String) -> Bool { !words(path).isDisjoint(with: trials) }

    private static func words(_ path: String) -> Set<String> {
        Set(path.lowercased().split { !$0.isLetter && !$0.isNumber }.map(String.init))
    }
}
