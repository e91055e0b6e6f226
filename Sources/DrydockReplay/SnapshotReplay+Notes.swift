import DrydockFindings
import DrydockMigrations
import DrydockState
import DatabaseEngine
import OverlayVFS

/// Records the findings and notes of a replay.
extension SnapshotReplay {
    mutating func add(_ finding: Finding) {
        var finding = finding
        finding.snapshot = snapshot.path
        result.findings.append(finding)
    }

    mutating func notChecked(_ rule: Rule, _ cause: NotChecked.Reason) {
        let entry = NotChecked(rule, snapshot: snapshot.path, cause)
        // What a baseline has recorded, it calls by its words.
        let isKnown = result.notChecked.contains { $0.rule == rule && $0.reason == entry.reason }
        if !isKnown { result.notChecked.append(entry) }
    }

    /// Counts the steps that ran.
    mutating func note(_ reached: BatchRun.Reached) {
        for (index, migration) in reached.migrations.enumerated() {
            // Pages that several migrations wrote together are counted once.
            let isLast = index == reached.migrations.count - 1
            result.summary.steps.append(
                .init(
                    migration: migration.identifier, seconds: isLast ? reached.seconds : 0,
                    pagesWritten: isLast ? reached.footprint.pages.count : 0,
                    bytesWritten: isLast ? reached.footprint.byteCount : 0,
                    statementSeconds: isLast ? reached.statementSeconds : []))
            result.summary.to = migration.identifier
        }
    }

    /// Takes back the count of steps that are refused after all.
    mutating func removeCounts(_ reached: BatchRun.Reached) {
        result.summary.steps.removeLast(reached.migrations.count)
        result.summary.to = result.summary.steps.last?.migration ?? result.summary.from
    }

    /// Records that a migration changed a file which it attached.
    mutating func notCompared(_ path: String, _ migration: Migration) {
        let folder = FolderListing.realPath(".") + "/"
        let name = path.hasPrefix(folder) ? String(path.dropFirst(folder.count)) : path
        notChecked(.rowsLost, .attachedDatabase(name, changedBy: migration.identifier))
    }

    /// Records that the snapshot lacks commits that its app made.
    mutating func addLogDamage() {
        // A log beside a compressed file is none of its own.
        guard snapshot.kind == .database, CompressedFile(snapshot.file) == nil,
            let damage = SnapshotFile.logDamage(beside: snapshot.file)
        else { return }
        add(
            Finding(
                .integrityFailure, .warning, of: snapshot.path,
                "may lack commits of its app: \(damage)",
                help: """
                    Only the rows that SQLite reads were checked. Take a new copy of the database together with its -wal, \
                    while no program has it open.
                    """, tags: [.preExisting]))
    }

    /// Records that the snapshot takes too long.
    /// - Parameter failure: the project's own command that was ended for it.
    mutating func addOverdue(_ failure: CommandFailure? = nil) {
        add(
            Overdue(
                limit: context.timeLimit, migration: current, place: watchdog.statements.place,
                isFreshInstall: false, running: failure?.command, lines: failure?.lines ?? []
            ).finding(snapshot))
    }

    mutating func note(failure error: any Error) {
        if watchdog.isTimeUp { return addOverdue(error as? CommandFailure) }
        switch error {
        case let fault as SnapshotFault:
            var finding = Finding(.snapshotUnreadable, fault.message, help: fault.help, place: fault.place)
            finding.redactedMessage = fault.redactedMessage
            finding.fact = fault.fact
            add(finding)
        case let error as OverlayError:
            add(Finding(.snapshotUnreadable, error.description))
        case let error as EngineError where error.isCorruption && current != nil:
            // The snapshot was undamaged before.
            add(
                Finding(
                    .integrityFailure, "after \(current ?? "") the database is damaged: \(error.message)",
                    help:
                        "Look for writable_schema, and for statements that write to the tables in which a module keeps its "
                        + "data.", migration: current))
        case let error as EngineError where error.isCorruption:
            add(
                Finding(
                    .integrityFailure, of: snapshot.path, "is damaged: \(error.message)",
                    help: "Recover it with sqlite3's .recover, or take another copy."))
        default:
            add(Finding(.snapshotUnreadable, of: snapshot.path, "could not be verified: \(error)"))
        }
    }

    /// Whether no table of the app has a row in a state. A table that cannot be read may have some.
    func hasNoRows(_ state: DatabaseState) async -> Bool {
        guard state.notChecked.isEmpty else { return false }
        let names = state.catalog.tables.values.filter(\.keepsRows).map(\.name)
        let isEmpty = try? await inspector.withConnection(to: state.image) { connection in
            for name in names {
                let row = try connection.firstRow("SELECT 1 FROM main.\(quotedName(name)) LIMIT 1") { _ in 1 }
                guard row == nil else { return false }
            }
            return true
        }
        return isEmpty ?? false
    }
}
