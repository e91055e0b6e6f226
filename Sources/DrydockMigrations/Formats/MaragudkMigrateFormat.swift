import DatabaseEngine
import SQLiteSchema

extension ToolProfile {
    static let maragudkMigrate = ToolProfile(
        MaragudkMigrateFormat(),
        leaves: [],
        namedBy: ProjectSign.goModule("github.com/maragudk/migrate")
            + ProjectSign.goModule("maragu.dev/migrate"),
        tables: ["migrations": ["version"]])
}

/// maragudk/migrate (https://github.com/maragudk/migrate, also `maragu.dev/migrate`), a Go library.
///
/// - Files match `^([\w-]+).up.sql$` and `^([\w-]+).down.sql`, and run in the order of their names as text. The version is
///   all that stands before `.up.sql`, so that several files may begin with one number (migrate.go, `upMatcher`,
///   `getFilenames`).
/// - Each runs in one transaction, which also writes the version, with the app's own functions before and after it
///   (`apply`; `Options.Before` and `After`).
/// - The library sets no pragma: foreign keys are what the app's connection says, SQLite's default being off.
/// - `migrations(version text not null)`, or the table that `Options.Table` names, holds one row, the newest version, or ''.
///   Versions that are not above it, as text, never run (`MigrateUp`). No checksums.
public struct MaragudkMigrateFormat: NamedHistory {
    public let name = "maragudk-migrate"
    public var historyTable: String? = "migrations"
    public let policy = ToolPolicy(foreignKeys: false, late: .skip)
    public let runsOnAppsConnection = true

    public init() {}

    public var historySetup: [Bookkeeping] {
        [
            Bookkeeping("create table if not exists \(quotedHistory) (version text not null)"),
            Bookkeeping(
                "insert into \(quotedHistory) select '' where not exists (select * from \(quotedHistory))"),
        ]
    }

    public let namingAdvice = "A migration is called NAME.up.sql, such as 0003_add_label.up.sql."

    public var foreignKeysOffAdvice: String {
        "The library does not change the setting of the app's connection: migrate on one that does not turn them on (_foreign_keys, "
            + "_fk), and say so with 'foreignKeys: false' in drydock.yml."
    }

    /// Other tools have a table `migrations` with more columns.
    public func owns(_ facts: HistoryFacts) -> Bool {
        facts.columns[(historyTable ?? "").foldedASCII] == ["version"]
    }

    /// Other tools name their files in this way too: the project must say that it is this one.
    public func evidence(in folder: FolderFiles) -> FolderEvidence? {
        guard let first = folder.files.first(where: { Self.version($0, "up") != nil }) else { return nil }
        let isNamed = ProjectSign.nearest(to: folder.path, among: [name]) != nil
        return FolderEvidence(isNamed ? .layout : .possible, "NAME.up.sql", at: folder.file(first))
    }

    public func load(folder: FolderFiles, options: FormatOptions) throws -> MigrationSet {
        let policy = policy(options)
        var reader = MigrationReader(folder, options)
        let downs = Dictionary(
            folder.files.compactMap { file in Self.version(file, "down").map { ($0, file) } },
            uniquingKeysWith: { first, _ in first })
        let files = folder.files.filter { Self.version($0, "up") != nil }
            .sorted { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) }
        var previous = ""
        var migrations: [Migration] = []
        for file in files {
            let version = Self.version(file, "up") ?? file
            var migration = reader.migration(version, in: file, policy)
            migration.record = [setVersion(version)]
            migration.unrecord = [setVersion(previous)]
            migration.down = reader.down(
                in: downs[version], of: version, transaction: migration.transaction)
            migrations.append(migration)
            previous = version
        }
        return MigrationSet(
            folder: folder.path, format: self, policy: policy, migrations: migrations,
            findings: reader.findings)
    }

    public func history(_ connection: any Connection, of set: MigrationSet) throws -> AppliedHistory? {
        try connection.history(in: historyTable ?? "", columns: "version") {
            let query = "SELECT version FROM \(quotedHistory)"
            let newest = try connection.firstRow(query) { $0.string(0) } ?? ""
            guard !newest.isEmpty else {
                return AppliedHistory([])
            }
            let bytes = Array(newest.utf8)
            let known = set.migrations.map(\.identifier).filter {
                !bytes.lexicographicallyPrecedes(Array($0.utf8))
            }
            return AppliedHistory(known.contains(newest) ? known : known + [newest])
        }
    }

    private func setVersion(_ version: String) -> Bookkeeping {
        Bookkeeping("update \(quotedHistory) set version = ?", [SQLValue(version)])
    }

    /// Returns what stands before `.up.sql` or `.down.sql`, if that is a version.
    private static func version(_ file: String, _ direction: String) -> String? {
        let ending = ".\(direction).sql"
        guard file.hasSuffix(ending) else { return nil }
        let version = file.dropLast(ending.count)
        let isNamed = version.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "_-".contains($0)) }
        return isNamed && !version.isEmpty ? String(version) : nil
    }
}
