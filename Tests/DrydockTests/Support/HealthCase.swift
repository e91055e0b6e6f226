import Drydock
import Foundation
import GRDBEngine

/// A database for a health check.
struct HealthCase {
    let folder: TemporaryFolder
    let path: String
    var request = HealthRequest()

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
        return try await HealthInspector(engine: GRDBDriver()).run(request)
    }

    func health(_ change: (inout HealthRequest) -> Void = { _ in }) async throws -> CheckedDatabase {
        var request = request
        change(&request)
        return try await HealthInspector(engine: GRDBDriver()).check(request).databases[0]
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
