import DatabaseEngine

/// One transaction, or a savepoint in one that is open, with foreign keys enforced or not.
struct Transaction {
    private let connection: any Connection
    private let enforcesForeignKeys: Bool

    init(_ connection: any Connection, enforcesForeignKeys: Bool) {
        (self.connection, self.enforcesForeignKeys) = (connection, enforcesForeignKeys)
    }

    /// Runs a closure and commits; rolls everything back if it throws. The setting of foreign keys is then as before.
    func run(_ body: () throws -> Void) throws {
        guard !connection.isInTransaction else { return try runInside(body) }
        let wasOn = try connection.firstRow("PRAGMA foreign_keys") { $0.integer(0) } == 1
        let isChanged = wasOn && !enforcesForeignKeys
        if isChanged { try connection.execute("PRAGMA foreign_keys = OFF") }
        defer { if isChanged { try? connection.execute("PRAGMA foreign_keys = ON") } }
        try connection.execute("BEGIN")
        do {
            try body()
            try connection.execute("COMMIT")
        } catch {
            if connection.isInTransaction { try? connection.execute("ROLLBACK") }
            throw error
        }
    }

    /// The setting has no effect inside a transaction, but the check can wait for its end.
    private func runInside(_ body: () throws -> Void) throws {
        try connection.execute("SAVEPOINT drydock_rows")
        if !enforcesForeignKeys { try connection.execute("PRAGMA defer_foreign_keys = ON") }
        do {
            try body()
            try connection.execute("RELEASE drydock_rows")
        } catch {
            if connection.isInTransaction {
                try? connection.execute("ROLLBACK TO drydock_rows")
                try? connection.execute("RELEASE drydock_rows")
            }
            throw error
        }
    }
}
