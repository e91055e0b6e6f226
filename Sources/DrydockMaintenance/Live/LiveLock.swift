import DatabaseEngine

/// An exclusive lock on a live database, where one can be taken.
package enum LiveLock {
    /// Locks all other programs out until ``release(_:)`` is called or the connection ends.
    /// - Returns: False if another program has the database open in WAL mode.
    package static func take(on database: any OpenDatabase, _ timeout: Duration) async throws -> Bool {
        let busyMilliseconds = Int(timeout / .milliseconds(1))
        return try await database.withConnection { connection in
            let isLogged = try connection.firstRow("PRAGMA main.journal_mode") { $0.string(0) } == "wal"
            try connection.execute("PRAGMA main.locking_mode = EXCLUSIVE")
            // In WAL mode other programs keep the file open, so a long wait is useless.
            if isLogged { try connection.execute("PRAGMA busy_timeout = 100") }
            defer { if isLogged { try? connection.execute("PRAGMA busy_timeout = \(busyMilliseconds)") } }
            do {
                try connection.execute("BEGIN EXCLUSIVE; COMMIT")
                return true
            } catch let error as EngineError where error.code == .busy {
                if connection.isInTransaction { try connection.execute("ROLLBACK") }
                try connection.execute("PRAGMA main.locking_mode = NORMAL")
                _ = try connection.firstRow("SELECT count(*) FROM sqlite_schema") { $0.integer(0) }
                guard isLogged else { throw error }
                return false
            }
        }
    }

    package static func release(_ connection: any Connection) throws {
        _ = try checkpoint(connection)
        try connection.execute("PRAGMA main.locking_mode = NORMAL")
        // The next statement that reads releases the lock.
        _ = try connection.firstRow("SELECT count(*) FROM main.sqlite_schema") { $0.integer(0) }
    }

    /// - Returns: Whether another connection was in the way.
    package static func checkpoint(_ connection: any Connection) throws -> Bool {
        try connection.firstRow("PRAGMA main.wal_checkpoint(TRUNCATE)") { $0.integer(0) == 1 } ?? false
    }

    /// Moves the log to the file while others have the database open. A reader of an older state makes writers wait for
    /// no more than a moment, and is then left in peace.
    /// - Returns: Whether another connection was in the way.
    package static func checkpointBesideOthers(_ connection: any Connection) throws -> Bool {
        // Writers go on while the pages are written.
        _ = try connection.firstRow("PRAGMA main.wal_checkpoint(PASSIVE)") { $0.integer(0) }
        let timeout = try connection.firstRow("PRAGMA busy_timeout") { $0.integer(0) } ?? 0
        try connection.execute("PRAGMA busy_timeout = 50")
        defer { try? connection.execute("PRAGMA busy_timeout = \(timeout)") }
        return try checkpoint(connection)
    }

    /// Returns a number that changes when another connection commits
    /// (https://www.sqlite.org/pragma.html#pragma_data_version).
    package static func version(_ connection: any Connection) throws -> Int64 {
        // A read makes the connection look for what others wrote.
        _ = try connection.firstRow("SELECT count(*) FROM main.sqlite_schema") { $0.integer(0) }
        return try connection.firstRow("PRAGMA main.data_version") { $0.integer(0) } ?? 0
    }
}
