/// A folder as Prisma keeps it.
enum PrismaProject {
    static func history(_ rest: String = "") -> String {
        """
        CREATE TABLE _prisma_migrations(id TEXT PRIMARY KEY NOT NULL, checksum TEXT NOT NULL, finished_at DATETIME,
          migration_name TEXT NOT NULL, logs TEXT, rolled_back_at DATETIME,
          started_at DATETIME NOT NULL DEFAULT current_timestamp, applied_steps_count INTEGER UNSIGNED NOT NULL DEFAULT 0);
        INSERT INTO _prisma_migrations(id, checksum, finished_at, migration_name) VALUES ('a', '\(checksum)', 1, '1_people');
        \(rest)
        """
    }

    static let checksum = "3ab4d8a6"

    static let project = ToolProject(
        files: [
            "migration_lock.toml": "provider = \"sqlite\"\n", "1_people/migration.sql": ToolProject.one,
            "2_born/migration.sql": ToolProject.two, "3_rebuild/migration.sql": ToolProject.rebuild,
        ], history: history())

    /// Of ``ToolProject/one``, by sha256sum.
    static let whole = "8946ba7a852db869149590c2e1f99a4d0ad0a114c937e9166703a58fbbcca47d"
}
