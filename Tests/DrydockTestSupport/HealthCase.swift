import DatabaseEngine
import Drydock
import Foundation
import GRDBEngine
import Testing

/// A database for a health check.
struct HealthCase {
    let folder: TemporaryFolder
    let path: String
    var request = HealthRequest()
    var engine: any Engine = GRDBDriver()

    init(_ sql: String = "CREATE TABLE t(id INTEGER PRIMARY KEY, x)", name: String = "a.sqlite") throws {
        folder = try TemporaryFolder()
        path = folder.file(name)
        try PlainDatabase(path).execute(sql)
        request.databases = [path]
        request.slice = .seconds(5)
    }

    func execute(_ sql: String) throws { try PlainDatabase(path).execute(sql) }

    func report(_ change: (inout HealthRequest) -> Void = { _ in }) async throws -> Report {
        var request = request
        change(&request)
        return try await HealthInspector(engine: engine).run(request)
    }

    func health(_ change: (inout HealthRequest) -> Void = { _ in }) async throws -> CheckedDatabase {
        var request = request
        change(&request)
        return try await HealthInspector(engine: engine).check(request).databases[0]
    }

    /// Returns the findings of one check.
    func findings(
        _ check: String, _ change: (inout HealthRequest) -> Void = { _ in }
    ) async throws -> [Finding] {
        let health = try await health {
            $0.only = [check]
            change(&$0)
        }
        return health.findings.filter { $0.rule.rawValue == check }
    }

    /// Writes bytes directly into the file.
    func overwrite(_ bytes: [UInt8], at offset: Int) throws {
        guard let handle = FileHandle(forWritingAtPath: path) else { return }
        try handle.seek(toOffset: UInt64(offset))
        try handle.write(contentsOf: Data(bytes))
        try handle.close()
    }

    /// Replaces the kind of the first page of a table's tree.
    func overwriteRoot(of table: String) throws {
        let sql =
            "SELECT rootpage - 1, page_size FROM sqlite_schema, pragma_page_size WHERE name = '\(table)'"
        let place = try PlainDatabase(path).firstRow(sql) { Int($0.integer(0) * $0.integer(1)) }
        try overwrite([0], at: #require(place))
    }

    /// Lets the last cell of a table's only page begin at its last byte, so that SQLite would read on behind it.
    func moveLastCell(of table: String) throws {
        let sql = "SELECT rootpage, page_size FROM sqlite_schema, pragma_page_size WHERE name = '\(table)'"
        let found = try PlainDatabase(path).firstRow(sql) { (Int($0.integer(0)), Int($0.integer(1))) }
        let (root, size) = try #require(found)
        let bytes = [UInt8](try #require(FileManager.default.contents(atPath: path)))
        let page = (root - 1) * size
        #expect(bytes[page] == 13 || bytes[page] == 10)
        let count = Int(bytes[page + 3]) << 8 + Int(bytes[page + 4])
        try overwrite([UInt8((size - 1) >> 8), UInt8((size - 1) & 255)], at: page + 6 + 2 * count)
    }

    /// Checks the database alone, and before and behind a sound one with the same schema, and expects the same each time.
    /// - Returns: what was said of it.
    func saidInEveryOrder(
        _ damage: (HealthCase) throws -> Void, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> CheckedDatabase {
        let sound = folder.file("sound.sqlite")
        try FileManager.default.copyItem(atPath: path, toPath: sound)
        try damage(self)
        var (said, first): ([[String]], CheckedDatabase?) = ([], nil)
        for order in [[path], [path, sound], [sound, path]] {
            var request = request
            (request.databases, request.jobs, request.isDeep) = (order, 1, true)
            let checked = try await HealthInspector(engine: engine).check(request).databases
            for other in checked where other.path == sound {
                #expect(other.findings.isEmpty, sourceLocation: sourceLocation)
            }
            let own = try #require(checked.first { $0.path == path }, sourceLocation: sourceLocation)
            said.append(own.findings.map { "\($0)" } + own.notReached.map { "\($0)" })
            first = first ?? own
        }
        #expect(Set(said).count == 1, "\(said)", sourceLocation: sourceLocation)
        return try #require(first, sourceLocation: sourceLocation)
    }

    /// Returns a query of the numbers from 1 on.
    static func numbers(_ count: Int) -> String {
        "WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s LIMIT \(count))"
    }
}

extension Report {
    var databases: [DatabaseHealth] { health?.databases ?? [] }
    var hasTrouble: Bool { health?.hasTrouble == true }
    var accepted: (path: String, count: Int)? { health?.accepted }
}
