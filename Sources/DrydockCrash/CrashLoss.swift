import DatabaseEngine
import DrydockFindings
import DrydockReplay
import DrydockState
import OverlayVFS

/// Whether a start that fails has destroyed rows that the crash before it had left: a migration that begins by dropping
/// what an earlier run of it left may drop the only copy.
struct CrashLoss: Sendable {
    let inspector: StateInspector
    let before: Image

    /// Returns the tables from before the batch with rows that the crash left, and the failed start did not.
    /// - Throws: ``EngineError``.
    func tables(lostFrom cut: Image, to left: Image) async throws -> [String] {
        let gone = try await missing(in: left)
        guard !gone.isEmpty else { return [] }
        let known = try await missing(in: cut)
        return gone.filter { !known.contains($0) }
    }

    /// Returns the tables of which no table of a later state has every row.
    private func missing(in image: Image) async throws -> [String] {
        let (old, new) = (try await inspector.catalog(of: before), try await inspector.catalog(of: image))
        return try await inspector.withConnection(to: before, attaching: image) { connection in
            try old.tables.values.sorted { $0.name < $1.name }.filter { table in
                guard case .ordinary = table.kind, try Self.hasRows(table, connection) else { return false }
                // Most tables keep their rows under their own name.
                let homes = new.tables.values.sorted { a, b in
                    let name = table.name.foldedASCII
                    return (a.name.foldedASCII == name ? 0 : 1, a.name)
                        < (b.name.foldedASCII == name ? 0 : 1, b.name)
                }
                return try !homes.contains { try Self.has($0, every: table, connection) }
            }.map(\.name)
        }
    }

    private static func hasRows(_ table: Catalog.Table, _ connection: any Connection) throws -> Bool {
        try connection.firstRow("SELECT EXISTS (SELECT 1 FROM main.\(quotedName(table.name)))") {
            $0.integer(0) != 0
        } ?? false
    }

    /// Whether a table has every row of an earlier one, in the columns that both have: those of the key among them.
    private static func has(
        _ home: Catalog.Table, every table: Catalog.Table, _ connection: any Connection
    ) throws -> Bool {
        let shared = table.storedColumns.filter { home.column($0.name) != nil }
        guard !shared.isEmpty,
            table.storedColumns.allSatisfy({ $0.keyPosition == 0 || home.column($0.name) != nil })
        else { return false }
        let columns = shared.map { quotedName($0.name) }.joined(separator: ", ")
        let query =
            "SELECT EXISTS (SELECT \(columns) FROM main.\(quotedName(table.name)) "
            + "EXCEPT SELECT \(columns) FROM \(StateInspector.laterSchema).\(quotedName(home.name)))"
        do {
            return try connection.firstRow(query) { $0.integer(0) == 0 } ?? false
        } catch let error as EngineError where error.isStatementError {
            return false
        }
    }
}
