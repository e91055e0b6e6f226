import CSQLite
import Foundation
import Synchronization

/// A recorder of the statements that a connection runs, in order.
///
/// It leaves out queries, and the statements that SQLite runs for itself in triggers and full-text tables.
final class StatementRecorder: Sendable {
    struct Entry: Sendable, Hashable {
        /// The SQL as it was compiled, with `?` where values were bound.
        var template: String
        /// The SQL with the values in place of each `?`.
        var expanded: String
    }

    private struct State {
        var entries: [Entry] = []
        /// Statements that have begun and not ended, by address.
        var running: Set<UInt> = []
    }

    private let state = Mutex(State())

    var entries: [Entry] { state.withLock { $0.entries } }

    /// Starts recording, which replaces any other trace of the connection. The recorder has to live until
    /// ``stop(on:)``.
    func start(on connection: OpaquePointer) {
        sqlite3_trace_v2(
            connection, UInt32(SQLITE_TRACE_STMT | SQLITE_TRACE_PROFILE),
            { event, context, statement, text in
                guard let context, let statement else { return 0 }
                let recorder = Unmanaged<StatementRecorder>.fromOpaque(context).takeUnretainedValue()
                let address = UInt(bitPattern: statement)
                if event == UInt32(SQLITE_TRACE_PROFILE) {
                    recorder.state.withLock { _ = $0.running.remove(address) }
                } else if let text {
                    recorder.record(
                        OpaquePointer(statement), UnsafePointer(text.assumingMemoryBound(to: CChar.self)),
                        address)
                }
                return 0
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    static func stop(on connection: OpaquePointer) { sqlite3_trace_v2(connection, 0, nil, nil) }

    /// Records a statement unless SQLite runs it for itself: SQLite then reports a comment, not the statement's SQL
    /// (https://www.sqlite.org/c3ref/c_trace.html). A foreign key action is reported as its statement a second time.
    private func record(_ statement: OpaquePointer, _ text: UnsafePointer<CChar>, _ address: UInt) {
        guard let sql = sqlite3_sql(statement), strcmp(sql, text) == 0,
            state.withLock({ $0.running.insert(address).inserted })
        else { return }
        let template = String(cString: sql)
        guard template.prefix(6).lowercased() != "select" else { return }
        let expanded = sqlite3_expanded_sql(statement)
        defer { sqlite3_free(expanded) }
        let entry = Entry(
            template: template, expanded: expanded.map { String(cString: $0) } ?? template)
        state.withLock { $0.entries.append(entry) }
    }
}
