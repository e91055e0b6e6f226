import DatabaseEngine
import Foundation
import GRDBEngine
import Testing

@testable import SampleMaker

/// The repository's snapshots are those that SampleMaker creates from their seeds.
@Suite struct SampleTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent()
        .deletingLastPathComponent()
    private static let migrations = root.appending(path: "Migrations")

    @Test func contentIsReproducible() async throws {
        let (one, two) = (try temporaryFolder(), try temporaryFolder())
        defer { for folder in [one, two] { try? FileManager.default.removeItem(at: folder) } }
        try await Sample.make(into: one, migrations: Self.migrations)
        try await Sample.make(into: two, migrations: Self.migrations)
        let kept = Self.root.appending(path: "Snapshots")
        let names = try FileManager.default.contentsOfDirectory(atPath: one.path).sorted()
        #expect(names.count >= 5)
        #expect(try FileManager.default.contentsOfDirectory(atPath: kept.path).sorted() == names)
        for name in names {
            let contents = try await [one, two, kept].asyncMap {
                try await content(of: $0.appending(path: name))
            }
            #expect(contents[0].count > 100)
            #expect(contents[0] == contents[1], "\(name) varies")
            #expect(contents[0] == contents[2], "\(name) is not what the seed makes")
        }
    }

    /// Returns every row of every table as text, and the schema; for a dump its lines.
    private func content(of file: URL) async throws -> [String] {
        if file.pathExtension == "sql" {
            return try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map(String.init)
        }
        let copy = try copy(of: file)
        defer { try? FileManager.default.removeItem(at: copy.deletingLastPathComponent()) }
        let database = try await GRDBDriver().open(
            .live(path: copy.path), settings: ConnectionSettings())
        let content = try await database.withConnection { connection in
            let schema = try connection.rows("SELECT name, sql FROM sqlite_schema ORDER BY name") {
                $0.string(0) + " " + $0.string(1)
            }
            let tables = try connection.rows(
                "SELECT name FROM pragma_table_list WHERE type IN ('table', 'shadow') AND schema = 'main' ORDER BY name"
            ) {
                $0.string(0)
            }
            let rows = try tables.flatMap { table in
                try connection.rows("SELECT * FROM \"\(table)\"") { row in
                    "\(table) " + (0..<row.columnCount).map { "\(row.value($0))" }.joined(separator: "|")
                }.sorted()
            }
            return schema + rows
        }
        try await database.close()
        return content
    }

    /// Copies the file, since opening a WAL database creates files beside it.
    private func copy(of file: URL) throws -> URL {
        let folder = try temporaryFolder()
        let copy = folder.appending(path: file.lastPathComponent)
        try FileManager.default.copyItem(at: file, to: copy)
        return copy
    }

    private func temporaryFolder() throws -> URL {
        let folder = FileManager.default.temporaryDirectory.appending(
            path: "drydock-sample-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder
    }
}

extension Array {
    fileprivate func asyncMap<T>(_ transform: (Element) async throws -> T) async rethrows -> [T] {
        var result: [T] = []
        for element in self { result.append(try await transform(element)) }
        return result
    }
}
