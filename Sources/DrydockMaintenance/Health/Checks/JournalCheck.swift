import DrydockFiles
import DrydockFindings
import SQLiteFile

/// The check `journal`: a program was stopped in the middle of a write, or the file was copied without its journal or
/// log.
struct JournalCheck: HealthCheck {
    let text = HealthCheckText(
        .journal,
        "beside the file is a hot journal, or a write-ahead log that no program has open or that SQLite reads only in part",
        why: "The file alone is not the database; a copy without the journal is damaged.")

    func check(_ view: HealthView) throws -> HealthResult {
        var findings: [Finding] = []
        if let size = view.state.hotJournalSize {
            findings.append(
                finding(
                    .warning,
                    "a hot journal of \(counted(size, "byte")) lies beside the file: a program was stopped in the middle of a write",
                    help: """
                        Leave the journal where it is. The next program that opens the database for writing rolls \
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
        let log = view.state.logDamage == nil ? view.state.logSize : nil
        if view.state.isLogged, let size = log, size > 0, !view.state.isOpenElsewhere {
            findings.append(
                finding(
                    .note,
                    "a write-ahead log of \(counted(size, "byte")) is left and no program has the database open",
                    help:
                        "It is part of the database: copy both. The next program that opens the database merges it."
                ))
        }
        findings += view.state.logDamage.map { [finding($0, view)] } ?? []
        findings += orphans(view)
        if view.state.hasHeaderInLogAlone {
            findings.append(
                finding(
                    .note,
                    "the file's own header is damaged, and the one that counts is in the write-ahead log",
                    help: """
                        Without the log the database is lost: copy both before anything else. The next program that \
                        opens it for writing restores the header.
                        """))
        }
        return HealthResult(findings)
    }

    private func finding(_ damage: LogDamage, _ view: HealthView) -> Finding {
        finding(
            damage.mayBeOfCrash ? .note : .warning, damage.text,
            help: """
                What was committed there since the last checkpoint is missing when the database is read. Copy the database \
                and its -wal away before any program opens them: the next one that writes starts a new log over it. Then \
                compare the database with what the program should have, or restore a backup.
                """)
    }

    /// Reports a log or journal beside an empty file: SQLite takes it for left over, and deletes it.
    private func orphans(_ view: HealthView) -> [Finding] {
        guard view.state.size == 0 else { return [] }
        var orphans: [(String, Int)] = []
        if let size = view.state.logSize, size > 0 { orphans.append(("write-ahead log", size)) }
        if let size = view.state.hotJournalSize { orphans.append(("rollback journal", size)) }
        return orphans.map { what, size in
            finding(
                .error,
                "the file is empty, and a \(what) of \(counted(size, "byte")) lies beside it: there was a database",
                help: HealthHelp.orphan)
        }
    }
}
