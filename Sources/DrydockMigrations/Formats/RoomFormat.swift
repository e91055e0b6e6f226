import DrydockFindings
import DatabaseEngine
import Foundation
import SQLiteSchema

extension ToolProfile {
    static let room = ToolProfile(
        RoomFormat(),
        leaves: [.written("an exported schema", isIn: hasSchema)],
        namedBy: ProjectSign.gradle("room"),
        tables: ["room_master_table": ["id", "identity_hash"], "android_metadata": ["locale"]],
        code: CodeMigrations(
            "Room",
            isIn: { folder in
                ["build.gradle", "build.gradle.kts"].contains {
                    folder.files.contains($0) && folder.says(["androidx.room"], in: $0)
                }
            },
            recipe:
                "set room.schemaLocation (or schemaDirectory of the Room plugin) and build: Room then exports a schema for each "
                + "version, and --migrations names the folder of 1.json, 2.json. Snapshots are compared with them."
        ))

    private static func hasSchema(_ folder: FolderSummary) -> Bool {
        let schemas = folder.files.filter { file in
            let number = file.dropLast(5)
            return file.hasSuffix(".json") && !number.isEmpty
                && number.allSatisfy { $0.isASCII && $0.isNumber }
        }
        return schemas.min().map { folder.says(["\"identityHash\"", "\"entities\""], in: $0) } ?? false
    }
}

/// Room's exported schemas (https://developer.android.com/training/data-storage/room/migrating-db-versions): `N.json`
/// describes the database of version N.
///
/// - Room's migrations are written in Kotlin or Java, which Drydock cannot run. A snapshot of a version can be
///   compared with the schema of that version, and every later version is a gap (`migration-in-code`) that a snapshot
///   of a newer version bridges.
/// - `database.entities[].createSql` with `${TABLE_NAME}`, `indices[].createSql`, `contentSyncTriggers` and
///   `views[].createSql` with `${VIEW_NAME}` create the schema (androidx.room, `DatabaseBundle`).
/// - The version is `PRAGMA user_version`; `room_master_table(id, identity_hash)` holds the hash of the schema, which
///   Room compares if the version is right (`RoomOpenHelper.checkIdentity`).
public struct RoomFormat: MigrationFormat {
    public let name = "room"
    public let historyTable: String? = nil
    public let otherTables = ["room_master_table", "android_metadata"]
    public let policy = ToolPolicy(transaction: .all, foreignKeys: false, late: .skip)
    public let checksums = ChecksumScope.own

    public init() {}

    public let namingAdvice = "Migrations are written in code, and the exported schemas are read."
    public let fileEndings: [String] = []

    public func owns(_ facts: HistoryFacts) -> Bool { facts.has("room_master_table", "identity_hash") }

    public func evidence(in folder: FolderFiles) -> FolderEvidence? {
        Self.schemas(in: folder).first { file in
            folder.text(file).map { $0.contains("\"identityHash\"") && $0.contains("\"entities\"") } ?? false
        }.map { FolderEvidence(.marker, "an exported schema", at: folder.file($0)) }
    }

    public func load(folder: FolderFiles, options: FormatOptions) throws -> MigrationSet {
        var set = MigrationSet(folder: folder.path, format: self, policy: policy(options))
        for file in Self.schemas(in: folder) {
            let schema = try Self.read(file, in: folder)
            set.addCode(version: schema.version, path: folder.file(file))
            set.migrations[set.migrations.count - 1].checksum = schema.hash
            set.expected[set.migrations.count] = schema.statements
        }
        return set
    }

    public func history(_ connection: any Connection, of set: MigrationSet) throws -> AppliedHistory? {
        guard var history = try UserVersion.history(connection, set) else { return nil }
        let version = try connection.firstRow("PRAGMA user_version") { $0.string(0) }
        if try connection.columns(of: "room_master_table") != nil, let last = history.identifiers.last,
            last == version
        {
            history.checksums[last] = try connection.firstRow(
                "SELECT identity_hash FROM room_master_table WHERE id = 42"
            ) { $0.string(0) }
        }
        return history
    }

    /// Returns each `N.json` in the folder, or in its only subfolder, which is named after the database's class.
    private static func schemas(in folder: FolderFiles) -> [String] {
        let own = folder.files(matching: /\d+\.json/)
        guard own.isEmpty, folder.folders.count == 1,
            let inner = try? FolderFiles(folder.file(folder.folders[0]))
        else { return own }
        return inner.files(matching: /\d+\.json/).map { folder.folders[0] + "/" + $0 }
    }

    private static func read(
        _ file: String, in folder: FolderFiles
    ) throws -> (version: Int, hash: String?, statements: [SQLStatement]) {
        let path = folder.file(file)
        let object: Any
        do {
            object = try JSONSerialization.jsonObject(with: Data((folder.text(file) ?? "").utf8))
        } catch {
            throw RequestError(
                .migrationsInvalid,
                "\(JSONFault.place(error, path)): the schema is not valid JSON; export it again")
        }
        guard let database = (object as? [String: Any])?["database"] as? [String: Any],
            let version = database["version"] as? Int, let entities = database["entities"] as? [[String: Any]]
        else {
            throw RequestError(
                .migrationsInvalid, "\(path):1: this is not a schema that Room exported; export it again")
        }
        var sql: [String] = []
        for entity in entities {
            let table = entity["tableName"] as? String ?? ""
            let parts =
                [entity["createSql"] as? String]
                + (entity["indices"] as? [[String: Any]] ?? []).map { $0["createSql"] as? String }
                + (entity["contentSyncTriggers"] as? [String] ?? [])
            sql += parts.compactMap { $0?.replacing("${TABLE_NAME}", with: table) }
        }
        for view in database["views"] as? [[String: Any]] ?? [] {
            let name = view["viewName"] as? String ?? ""
            sql += [(view["createSql"] as? String)?.replacing("${VIEW_NAME}", with: name)].compactMap(\.self)
        }
        let statements = sql.flatMap { SQLSource(name: path, $0).statements() }
        return (version, database["identityHash"] as? String, statements)
    }
}
