import DatabaseEngine
import SQLiteSchema
import Synchronization

/// Runs one migration on an open database, statement by statement, as its tool would.
struct MigrationRun: Sendable {
    let migration: Migration
    var foreignKeyChecks: EngineMigration.ForeignKeyChecks

    /// Seconds of each statement that ran.
    private let seconds = SecondsRecorder()

    init(_ migration: Migration, foreignKeyChecks: EngineMigration.ForeignKeyChecks? = nil) {
        self.migration = migration
        self.foreignKeyChecks = foreignKeyChecks ?? migration.foreignKeyChecks
    }

    /// - Returns: seconds of each statement.
    /// - Throws: ``StatementFailure`` for a statement, ``EngineError`` for what the engine does around them.
    func apply(to database: any OpenDatabase) async throws -> [Double] {
        try await database.apply(engineMigration)
        return seconds.values.withLock { $0 }
    }

    var engineMigration: EngineMigration {
        let (migration, seconds) = (migration, seconds)
        return EngineMigration(identifier: migration.identifier, foreignKeyChecks: foreignKeyChecks) {
            connection in
            for (index, statement) in migration.statements.enumerated() {
                let start = ContinuousClock.now
                try Self.run(statement, at: index, on: connection)
                seconds.values.withLock { $0.append((ContinuousClock.now - start).inSeconds) }
            }
        }
    }

    static func run(_ statement: SQLStatement, at index: Int, on connection: any Connection) throws {
        do {
            try refuseEscape(statement.action)
            try connection.execute(statement.text)
        } catch let error as EngineError where !error.isInterrupt {
            throw StatementFailure(index: index, error: error)
        }
    }

    /// ATTACH may name a VFS of its own, and so leave the overlay and write the disk.
    private static func refuseEscape(_ action: StatementAction) throws {
        guard case .attach(let file) = action else { return }
        switch file {
        case .expression:
            throw EngineError(
                extendedCode: 1,
                message: "Drydock replays ATTACH only when the file's name is a string literal")
        case .literal(let name):
            guard name.hasPrefix("file:"), name.removingPercentEscapes.contains("vfs=") else { return }
            throw EngineError(
                extendedCode: 1,
                message: "Drydock does not replay ATTACH with a VFS of its own: it could write the disk")
        }
    }

    private final class SecondsRecorder: Sendable {
        let values = Mutex<[Double]>([])
    }
}

/// A statement that SQLite refused.
struct StatementFailure: Error {
    /// Its place in the migration, from zero.
    var index: Int
    var error: EngineError
}

extension Duration {
    var inSeconds: Double {
        Double(components.seconds) + Double(components.attoseconds) / 1e18
    }
}

extension String {
    /// With every `%XX` decoded (https://www.sqlite.org/uri.html).
    fileprivate var removingPercentEscapes: String {
        var bytes: [UInt8] = []
        var rest = Array(utf8)[...]
        while let byte = rest.popFirst() {
            if byte == 37, rest.count >= 2,
                let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
