import CSQLite
import DatabaseEngine
import Foundation
import GRDB

extension Configuration {
    init(_ settings: ConnectionSettings) {
        self.init()
        foreignKeysEnabled = settings.foreignKeys
        acceptsDoubleQuotedStringLiterals = settings.doubleQuotedStrings
        readonly = settings.readOnly
        let (seconds, attoseconds) = settings.busyTimeout.components
        busyMode = .timeout(TimeInterval(seconds) + TimeInterval(attoseconds) / 1e18)
        let interruptor = settings.interrupt.map(Interruptor.init)
        prepareDatabase { database in
            interruptor?.install(on: database)
            for stub in settings.functions { database.add(function: DatabaseFunction(stub)) }
            for stub in settings.collations { database.add(collation: DatabaseCollation(stub)) }
            for sql in settings.setup { try database.execute(sql: sql) }
        }
    }
}

/// Polls a closure from SQLite's progress handler. The configuration owns it, and GRDB keeps the
/// configuration for as long as a connection lives, so the handler's pointer stays valid.
private final class Interruptor: Sendable {
    let isInterrupted: @Sendable () -> Bool

    init(_ isInterrupted: @escaping @Sendable () -> Bool) {
        self.isInterrupted = isInterrupted
    }

    func install(on database: Database) {
        let context = Unmanaged.passUnretained(self).toOpaque()
        sqlite3_progress_handler(
            database.sqliteConnection, ConnectionSettings.progressInterval,
            { context in
                guard let context else { return 0 }
                return Unmanaged<Interruptor>.fromOpaque(context).takeUnretainedValue().isInterrupted()
                    ? 1 : 0
            }, context)
    }
}

extension DatabaseFunction {
    fileprivate convenience init(_ stub: FunctionStub) {
        self.init(stub.name, argumentCount: stub.argumentCount, pure: true) { arguments in
            switch stub.result {
            case .constant(let value): DatabaseValue(value)
            case .argument(let index): index < arguments.count ? arguments[index] : .null
            }
        }
    }
}

extension DatabaseValue {
    fileprivate init(_ value: SQLValue) {
        self =
            switch value {
            case .null: .null
            case .integer(let value): value.databaseValue
            case .real(let value): value.databaseValue
            case .text(let bytes): String(decoding: bytes, as: UTF8.self).databaseValue
            case .blob(let bytes): Data(bytes).databaseValue
            }
    }
}

extension DatabaseCollation {
    fileprivate convenience init(_ stub: CollationStub) {
        self.init(stub.name) { a, b in
            let (x, y) = (stub.order.key(a), stub.order.key(b))
            if x == y { return .orderedSame }
            return x.lexicographicallyPrecedes(y) ? .orderedAscending : .orderedDescending
        }
    }
}

extension CollationStub.Order {
    /// The bytes that `memcmp` would compare (https://www.sqlite.org/datatype3.html#collation).
    fileprivate func key(_ text: String) -> [UInt8] {
        switch self {
        case .binary: Array(text.utf8)
        case .nocase: text.utf8.map { (65...90).contains($0) ? $0 + 32 : $0 }
        case .rtrim: Array(text.utf8.reversed().drop { $0 == 32 }.reversed())
        }
    }
}
