import DrydockFindings

/// `journal`: a program was stopped in the middle of a write, or the file was copied without what belongs
/// to it.
struct JournalCheck: HealthCheck {
    let text = HealthCheckText(
        "journal", "a hot journal or a write-ahead log that nobody has open lies beside the file",
        why: "The file alone is not the database; a copy without the journal is damaged.")

    func check(_ view: HealthView) throws -> HealthResult {
        var findings: [HealthFinding] = []
        if view.state.isJournalHot {
            let size = view.state.journalSize ?? 0
            findings.append(
                finding(
                    .warning,
                    "a hot journal of \(counted(size, "byte")) lies beside the file: a program was stopped in the middle of a write",
                    help: """
                        Leave the journal where it is. The next program that opens the database for writing takes \
                        the write back:
                          sqlite3 DATABASE 'SELECT count(*) FROM sqlite_schema'
                        """))
        }
        if let process = view.state.writer {
            findings.append(
                finding(
                    .note, "process \(process) is in the middle of a write",
                    help: "Nothing to do, unless it stays so: then it has a transaction open."))
        }
        if view.state.isLogged, let size = view.state.logSize, size > 0, !view.state.isOpenElsewhere {
            findings.append(
                finding(
                    .note,
                    "a write-ahead log of \(counted(size, "byte")) is left and no program has the database open",
                    help: "It is part of the database: copy both. The next program that opens it takes it in."
                ))
        }
        if view.state.hasHeaderInLogAlone {
            findings.append(
                finding(
                    .note,
                    "the file's own header is damaged, and the one that counts is in the write-ahead log",
                    help: """
                        Without the log the database is lost: copy both before anything else. The next program that \
                        opens it for writing puts the header back.
                        """))
        }
        return HealthResult(findings)
    }
}
