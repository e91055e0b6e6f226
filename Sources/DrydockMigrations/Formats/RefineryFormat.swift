import DatabaseEngine
import DrydockFiles
import DrydockFindings
import SQLiteSchema

extension ToolProfile {
    static let refinery = ToolProfile(
        RefineryFormat(),
        leaves: [],
        namedBy: [.crate("refinery"), .exists("refinery.toml")],
        tables: ["refinery_schema_history": ["version", "name", "applied_on", "checksum"]],
        history: CommandHistory(
            "refinery_schema_history", ["version"],
            "SELECT version FROM refinery_schema_history ORDER BY version"))
}

/// refinery (https://github.com/rust-db/refinery) with its rusqlite driver.
///
/// - Files are `V<version>__<name>.sql` or `U<version>__<name>.sql`, in the folder and in those in it, ordered by the
///   version, a whole number; `.rs` is code. The name consists of letters, digits and `_`: a file with any other name
///   is ignored, with a warning in the log. A version such as `1.1` is refused (refinery_core, util.rs, `STEM_RE`,
///   `parse_migration_name`).
/// - There are no sections, no placeholders and no way back: a file is passed to `execute_batch` unchanged
///   (drivers/rusqlite.rs; README, "Rollback").
/// - Each file has a separate transaction; since 0.8.12 the history is written in another one after it
///   (traits/sync.rs, `migrate`). A file cannot opt out. `set_grouped(true)` puts everything pending into one
///   transaction, history included: `transaction: all`.
/// - rusqlite's bundled SQLite, which refinery's command has too, enforces foreign keys by default
///   (libsqlite3-sys/build.rs, `SQLITE_DEFAULT_FOREIGN_KEYS=1`) and reads double-quoted strings. An app that is
///   linked with the system's SQLite says `foreignKeys: false`.
/// - `refinery_schema_history(version, name, applied_on, checksum)`, or the table that `set_migration_table_name`
///   names: the checksum is SipHash 1-3 of name, version and SQL, as Rust hashes them. The version has four bytes, or
///   eight with the feature `int8-versions`, which declares it `int8` (runner.rs, `unapplied`; traits/mod.rs,
///   `assert_migrations_table_query`).
/// - A different checksum or name, a version that is not in the folder, and a pending `V` below the newest applied
///   one each stop the run before anything is run; a pending `U` is run there (traits/mod.rs, `verify_migrations`).
///   That is an app's default (runner.rs, `Runner::new`). The command since 0.8.6 stops only with `-d` and `-m`;
///   otherwise it logs an error and skips the file (refinery_cli, migrate.rs). Drydock does what the app does.
public struct RefineryFormat: NamedHistory {
    public let name = "refinery"
    public var historyTable: String? = "refinery_schema_history"
    public let historyColumns: Set<String> = ["version", "name", "applied_on", "checksum"]
    public let policy = ToolPolicy(foreignKeys: true, late: .refuse, recordsInTransaction: false)
    public let runsOnAppsConnection = true
    /// The checksum also covers the name, which the history has beside the version.
    public let checksums = ChecksumScope.bytes

    public init() {}

    public var historySetup: [Bookkeeping] {
        [
            Bookkeeping(
                """
                CREATE TABLE IF NOT EXISTS \(quotedHistory)(
                    version int4 PRIMARY KEY,
                    name VARCHAR(255),
                    applied_on VARCHAR(255),
                    checksum VARCHAR(255))
                """)
        ]
    }

    public let namingAdvice = "A migration is called V2__name.sql."
    public let readsEverySubfolder = true

    public func owns(_ facts: HistoryFacts) -> Bool {
        facts.has(historyTable ?? "", "version", "name", "applied_on", "checksum")
    }

