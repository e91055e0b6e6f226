import DrydockFindings
import DatabaseEngine
import Foundation
import SQLiteSchema

extension ToolProfile {
    static let drift = ToolProfile(
        DriftFormat(),
        leaves: [
            .written("drift_schema_v1.json") { folder in
                folder.files.contains { $0.hasPrefix("drift_schema_v") && $0.hasSuffix(".json") }
            }
        ],
        namedBy: [.word("drift:", in: "pubspec.yaml")],
        tables: ["android_metadata": ["locale"]],
        code: CodeMigrations(
            "Drift",
            isIn: {
                $0.files.contains("pubspec.yaml") && $0.says(["\n  drift:"], in: "pubspec.yaml")
            },
            recipe:
                "'dart run drift_dev schema dump lib/database.dart drift_schemas/' exports the schema of the version: keep one for "
                + "each, and --migrations names the folder of drift_schema_v1.json. Snapshots are compared with them."
        ))
}

/// Drift's exported schemas (https://drift.simonbinder.eu/migrations/exports): `drift_schema_vN.json` describes the
/// database of version N.
///
/// - Drift's migrations are written in Dart, which Drydock cannot run. Every version later than a snapshot's is a gap
///   (`migration-in-code`) that a snapshot of a newer version bridges.
/// - `fixed_sql` holds the statements that create the schema, by dialect; an export without it can only be compared
///   by version.
/// - The version is `PRAGMA user_version` (drift/src/runtime/executor, `schemaVersion`).
public struct DriftFormat: MigrationFormat {
    public let name = "drift"
    public let historyTable: String? = nil
    public let otherTables = ["android_metadata"]
    public let policy = ToolPolicy(transaction: .all, foreignKeys: false, late: .skip)

    public init() {}

    public let namingAdvice = "Migrations are written in code, and the exported schemas are read."
    public let fileEndings: [String] = []

    public func owns(_ facts: HistoryFacts) -> Bool { facts.userVersion > 0 }

    public func evidence(in folder: FolderFiles) -> FolderEvidence? {
        folder.files(matching: Self.pattern).first.map {
            FolderEvidence(.marker, "an exported schema", at: folder.file($0))
        }
    }

    public func load(folder: FolderFiles, options: FormatOptions) throws -> MigrationSet {
        var set = MigrationSet(folder: folder.path, format: self, policy: policy(options))
        for file in folder.files(matching: Self.pattern) {
            let path = folder.file(file)
            guard let version = file.wholeMatch(of: Self.pattern).flatMap({ Int($0.1) }) else { continue }
            let object: Any
            do {
                object = try JSONSerialization.jsonObject(with: Data((folder.text(file) ?? "").utf8))
            } catch {
                throw RequestError(
                    .migrationsInvalid,
                    "\(JSONFault.place(error, path)): the schema is not valid JSON; export it again")
            }
            set.addCode(version: version, path: path)
            if let statements = Self.statements(object, path) {
                set.expected[set.migrations.count] = statements
            }
        }
        return set
    }

    public func history(_ connection: any Connection, of set: MigrationSet) throws -> AppliedHistory? {
        try UserVersion.history(connection, set)
    }

    private static var pattern: Regex<(Substring, Substring)> { /drift_schema_v(\d+)\.json/ }

    private static func statements(_ object: Any, _ path: String) -> [SQLStatement]? {
        guard let fixed = (object as? [String: Any])?["fixed_sql"] as? [[String: Any]] else { return nil }
        return fixed.flatMap { entry -> [SQLStatement] in
            let dialects = entry["sql"] as? [[String: Any]] ?? []
            let sqlite = dialects.first { $0["dialect"] as? String == "sqlite" }
            return (sqlite?["sql"] as? String).map { SQLSource(name: path, $0).statements() } ?? []
        }
    }
}
