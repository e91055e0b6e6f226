import Foundation

/// A file of the migration folder.
struct SampleMigration {
    var version: Int
    var identifier: String
    var sql: String

    /// Returns the folder's migrations in the order of their versions; v10 comes after v9.
    static func all(in folder: URL) throws -> [SampleMigration] {
        try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "sql" && !$0.lastPathComponent.hasSuffix(".down.sql") }
            .compactMap { file in
                let identifier = file.deletingPathExtension().lastPathComponent
                guard let version = Int(identifier.dropFirst().prefix { $0.isNumber }) else { return nil }
                return SampleMigration(
                    version: version, identifier: identifier,
                    sql: try String(contentsOf: file, encoding: .utf8))
            }
            .sorted { $0.version < $1.version }
    }
}
