import DrydockFindings
import SQLiteFile

/// The check `sqlite-version`: the library that wrote last, or the linked one, has a known bug that can damage
/// databases.
struct WriterVersionCheck: HealthCheck {
    let text = HealthCheckText(
        .sqliteVersion, "the SQLite that wrote last, or this one, has a bug that can damage databases",
        why: "SQLite's own list says so (https://www.sqlite.org/howtocorrupt.html#bugs_in_sqlite).")

    func check(_ view: HealthView) throws -> HealthResult {
        let writer = view.file.header.libraryVersion
        let own =
            try view.connection.firstRow("SELECT sqlite_version()") { SQLiteBug.number($0.string(0)) } ?? 0
        let conditions = SQLiteBug.Conditions(
            isLogged: view.state.isLogged, isIncremental: view.file.header.isIncrementalVacuum)
        let programs =
            writer == own || writer == 0
            ? [("this SQLite", own)] : [("the SQLite that wrote last", writer), ("this SQLite", own)]
        let findings = programs.flatMap { name, number in
            SQLiteBug.bugs(of: number, conditions).map { bug in
                finding(
                    .note,
                    "\(name), \(SQLiteBug.text(number)), has a bug: \(bug.description)",
                    help: "Fixed in \(bug.fixedIn). \(bug.source)", object: bug.name)
            }
        }
        return HealthResult(findings)
    }
}

/// A bug of SQLite that can damage a database: the list at https://www.sqlite.org/howtocorrupt.html,
/// section 8.
///
/// The list leaves out bugs only on Windows, the false reports of damage, and the one that needs a file system which
/// gives I/O errors for locks.
struct SQLiteBug: Sendable {
    /// What a database must have for a bug to occur.
    struct Conditions {
        var isLogged = false
        var isIncremental = false
    }

    let name: String
    let description: String
    /// `SQLITE_VERSION_NUMBER`s.
    let versions: ClosedRange<UInt32>
    /// Versions in that range with the bug fixed.
    var fixed: [ClosedRange<UInt32>] = []
    let fixedIn: String
    let source: String
    var needsLog = false
    var needsIncrementalVacuum = false

    static let all = [
        SQLiteBug(
            name: "wal-reset",
            description:
                "two connections that write and checkpoint at the same moment can damage a database in WAL mode",
            versions: 3_007_000...3_051_002,
            fixed: [3_044_006...3_044_999, 3_050_007...3_050_999],
            fixedIn: "3.51.3, 3.50.7 and 3.44.6", source: "https://www.sqlite.org/wal.html#walresetbug",
            needsLog: true),
        SQLiteBug(
            name: "savepoint-journal",
            description: "rolling back a savepoint whose journal is in memory can damage a database",
            versions: 3_035_000...3_037_001, fixedIn: "3.37.2",
            source: "https://www.sqlite.org/howtocorrupt.html#svptbug"),
        SQLiteBug(
            name: "journal-mode-switch",
            description:
                "switching between WAL and rollback modes with a VACUUM in between can damage a database",
            versions: 3_007_000...3_007_004, fixedIn: "3.7.5",
            source: "https://www.sqlite.org/howtocorrupt.html"),
        SQLiteBug(
            name: "freelist-leak", description: "incremental_vacuum can lose pages of the freelist",
            versions: 3_006_016...3_007_001, fixedIn: "3.7.2",
            source: "https://www.sqlite.org/howtocorrupt.html", needsIncrementalVacuum: true),
        SQLiteBug(
            name: "header-size",
            description: "writing a database that 3.6 also writes can damage it",
            versions: 3_007_000...3_007_000, fixedIn: "3.7.1",
            source: "https://www.sqlite.org/src/tktview/51ae9cad31"),
    ]

    static func bugs(of version: UInt32, _ conditions: Conditions) -> [SQLiteBug] {
        all.filter { bug in
            bug.versions.contains(version) && !bug.fixed.contains { $0.contains(version) }
                && (!bug.needsLog || conditions.isLogged)
                && (!bug.needsIncrementalVacuum || conditions.isIncremental)
        }
    }

    /// Returns `3.40.1` as `3040001` (https://www.sqlite.org/c3ref/c_source_id.html).
    static func number(_ text: String) -> UInt32 {
        let parts = text.split(separator: ".").compactMap { UInt32($0) }
        return parts.prefix(3).reduce(0) { $0 * 1000 + min($1, 999) }
    }

    static func text(_ number: UInt32) -> String {
        "\(number / 1_000_000).\(number / 1_000 % 1_000).\(number % 1_000)"
    }
}
