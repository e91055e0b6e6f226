import DatabaseEngine
import DrydockFindings
import DrydockState
import SQLiteSchema

/// What is wrong in a table's rows and indexes since a name in its definition means something else: SQLite changes
/// neither the entries of an index nor stored values when a column is added.
package struct QuotedDamage: Sendable {
    /// What is wrong, for people.
    var messages: [String] = []
    /// Those of integrity_check.
    var found: Set<String> = []

    init() {}

    /// - Parameters:
    ///   - object: an index or a table; others store nothing.
    ///   - known: what was wrong before the step.
    init(_ object: Catalog.Object, in view: StateView, known: QuotedDamage = .init()) throws {
        guard object.kind == .index || object.kind == .table,
            let table = view.catalog.table(object.tableName)
        else { return }
        let check = try IntegrityCheck(view.connection, catalog: view.catalog, tables: [table.name])
        if object.kind == .index {
            let end = " index \(object.name)".foldedASCII
            let damage = check.damage.filter { $0.foldedASCII.hasSuffix(end) && !known.found.contains($0) }
            found = Set(damage)
            messages = damage.map { "index \(object.name) of \(table.name) is damaged, \($0)" }
        } else {
            // An index of a generated column has the values that the column gave.
            let broken = (check.brokenConstraints + check.damage).filter { !known.found.contains($0) }
            found = Set(broken)
            messages = broken + (try staleValues(of: table, view)).filter { !known.messages.contains($0) }
        }
    }

    /// Compares stored values of generated columns with those that their expressions give now, in columns that are
    /// added to this fork for that.
    private func staleValues(of table: Catalog.Table, _ view: StateView) throws -> [String] {
        let connection = view.connection
        let stored = table.model?.columns.filter { $0.generated?.isStored == true } ?? []
        return try stored.compactMap { column in
            guard let expression = column.generated?.expression else { return nil }
            try connection.execute("SAVEPOINT drydock_stale")
            defer { try? connection.execute("ROLLBACK TO drydock_stale; RELEASE drydock_stale") }
            let name = "main.\(quotedName(table.name))"
            do {
                try connection.execute(
                    "ALTER TABLE \(name) ADD COLUMN drydock_stale \(column.declaredType) AS (\(expression)) VIRTUAL"
                )
                let count = try connection.firstRow(
                    "SELECT count(*) FROM \(name) WHERE \(quotedName(column.name)) IS NOT drydock_stale COLLATE BINARY"
                ) { Int($0.integer(0)) }
                guard let count, count > 0 else { return nil }
                let path = "\(table.name).\(column.name)"
                return
                    "\(path) is stored, and in \(counted(count, "row")) it differs from the value of its expression"
            } catch let error as EngineError where error.isStatementError {
                return nil
            }
        }
    }
}
