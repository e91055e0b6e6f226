import CSQLite
import DatabaseEngine
import Foundation
import GRDB

extension Configuration {
    init(_ settings: ConnectionSettings) {
        self.init()
        apply(settings)
    }

    /// Applies the settings to the connections of this configuration, after its own preparations.
    package mutating func apply(_ settings: ConnectionSettings) {
        foreignKeysEnabled = settings.foreignKeys
        acceptsDoubleQuotedStringLiterals =
            settings.doubleQuotedStrings ?? acceptsDoubleQuotedStringLiterals
        readonly = settings.readOnly
        let (seconds, attoseconds) = settings.busyTimeout.components
        busyMode = .timeout(TimeInterval(seconds) + TimeInterval(attoseconds) / 1e18)
        let interruptor = settings.interrupt.map(Interruptor.init)
        prepareDatabase { database in
            interruptor?.install(on: database)
            let handle = try GRDBConnection(database).handle
            try settings.harden(handle)
            try settings.random?.install(on: handle)
            for stub in settings.functions { try stub.install(on: handle) }
            for function in settings.computed { try function.install(on: handle) }
            for stub in settings.collations { try stub.install(on: handle) }
            try settings.standIns.install(on: handle)
            try AllocationGate.passing(settings.interrupt) {
                for sql in settings.setup { try database.execute(sql: sql) }
            }
        }
    }

    /// See ``ConnectionSettings/followsTransactions``.
    mutating func ignoresTransactions() {
        prepareDatabase { database in
            sqlite3_commit_hook(database.sqliteConnection, nil, nil)
            sqlite3_rollback_hook(database.sqliteConnection, nil, nil)
        }
    }

    /// See ``ConnectionSettings/followsStatements``. Virtual tables compile statements as well: of the check of a full-text
    /// index, the account took a fifth of the time.
    mutating func ignoresStatements() {
        prepareDatabase { database in sqlite3_set_authorizer(database.sqliteConnection, nil, nil) }
    }
}

/// Polls a closure from SQLite's progress handler. The configuration owns this object, and GRDB keeps the
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
