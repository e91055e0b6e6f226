import SQLiteSchema
import DrydockFindings
import DrydockMigrations
import Crypto
import DatabaseEngine
import Foundation

/// What a baseline depends on besides the database: the SQLite library and the stand-ins for functions and collations.
/// 16 hexadecimal digits.
package struct BaselineKey: Sendable, Hashable {
    package static let digitCount = 16

    /// Raise this when the meaning of a baseline changes.
    private static let version = 5

    package let hex: String

    init(_ text: String) {
        hex = SHA256.hash(data: Data("\(Self.version)\n\(text)".utf8)).prefix(Self.digitCount / 2).hex
    }

    /// A baseline depends on what reads the database as much as on the database itself.
    package init(
        _ engine: any Engine, _ set: MigrationSet, functions: [FunctionStub], collations: [CollationStub]
    ) async throws {
        let library = try await engine.use(.memory, settings: ConnectionSettings()) { database in
            try await database.read { connection in
                try connection.firstRow("SELECT sqlite_source_id()") { $0.string(0) } ?? ""
            }
        }
        let parts: [Any] = [
            engine.name, library, set.format.ownTables.sorted(), functions, collations,
            set.policy.doubleQuotedStrings ?? false,
        ]
        self.init(parts.map { "\($0)" }.joined(separator: "\n"))
    }
}
