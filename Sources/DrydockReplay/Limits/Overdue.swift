import DatabaseEngine
import DrydockFindings
import DrydockMigrations
import DrydockState

/// Work that was not complete when its time was up, and its place at that moment.
package struct Overdue: Sendable {
    package let limit: Duration
    /// The identifier of the migration that was being run.
    package var migration: String?
    /// The statement that was running.
    package var place: StatementLog.Place?
    /// Whether it was the install on an empty database, which comes before the replays of snapshots.
    package var isFreshInstall = false
    /// The project's own command, if that was running, and the last lines that it printed.
    package var running: String?
    package var lines: [String] = []

    package init(
        limit: Duration, migration: String? = nil, place: StatementLog.Place? = nil,
        isFreshInstall: Bool = false, running: String? = nil, lines: [String] = []
    ) {
        self.limit = limit
        self.migration = migration
        self.place = place
        self.isFreshInstall = isFreshInstall
        self.running = running
        self.lines = lines
    }

    /// Returns the `time-limit` finding for a snapshot that was therefore not verified.
    package func finding(_ snapshot: Snapshot) -> Finding {
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
    package init(_ place: StatementLog.Place) {
        self.init(file: place.file)
        (line, column, lineText) = (place.line, place.column, place.lineText)
    }
}
