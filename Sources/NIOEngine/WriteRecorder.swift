import CSQLite
import DatabaseEngine

/// Notes which tables the statements of an observed connection write, as SQLite reports them to the connection's
/// authorizer while it compiles a statement, and looks for a commit after each step. Used only on the connection's
/// thread.
final class WriteRecorder {
    let tracker = ChangeTracker()
    /// The tables that compiled statements write.
    private var tables: [OpaquePointer: Set<String>] = [:]
    /// What the statement writes that is being compiled.
    private var compiled: Set<String> = []
    private var isInstalled = false

    /// Setting an authorizer makes SQLite compile every statement again before its next step.
    func install(on connection: OpaquePointer) {
        guard !isInstalled else { return }
        isInstalled = true
        let context = Unmanaged.passUnretained(self).toOpaque()
        sqlite3_set_authorizer(
            connection,
            { context, action, table, _, schema, _ in
                guard [SQLITE_INSERT, SQLITE_UPDATE, SQLITE_DELETE].contains(action), let context, let table,
                    schema.map({ sqlite3_stricmp($0, "main") == 0 }) ?? true,
                    let name = ChangeTracker.publicName(String(cString: table))
                else { return SQLITE_OK }
                Unmanaged<WriteRecorder>.fromOpaque(context).takeUnretainedValue().compiled.insert(name)
                return SQLITE_OK
            }, context)
        sqlite3_rollback_hook(
            connection,
            { context in
                guard let context else { return }
                Unmanaged<WriteRecorder>.fromOpaque(context).takeUnretainedValue().tracker.rolledBack()
            }, context)
    }

    func remove(from connection: OpaquePointer) {
        isInstalled = false
        sqlite3_set_authorizer(connection, nil, nil)
        sqlite3_rollback_hook(connection, nil, nil)
        tables = [:]
    }

    func willCompile() { compiled = [] }

    func didCompile(_ statement: OpaquePointer?) {
        // An address may have been that of another statement.
        if isInstalled, let statement { tables[statement] = compiled.isEmpty ? nil : compiled }
    }

    /// Makes a step of a statement, which may compile it again.
    func stepping(_ statement: OpaquePointer, on connection: OpaquePointer, _ body: () -> Int32) -> Int32 {
        guard isInstalled else { return body() }
        if let known = tables[statement] { tracker.touch(known) }
        compiled = []
        let code = body()
        if !compiled.isEmpty {
            tables[statement, default: []].formUnion(compiled)
            tracker.touch(compiled)
        }
        // After an error, looking would replace the connection's message.
        if code == SQLITE_DONE || code == SQLITE_ROW, tracker.mayHaveCommitted(connection) {
            tracker.look(connection)
        }
        return code
    }

    func forget(_ statement: OpaquePointer) { tables[statement] = nil }
}
