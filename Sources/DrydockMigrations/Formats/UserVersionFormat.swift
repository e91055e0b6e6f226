import DatabaseEngine
import SQLiteSchema

extension ToolProfile {
    static let userVersion = ToolProfile(
        UserVersionFormat(),
        leaves: [],
        namedBy: [],
        tables: ["android_metadata": ["locale"]])
}

/// Numbered SQL files and `PRAGMA user_version`, which many applications use without a tool.
///
/// - The number in a file's name is the version that it leads to; files run in that order. A `.down.sql` beside a
///   file undoes it.
/// - Each runs in a separate transaction, in which the version is set: "The user-version is an integer that is
///   available to applications to use however they want" (https://www.sqlite.org/pragma.html#pragma_user_version).
/// - Foreign keys are off, SQLite's default; `foreignKeys: true` says otherwise.
public struct UserVersionFormat: MigrationFormat {
    public let name = "user-version"
    public let historyTable: String? = nil
    public let otherTables = ["android_metadata"]
    public let policy = ToolPolicy(foreignKeys: false, late: .skip)
    public let runsOnAppsConnection = true

    public init() {}

    public let namingAdvice = "A migration has its version in its name, such as 3_add_label.sql."

    public func owns(_ facts: HistoryFacts) -> Bool { facts.userVersion > 0 }

    public func evidence(in folder: FolderFiles) -> FolderEvidence? {
        let files = folder.sqlFiles.filter { !$0.lowercased().hasSuffix(".down.sql") }
        guard let first = files.first(where: { Self.number($0) != nil }) else { return nil }
        let isWhole = files.allSatisfy { Self.number($0) != nil }
        return FolderEvidence(isWhole ? .names : .possible, "numbered files", at: folder.file(first))
    }

    public func load(folder: FolderFiles, options: FormatOptions) throws -> MigrationSet {
        let policy = policy(options)
        var reader = MigrationReader(folder, options)
        var migrations: [Migration] = []
        let files = folder.sqlFiles.filter { !$0.lowercased().hasSuffix(".down.sql") }
            .compactMap { file in Self.number(file).map { (file: file, number: $0) } }
            .sorted { $0.number < $1.number }
        var previous = 0
        for (file, number) in files {
            var migration = reader.migration(String(number), in: file, policy)
            migration.record = [Bookkeeping("PRAGMA user_version = \(number)")]
            migration.unrecord = [Bookkeeping("PRAGMA user_version = \(previous)")]
            let stem = file.dropLast(4).hasSuffix(".up") ? file.dropLast(7) : file.dropLast(4)
            migration.down = reader.down(
                in: stem + ".down.sql", of: String(number), transaction: policy.transaction)
            migrations.append(migration)
            previous = number
        }
        return MigrationSet(
            folder: folder.path, format: self, policy: policy, migrations: migrations,
            findings: reader.findings)
    }

    public func history(_ connection: any Connection, of set: MigrationSet) throws -> AppliedHistory? {
        try UserVersion.history(connection, set)
    }

    private static func number(_ file: String) -> Int? {
        let digits = file.drop { !($0.isASCII && $0.isNumber) }.prefix { $0.isASCII && $0.isNumber }
        return Int(digits)
    }
}

extension MigrationSet {
    /// Adds a version that code leads to, and the earlier ones of which no schema was kept.
    mutating func addCode(version: Int, path: String) {
        let first = (migrations.last.flatMap { Int($0.identifier) } ?? version - 1) + 1
        guard first <= version, version - first < 10_000 else { return }
        for number in first...version {
            var migration = Migration(identifier: String(number), path: number == version ? path : folder)
            migration.isCode = true
            migration.isDeferred = false
            migrations.append(migration)
        }
    }
}

/// The version that `PRAGMA user_version` holds.
enum UserVersion {
    /// Returns every version up to the database's as applied; 0 says nothing about a database that is not empty.
    static func history(_ connection: any Connection, _ set: MigrationSet) throws -> AppliedHistory? {
        let version = try connection.firstRow("PRAGMA user_version") { Int($0.integer(0)) } ?? 0
        guard version > 0 else { return try connection.isEmptyDatabase ? AppliedHistory([]) : nil }
        let numbers = set.migrations.compactMap { Int($0.identifier) }
        var history = AppliedHistory(numbers.filter { $0 <= version }.map(String.init))
        if !numbers.contains(version), version > numbers.max() ?? 0 {
            history.identifiers.append(String(version))
        }
        return history
    }
}
