import DrydockReplay
import DrydockState
import DatabaseEngine
import SQLiteSchema

/// The views and triggers that do not compile because of a migration that is not linted.
struct BrokenViews: Sendable {
    private(set) var elsewhere: Set<Fault.ID> = []
    /// Those that did not compile when a run of migrations without linting began.
    private var before: Set<Fault.ID> = []
    private var isAmongLinted = false

    /// Takes note of them where the linted migrations begin or end.
    mutating func note(
        _ schema: Schema, on connection: any Connection, without historyTables: [String], isLinted: Bool
    ) {
        guard isLinted != isAmongLinted else { return }
        isAmongLinted = isLinted
        let broken = ViewCompilesRule.broken(in: schema, on: connection, without: historyTables)
        let now = Set(broken.map(\.id))
        if isLinted {
            elsewhere = elsewhere.intersection(now).union(now.subtracting(before))
        } else {
            before = now
        }
    }
}
