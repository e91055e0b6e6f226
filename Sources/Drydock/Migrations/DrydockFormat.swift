import DatabaseEngine
import Foundation
import SQLiteSchema

/// Drydock's own format: a flat folder of `NAME.sql` files in natural order.
///
/// - The identifier is the file's name without `.sql`. `NAME.down.sql` undoes `NAME.sql` and is no
///   migration of its own.
/// - Each migration runs in a transaction of its own, foreign keys checked before the commit, as GRDB's
///   `DatabaseMigrator` does by default; `-- drydock: foreign-keys immediate` has them enforced by every
///   statement, GRDB's `.immediate`.
/// - The history table is `grdb_migrations(identifier)`, so a database that an app migrated with the same
///   identifiers is understood.
public struct DrydockFormat: MigrationFormat {
    public let name = "drydock"
    public let historyTable = "grdb_migrations"

    public init() {}

    /// Every folder can be one: this is the format of a folder that no other tool marks as its own.
    public func recognises(folder: String) -> Bool { true }

    public func load(folder: String) throws -> MigrationSet {
        let names = try FolderListing.files(in: folder)
            .filter { $0.lowercased().hasSuffix(".sql") && !$0.lowercased().hasSuffix(".down.sql") }
            .sorted(by: naturallyPrecedes)
        var set = MigrationSet(folder: folder, format: self, migrations: [], findings: [])
        for name in names {
            var migration = read(
                folder + "/" + name, identifier: String(name.dropLast(4)), into: &set.findings)
            if let first = set.migrations.first(where: { $0.identifier == migration.identifier }) {
                migration.fault = Finding(
                    .migrationFailed,
                    "two migrations are called '\(migration.identifier)': \(first.path) and \(migration.path)",
                    help: "Rename one: the history table tells migrations apart by this name alone.",
                    migration: migration.identifier, place: .init(file: migration.path))
            }
            if let fault = migration.fault { set.findings.append(fault) }
            set.migrations.append(migration)
        }
        return set
    }

    public func appliedIdentifiers(_ connection: any Connection) throws -> [String]? {
        let hasHistory = try connection.firstRow(
            "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'grdb_migrations' COLLATE NOCASE"
        ) { _ in true }
        if hasHistory != nil {
            // Another tool's table of that name tells nothing.
            let columns = try connection.rows("PRAGMA table_info(grdb_migrations)") {
                $0.string(1).foldedASCII
            }
            guard columns.contains("identifier") else { return nil }
            return try connection.rows("SELECT identifier FROM grdb_migrations ORDER BY rowid") {
                $0.string(0)
            }
        }
        let isEmpty = try connection.firstRow("SELECT 1 FROM sqlite_schema LIMIT 1") { _ in true } == nil
        return isEmpty ? [] : nil
    }

    private func read(_ path: String, identifier: String, into findings: inout [Finding]) -> Migration {
        var migration = Migration(identifier: identifier, path: path, statements: [], declarations: [])
        func fault(_ message: String, _ help: String, line: Int? = nil) -> Migration {
            var place = Finding.Place(file: path)
            place.line = line
            migration.fault = Finding(
                .migrationFailed, message, help: help, migration: identifier, place: place)
            return migration
        }
        let bytes: [UInt8]
        do {
            bytes = try FolderListing.contents(of: path)
        } catch {
            return fault("\(path) cannot be read: \(error)", "A migration is a readable text file of SQL.")
        }
        let source = SQLSource(name: path, bytes: bytes)
        if let offset = firstInvalidUTF8(in: bytes) {
            let location = source.location(at: offset)
            return fault(
                "\(path) is not UTF-8: byte 0x\(String(bytes[offset], radix: 16)) at line \(location.line)",
                "Save the file as UTF-8. SQLite would store other characters than the editor shows.",
                line: location.line)
        }
        migration.statements = source.statements()
        migration.declarations = DeclarationParser.declarations(
            in: source, findings: &findings, migration: identifier)
        if migration.statements.isEmpty {
            findings.append(
                Finding(
                    .migrationFailed, .note, "\(path) holds no statement",
                    help: "It is recorded as applied and changes nothing.", migration: identifier,
                    place: .init(file: path)))
        }
        return migration
    }
}

/// The offset of the first byte that is not valid UTF-8.
func firstInvalidUTF8(in bytes: [UInt8]) -> Int? {
    var decoder = Unicode.UTF8.ForwardParser()
    var iterator = bytes.makeIterator()
    var offset = 0
    while true {
        switch decoder.parseScalar(from: &iterator) {
        case .valid(let scalar): offset += scalar.count
        case .emptyInput: return nil
        case .error: return offset
        }
    }
}