    public func evidence(in folder: FolderFiles) -> FolderEvidence? {
        let files = folder.descendants()
        let scripts = files.compactMap { RefineryScript($0) }
        guard let first = scripts.first else { return nil }
        if let code = scripts.first(where: \.isCode) {
            return FolderEvidence(.marker, "V1__name.rs", at: folder.file(code.file))
        }
        if let marker = Self.marker(around: folder) { return marker }
        // A folder with files that refinery would ignore or refuse is Flyway's, and so is that of a crate without refinery.
        let isWhole =
            !Self.isOfAnotherCrate(folder) && files.count { $0.hasSuffix(".sql") } == scripts.count
            && Set(scripts.map(\.version)).count == scripts.count && scripts.allSatisfy { $0.number != nil }
        return FolderEvidence(isWhole ? .layout : .possible, "V1__name.sql", at: folder.file(first.file))
    }

    public func load(folder: FolderFiles, options: FormatOptions) throws -> MigrationSet {
        let policy = policy(options)
        var reader = MigrationReader(folder, options)
        let files = folder.descendants()
        let scripts = files.compactMap { RefineryScript($0) }
            .sorted { naturallyPrecedes($0.version, $1.version) }
        // A single version that needs eight bytes requires the feature, which changes every checksum.
        let isWide = scripts.contains(where: \.needsWideVersions)
        let migrations = scripts.map { migration($0, isWide: isWide, policy, &reader) }
        for file in files where RefineryScript.isMisnamed(file) {
            reader.note(
                Finding(
                    .migrationFailed, .warning,
                    "refinery does not run \(folder.file(file)): refinery does not recognise its name",
                    help: "The name after V1__ or U1__ may have only letters, digits and _.",
                    place: .init(file: folder.file(file))))
        }
        return MigrationSet(
            folder: folder.path, format: self, policy: policy, migrations: migrations,
            findings: reader.findings)
    }

    private func migration(
        _ script: RefineryScript, isWide: Bool, _ policy: ToolPolicy, _ reader: inout MigrationReader
    ) -> Migration {
        guard !script.isCode else {
            var migration = Migration(identifier: script.version, path: reader.folder.file(script.file))
            migration.isCode = true
            if script.isUnversioned { migration.order = .whenever }
            return migration
        }
        var migration = reader.migration(script.version, in: script.file, policy) { source in
            guard script.number != nil else {
                throw FileProblem(
                    "\(script.version) is not a version that refinery accepts",
                    "A version is a whole number, such as 2, or 20240131120000 with the feature int8-versions."
                )
            }
            return .init(up: source.statements())
        }
        if script.isUnversioned { migration.order = .whenever }
        if let number = script.number {
            let bytes = reader.bytes(script.file)
            let wide = script.checksum(of: bytes, isWide: true)
            let checksum = isWide ? wide : script.checksum(of: bytes, isWide: false)
            migration.checksum = checksum
            migration.checksumsOfLineEndings = MigrationReader.otherLineEndings(bytes).flatMap { bytes in
                [true, false].map { script.checksum(of: bytes, isWide: $0) }
            }
            migration.record = [record(number, script.name, checksum, wide)]
        }
        return migration
    }

    public func history(_ connection: any Connection, of set: MigrationSet) throws -> AppliedHistory? {
        try connection.history(in: historyTable ?? "", columns: "version", "checksum") {
            var history = AppliedHistory([])
            let query = "SELECT version, checksum FROM \(quotedHistory) ORDER BY version"
            try connection.forEachRow(query) { row in
                history.identifiers.append(row.string(0))
                history.checksums[row.string(0)] = row.optionalString(1)
            }
            let scripts = set.migrations.compactMap { RefineryScript($0.path) }
            let wide = scripts.first(where: \.needsWideVersions)
            for migration in set.migrations {
                // A checksum that differs may be the one for the other width.
                guard let kept = history.checksums[migration.identifier], kept != migration.checksum,
                    let script = RefineryScript(migration.path), !script.isCode,
                    let bytes = try? FolderListing.contents(of: migration.path),
                    kept == script.checksum(of: bytes, isWide: wide == nil)
                else { continue }
                history.checksums[migration.identifier] = migration.checksum
                if let wide {
                    history.refusal =
                        "version \(wide.version) needs refinery's feature int8-versions, with which the checksums "
                        + "of applied migrations are different"
                }
            }
            return history
        }
    }

