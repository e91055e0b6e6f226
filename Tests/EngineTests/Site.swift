import CSQLite
import DatabaseEngine
import Foundation
import GRDBEngine
import NIOEngine
import OverlayVFS
import Testing

/// A kind of location for a database, and the engine that opens it. Every engine must satisfy the tests in
/// each kind.
struct Place: Sendable, CaseIterable, CustomTestStringConvertible {
    enum Kind: String, CaseIterable, Sendable {
        case memory, overlay, rollbackFile, walFile
    }

    var engine: any Engine
    var kind: Kind

    var testDescription: String { "\(engine.name), \(kind.rawValue)" }

    static let engines: [any Engine] = [GRDBDriver(), NIODriver()]
    static let allCases = places(Kind.allCases)
    static let files = places([.rollbackFile, .walFile])
    static let memory = places([.memory])
    static let rollbackFiles = places([.rollbackFile])
    static let walFiles = places([.walFile])

    /// Whether SQLite asks the gate for memory, which the first driver installs.
    static let memoryIsLimited = !engines.isEmpty && AllocationGate.isInstalled

    private static func places(_ kinds: [Kind]) -> [Place] {
        engines.flatMap { engine in kinds.map { Place(engine: engine, kind: $0) } }
    }
}

/// A location created for one test and deleted with it.
final class Site: Sendable {
    let folder: String
    let path: String
    private let overlay: Overlay?
    let location: DatabaseLocation
    let engine: any Engine

    init(_ place: Place) throws {
        engine = place.engine
        folder = FileManager.default.temporaryDirectory.path + "/engine-tests-\(UUID().uuidString)"
        path = folder + "/live.sqlite"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        switch place.kind {
        case .memory: (overlay, location) = (nil, .memory)
        case .overlay:
            let overlay = try Overlay(emptyNamed: "overlay.sqlite")
            (self.overlay, location) = (overlay, .uri(overlay.uri))
        case .rollbackFile, .walFile:
            (overlay, location) = (nil, .live(path: path))
            try Bystander(path).execute(
                "PRAGMA journal_mode = \(place.kind == .walFile ? "WAL" : "DELETE"); CREATE TABLE made(a); DROP TABLE made"
            )
        }
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    func open(_ configure: (inout ConnectionSettings) -> Void = { _ in }) async throws -> any OpenDatabase {
        var settings = ConnectionSettings()
        configure(&settings)
        return try await engine.open(location, settings: settings)
    }

    /// Returns a connection of another program that has the file open.
    func bystander() throws -> Bystander { try Bystander(path) }
}

/// A connection that uses SQLite's C functions directly.
final class Bystander {
    struct Failure: Error { var code: Int32 }

    private let handle: OpaquePointer?

    init(_ path: String) throws {
        var handle: OpaquePointer?
        let code = sqlite3_open(path, &handle)
        self.handle = handle
        guard code == SQLITE_OK else { throw Failure(code: code) }
    }

    deinit { sqlite3_close_v2(handle) }

    func execute(_ sql: String) throws {
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        if code != SQLITE_OK { throw Failure(code: code) }
    }

    func text(_ sql: String) throws -> String {
        var statement: OpaquePointer?
        defer { sqlite3_finalize(statement) }
        guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK,
            sqlite3_step(statement) == SQLITE_ROW
        else { throw Failure(code: sqlite3_errcode(handle)) }
        return sqlite3_column_text(statement, 0).map { String(cString: $0) } ?? "NULL"
    }
}

extension OpenDatabase {
    func execute(_ sql: String) async throws {
        try await withConnection { try $0.execute(sql) }
    }

    func values(_ sql: String) async throws -> [[SQLValue]] {
        try await withConnection { connection in
            try connection.rows(sql) { row in (0..<row.columnCount).map(row.value) }
        }
    }

    func value(_ sql: String) async throws -> SQLValue? { try await values(sql).first?.first }
}
