import Foundation

/// What a format leaves in a folder of migrations, as far as a glance shows it.
///
/// It decides only where migrations are. In which format they are is decided by ``FormatChoice``, which reads them.
struct MigrationsTrace: Sendable {
    let format: String
    /// What it is, as messages say it.
    let sign: String
    let isIn: @Sendable (FolderGlance) -> Bool

    /// Whether any folder of SQL looks like this.
    var isWeak: Bool { sign == Self.plain }

    private static let plain = "NAME.sql"

    private init(_ format: String, _ sign: String, _ isIn: @escaping @Sendable (FolderGlance) -> Bool) {
        (self.format, self.sign, self.isIn) = (format, sign, isIn)
    }

    /// The only place where such signs are listed; the surest first.
    static let all: [MigrationsTrace] = [
        MigrationsTrace("prisma", "migration_lock.toml") { $0.files.contains("migration_lock.toml") },
        MigrationsTrace("drizzle", "meta/_journal.json") {
            $0.folders.contains("meta") && $0.has("meta/_journal.json")
        },
        MigrationsTrace("drift", "drift_schema_v1.json") {
            $0.files.contains { $0.hasPrefix("drift_schema_v") && $0.hasSuffix(".json") }
        },
        MigrationsTrace("sqldelight", "1.sqm") { $0.files.contains { $0.hasSuffix(".sqm") } },
        MigrationsTrace("room", "an exported schema") { glance in
            guard let file = glance.files.filter({ $0.wholeMatchesNumber(".json") }).min() else {
                return false
            }
            return glance.says(["\"identityHash\"", "\"entities\""], in: file)
        },
        MigrationsTrace("flyway", "V1__x.sql") { $0.files.contains(where: isVersioned) },
        MigrationsTrace("golang-migrate", "1_x.up.sql") { $0.hasNumbered(".up.sql") },
        MigrationsTrace("goose", "-- +goose") { $0.says("-- +goose") },
        MigrationsTrace("dbmate", "-- migrate:up") { $0.says("-- migrate:up") },
        MigrationsTrace("diesel", "NAME/up.sql") { $0.hasStep("up.sql") },
        MigrationsTrace("prisma", "NAME/migration.sql") { $0.hasStep("migration.sql") },
        // sqlx, D1 and apps that count in user_version have such files too.
        MigrationsTrace("drydock", plain) { $0.isForMigrations && !$0.scripts.isEmpty },
    ]

    static func first(in glance: FolderGlance) -> MigrationsTrace? { all.first { $0.isIn(glance) } }

    /// Flyway's and refinery's names.
    static func isVersioned(_ file: String) -> Bool {
        guard file.hasSuffix(".sql"), let range = file.range(of: "__") else { return false }
        let version = file[..<range.lowerBound]
        return version == "R"
            || ["V", "U"].contains(version.first) && version.dropFirst().first?.isNumber == true
    }

    /// The folders where frameworks keep migrations, deeper than a search goes.
    static let prescribed = ["src/main/resources/db/migration"]
    /// SQLDelight's folder in a source set, such as `src/commonMain/sqldelight`; packages are folders in it.
    static let sourceSetFolder = "sqldelight"
}

extension String {
    /// Returns whether the name is a number and an ending.
    fileprivate func wholeMatchesNumber(_ ending: String) -> Bool {
        guard hasSuffix(ending) else { return false }
        let number = dropLast(ending.count)
        return !number.isEmpty && number.allSatisfy { $0.isASCII && $0.isNumber }
    }
}
