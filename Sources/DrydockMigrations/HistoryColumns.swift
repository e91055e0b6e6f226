import SQLiteSchema

/// The columns in which migration tools keep their history and that say nothing about people: versions, names of files,
/// checksums and times. A tool needs them to know what is applied.
///
/// What else a history table has is a person's or unknown: Flyway's `installed_by`, Prisma's `logs` (the errors of a
/// migration, with values), or a column of an app's own table that has a tool's name.
package enum HistoryColumns {
    /// By folded table; the columns of all tools that use the name.
    private static let known: [String: Set<String>] = [
        "grdb_migrations": ["identifier"],
        "goose_db_version": ["id", "version_id", "is_applied", "tstamp"],
        "schema_migrations": ["version", "dirty"],
        "ar_internal_metadata": ["key", "value", "created_at", "updated_at"],
        "flyway_schema_history": [
            "installed_rank", "version", "description", "type", "script", "checksum", "installed_on",
            "execution_time", "success",
        ],
        "_prisma_migrations": [
            "id", "checksum", "finished_at", "migration_name", "rolled_back_at", "started_at",
            "applied_steps_count",
        ],
        "_sqlx_migrations": [
            "version", "description", "installed_on", "success", "checksum", "execution_time",
        ],
        "__drizzle_migrations": ["id", "hash", "created_at", "name", "applied_at"],
        "__diesel_schema_migrations": ["version", "run_on"],
        "refinery_schema_history": ["version", "name", "applied_on", "checksum"],
        "d1_migrations": ["id", "name", "applied_at"],
        "django_migrations": ["id", "app", "name", "applied"],
        "alembic_version": ["version_num"],
        "knex_migrations": ["id", "name", "batch", "migration_time"],
        "knex_migrations_lock": ["index", "is_locked"],
        "sequelizemeta": ["name"],
        "__efmigrationshistory": ["migrationid", "productversion"],
        "__efmigrationslock": ["id", "timestamp"],
        "migrations": ["id", "migration", "batch", "timestamp", "name"],
        "room_master_table": ["id", "identity_hash"],
        "android_metadata": ["locale"],
    ]

    /// Returns which columns of a history table are the tool's, folded. Under a name that its project chose, a table is
    /// recognised by having all columns of a tool's.
    package static func ofTool(table: String, columns: [String]) -> Set<String> {
        let own = Set(columns.map(\.foldedASCII))
        if let columns = known[table.foldedASCII] { return columns.intersection(own) }
        return known.values.filter { $0.count > 1 && $0.isSubset(of: own) }.reduce(into: []) {
            $0.formUnion($1)
        }
    }
}
