import DatabaseEngine
import OverlayVFS

/// Where a replay keeps what it has to report.
extension SnapshotReplay {
    mutating func add(_ finding: Finding) {
        var finding = finding
        finding.snapshot = snapshot.path
        result.findings.append(finding)
    }

    mutating func notChecked(_ rule: Rule, _ reason: String) {
        let entry = NotChecked(rule, snapshot: snapshot.path, reason: reason)
        if !result.notChecked.contains(entry) { result.notChecked.append(entry) }
    }

    /// That the snapshot takes too long.
    mutating func addOverdue() {
        add(
            Overdue(
                limit: context.timeLimit, migration: current, place: watchdog.statements.place,
                isFreshInstall: false
            ).finding(snapshot))
    }

    mutating func note(failure error: any Error) {
        if watchdog.isTimeUp { return addOverdue() }
        switch error {
        case let fault as SnapshotFault:
            var finding = Finding(.snapshotUnreadable, fault.message, help: fault.help, place: fault.place)
            finding.redactedMessage = fault.redactedMessage
            add(finding)
        case let error as OverlayError:
            add(Finding(.snapshotUnreadable, error.description))
        case let error as EngineError where error.isCorruption:
            add(
                Finding(
                    .integrityFailure, "\(snapshot.path) is damaged: \(error.message)",
                    help: "Recover it with sqlite3's .recover, or take another copy."))
        default:
            add(Finding(.snapshotUnreadable, "\(snapshot.path) could not be verified: \(error)"))
        }
    }
}
