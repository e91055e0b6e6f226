import DrydockFindings
import DrydockMigrations
import DrydockConservation
import DrydockState
import DatabaseEngine
import SQLiteSchema

/// Whether a state has more of a fault than it may.
struct FaultTrace {
    let rule: any StateRule
    let id: Fault.ID
    let baseline: Int
    private var isSound = true
    /// The statement after which the fault remained.
    private(set) var brokenBy: Int?

    init(rule: any StateRule, id: Fault.ID, baseline: Int) {
        self.rule = rule
        self.id = id
        self.baseline = baseline
    }

    mutating func look(_ point: StatementPoint) {
        guard let isSound = count(point).map({ $0 <= baseline }) else { return }
        if isSound { brokenBy = nil } else if self.isSound { brokenBy = point.index }
        self.isSound = isSound
    }

    /// Returns how much of the fault there is; nil when that cannot be determined. The rule may write; everything is
    /// rolled back.
    private func count(_ point: StatementPoint) -> Int? {
        let connection = point.connection
        guard (try? connection.execute("SAVEPOINT drydock_look")) != nil else { return nil }
        defer { try? connection.execute("ROLLBACK TO drydock_look; RELEASE drydock_look") }
        var unreadable: [Catalog.UnreadableTable] = []
        guard
            let catalog = try? Catalog(
                reading: connection, historyTables: point.historyTables, unreadable: &unreadable),
            let faults = try? rule.faults(
                in: StateView(connection: connection, catalog: catalog))
        else { return nil }
        return faults.reduce(0) { $0 + ($1.id == id ? $1.count : 0) }
    }
}
