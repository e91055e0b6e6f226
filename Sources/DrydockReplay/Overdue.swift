import DrydockFindings
import DrydockMigrations
import DrydockState
import DatabaseEngine

/// Work that was not complete when its time was up, and its place at that moment.
struct Overdue: Sendable {
    let limit: Duration
    /// The identifier of the migration that was being run.
    var migration: String?
    /// The statement that was running.
    var place: StatementLog.Place?
    /// Whether it was the install on an empty database, which comes before the replays of snapshots.
    var isFreshInstall = false
    /// The project's own command, if that was running, and the last lines that it printed.
    var running: String?
    var lines: [String] = []

    /// Returns the `time-limit` finding for a snapshot that was therefore not verified.
    func finding(_ snapshot: Snapshot) -> Finding {
        var fact = TimeLimitText.fact(limit, at: place)
        if let running {
            fact += ": '\(running)' was running" + (isFreshInstall ? " on an empty database" : "")
        } else if isFreshInstall {
            fact += place == nil ? "; an empty database was being migrated" : " on an empty database"
        } else if place == nil, let migration {
            fact += "; what \(migration) did was being checked"
        }
        var finding = Finding(
            .timeLimit, "\(snapshot.path): \(fact)", help: TimeLimitText.remedy, migration: migration)
        finding.fact = fact
        finding.place = place.map { Finding.Place($0) }
        finding.place?.quotesData = place?.file == snapshot.path
        finding.snapshot = snapshot.path
        if !lines.isEmpty { finding.evidence = Evidence(details: lines, areDetailsData: true) }
        return finding
    }
}

extension Finding.Place {
    init(_ place: StatementLog.Place) {
        self.init(file: place.file)
        (line, column, lineText) = (place.line, place.column, place.lineText)
    }
}