    /// - Parameter wide: the checksum where the history was created with `int8-versions`.
    private func record(_ version: Int64, _ name: String, _ checksum: String, _ wide: String)
        -> Bookkeeping
    {
        Bookkeeping(
            "INSERT INTO \(quotedHistory) (version, name, applied_on, checksum) "
                + "SELECT ?, ?, strftime('%Y-%m-%dT%H:%M:%fZ', 'now'), CASE lower(type) WHEN 'int8' THEN ? ELSE ? END "
                + "FROM pragma_table_info(?) WHERE name = 'version'",
            [
                .integer(version), SQLValue(name), SQLValue(wide), SQLValue(checksum),
                SQLValue(historyTable ?? ""),
            ])
    }

    /// Returns whether the nearest Cargo.toml is a crate's that does not name refinery; that of a workspace says nothing.
    private static func isOfAnotherCrate(_ folder: FolderFiles) -> Bool {
        for above in ["", "../", "../../", "../../../"] {
            guard let text = folder.text(above + "Cargo.toml") else { continue }
            return !text.contains("refinery") && !text.contains("[workspace")
        }
        return false
    }

    /// Returns the file that refinery's command keeps beside the folder, or the crate's Cargo.toml if it names
    /// refinery.
    private static func marker(around folder: FolderFiles) -> FolderEvidence? {
        for above in ["", "../", "../../", "../../../"] {
            let (config, manifest) = (above + "refinery.toml", above + "Cargo.toml")
            if folder.exists(config) {
                return FolderEvidence(.marker, "a configuration", at: folder.file(config))
            }
            guard folder.exists(manifest) else { continue }
            return folder.firstLine(in: [manifest]) { $0.contains(/^\s*(\[dependencies\.)?refinery\b/) }
                .map { FolderEvidence(.marker, "the crate", at: $0) }
        }
        return nil
    }
}

/// The name of a refinery migration.
private struct RefineryScript {
    var file: String
    /// The version in the history, if it is a number.
    var version: String
    var number: Int64?
    var name: String
    var isUnversioned: Bool
    var isCode: Bool

    /// Whether the version is beyond 32 bits.
    var needsWideVersions: Bool { number.map { Int32(exactly: $0) == nil } ?? false }

    init?(_ file: String) {
        let last = PathParts.name(of: file)
        guard last.first == "U" || last.first == "V",
            let match = last.wholeMatch(of: /([UV])([0-9]+(?:\.[0-9]+)?)__(\w+)\.(sql|rs)/)
        else {
            return nil
        }
        self.file = file
        number = Int64(match.2)
        version = number.map(String.init) ?? String(match.2)
        name = String(match.3)
        isUnversioned = match.1 == "U"
        isCode = match.4 == "rs"
    }

    /// Returns whether refinery warns of a file that was meant to be a migration, and ignores it.
    static func isMisnamed(_ file: String) -> Bool {
        let last = PathParts.name(of: file)
        guard last.first == "U" || last.first == "V" else { return false }
        return RefineryScript(file) == nil && last.wholeMatch(of: /[UV][0-9].*\.(sql|rs)/) != nil
    }

    /// Returns the hash of the name, the version and the SQL: `str::hash` ends with 0xFF, a number has the bytes of
    /// its type, lowest first.
    func checksum(of sql: [UInt8], isWide: Bool) -> String {
        let number = number ?? 0
        let version = (0..<(isWide ? 8 : 4)).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
        return String(SipHash13.hash(Array(name.utf8) + [0xFF] + version + sql + [0xFF]))
    }
}
