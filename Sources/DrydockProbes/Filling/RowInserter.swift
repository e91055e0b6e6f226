import DatabaseEngine
import DrydockFindings

/// Inserts rows into one table with one compiled statement.
struct RowInserter {
    private let plan: TablePlan
    private let connection: any Connection
    private let statement: any PreparedStatement

    /// - Throws: ``EngineError`` if nothing can be inserted, such as into a table with a foreign key that is not valid.
    init(_ plan: TablePlan, on connection: any Connection) throws {
        (self.plan, self.connection) = (plan, connection)
        statement = try connection.prepare(plan.insertion)
    }

    /// Inserts a row; returns what refused it.
    /// - Throws: ``RolledBack`` if SQLite has rolled the transaction back.
    func refusal(of row: [SQLValue]) throws -> RowRefusal? {
        do {
            try statement.reset(binding: row)
            while try statement.step() {}
        } catch let error as EngineError where !error.isInterrupt && !error.isOutage {
            let refusal = RowRefusal(error, plan)
            guard connection.isInTransaction else {
                throw RolledBack(table: plan.folded, reason: refusal.reason)
            }
            return refusal
        }
        guard plan.mayIgnore, try changes() == 0 else { return nil }
        return RowRefusal(
            reason: "the row is left out without an error, by ON CONFLICT IGNORE or RAISE(IGNORE)")
    }

    /// The number of rows that the last statement inserted.
    private func changes() throws -> Int64? { try connection.firstRow("SELECT changes()") { $0.integer(0) } }

    /// Thrown where a refused row has rolled everything back, which ON CONFLICT ROLLBACK and RAISE(ROLLBACK) do.
    struct RolledBack: Error {
        var table: String
        var reason: String
    }
}

extension Connection {
    /// Returns whether a table has no row; one that cannot be read has none that matters.
    func isEmpty(_ table: String) throws -> Bool {
        try firstIfReadable("SELECT 1 FROM main.\(quotedName(table)) LIMIT 1") == nil
    }

    /// Returns the number of a table's rows; 0 if it cannot be read.
    func rowCount(_ table: String) throws -> Int {
        Int(try firstIfReadable("SELECT count(*) FROM main.\(quotedName(table))") ?? 0)
    }

    private func firstIfReadable(_ query: String) throws -> Int64? {
        do {
            return try firstRow(query) { $0.integer(0) }
        } catch let error as EngineError where !error.isInterrupt && !error.isOutage {
            return nil
        }
    }
}
