import DatabaseEngine
import DrydockFindings
import OverlayVFS

/// Adds what is known once nothing more is run to the record of a replay: why it failed, and what took too long.
package struct ReplayConclusion {
    package let inputs: ReplayInputs

    package init(inputs: ReplayInputs) {
        self.inputs = inputs
    }

    /// - Throws: only CancellationError.
    package func conclude(
        _ record: inout ReplayRecord, after failure: (any Error)?, since start: ContinuousClock.Instant
    ) throws {
        if let failure {
            try Task.checkCancellation()
            record.add(finding(of: failure, at: record.current))
        }
        // Without an end, nothing shows that a later step fixed anything.
        for finding in record.steps.settled(at: nil) { record.add(finding) }
        // Code that queries SQLite may take an interrupted query for one without results.
        if inputs.watchdog.hasCutShort,
            !record.result.findings.contains(where: { $0.rule == .timeLimit })
        {
            record.add(overdue(at: record.current))
        }
        record.result.summary.seconds = (ContinuousClock.now - start).inSeconds
    }

    /// Returns the finding for a snapshot that takes too long.
    /// - Parameter failure: the project's own command that was ended for it.
    private func overdue(at current: String?, _ failure: CommandFailure? = nil) -> Finding {
        let watchdog = inputs.watchdog
        return Overdue(
            limit: inputs.context.timeLimit, migration: current, place: watchdog.statements.place,
            isFreshInstall: false, running: failure?.command, lines: failure?.lines ?? []
        ).finding(inputs.snapshot)
    }

    /// - Parameter current: the migration that was being run or checked; nil where there was none yet.
    private func finding(of error: any Error, at current: String?) -> Finding {
        let path = inputs.snapshot.path
        if inputs.watchdog.isTimeUp { return overdue(at: current, error as? CommandFailure) }
        switch error {
        case let fault as SnapshotFault:
            var finding = Finding(.snapshotUnreadable, fault.sentence, help: fault.help, place: fault.place)
            finding.fact = fault.fact
            return finding
        case let error as OverlayError:
            return Finding(.snapshotUnreadable, error.description)
        case let error as EngineError where error.isCorruption:
            guard let current else {
                return Finding(
                    .integrityFailure, of: path, "is damaged: \(error.message)",
                    help: "Recover it with sqlite3's .recover, or take another copy.")
            }
            // The snapshot was undamaged before.
            return Finding(
                .integrityFailure, "after \(current) the database is damaged: \(error.message)",
                help:
                    "Look for writable_schema, and for statements that write to the tables in which a module keeps its "
                    + "data.", migration: current)
        default:
            return Finding(.snapshotUnreadable, of: path, "could not be verified: \(error)")
        }
    }
}
