import DatabaseEngine
import DrydockFindings
import DrydockMaintenance
import DrydockMigrations
import DrydockReplay
import DrydockVerify
import OverlayVFS
import SQLiteSchema

/// The pending migrations on a copy of a live database, and their result.
struct Rehearsal: Sendable {
    let report: Report
    let result: ReplayResult?
    /// The copy; its file is deleted with this object, unless it is kept.
    let copy: TemporaryCopy
    /// The peak of what did not fit into memory.
    let spilledBytes: Int
    /// How long it took to make the copy.
    var copySeconds = 0.0
    /// Whether it ran on what others had committed since the copy was made.
    var isLater = false
    /// The later state that the copy's file has; nil if it is as it was made.
    var written: Image?

    /// - Throws: ``RequestError`` if no report can be made.
    static func run(_ copy: TemporaryCopy, of path: String, _ verifier: Verifier, _ request: VerifyRequest)
        async throws -> Rehearsal
    {
        let snapshot = Snapshot(live: path, copy: copy.path)
        let meter = SpillMeter()
        var (report, results) = try await Overlay.$spillMeter.withValue(meter) {
            try await verifier.verify([snapshot], as: request)
        }
        report.findings.removeAll { $0.rule == .snapshotRemoved }
        return Rehearsal(report: report, result: results.first, copy: copy, spilledBytes: meter.peak)
    }

    /// The copied database before the migrations; nil if the copy could not be read.
    var base: Image? { result?.base }

    /// What was found of the copied database; nil if no migration was run on it.
    var baseline: BaselinedSnapshot? { result?.baseline }

    /// The database after the migrations; nil if they did not run to the end.
    var end: Image? {
        guard let result, result.summary.pendingCount == 0, !result.summary.steps.isEmpty else { return nil }
        return result.end
    }

    /// Whether nothing was pending.
    var isUpToDate: Bool { result?.isUpToDate == true }

    /// The name of the version that the copy is at.
    var version: String { result?.summary.from ?? "empty" }

    /// Returns why the result cannot become a live database; nil if it can.
    func obstacle(_ pending: [Migration]) throws -> Finding? {
        guard let end, let base else { return unfinished(pending) }
        if let (migration, statement) = first(in: pending, where: { $0.reachesOutside }) {
            return Finding(
                .migrationFailed,
                "\(migration.identifier) writes to another file, which a rehearsal cannot do",
                help: "Run it with the tool itself.", migration: migration.identifier, place: .init(statement)
            )
        }
        guard try base.journalVersion() == end.journalVersion() else {
            return refusal(
                pending, "journal_mode", "changes the journal mode, which Drydock does not do to a live file",
                help: "Remove the PRAGMA, and set the mode while the program is stopped.")
        }
        if base.pageSize != end.pageSize, try base.journalVersion() == 2 {
            return refusal(
                pending, "page_size", "changes the page size, which a database in WAL mode keeps",
                help: "Remove the PRAGMA, or leave WAL mode first, while the program is stopped.")
        }
        return nil
    }

    private func unfinished(_ pending: [Migration]) -> Finding {
        let done = Set(result?.summary.steps.map(\.migration) ?? [])
        let next = pending.first { !done.contains($0.identifier) }
        return Finding(
            .migrationFailed,
            "not all pending migrations were run"
                + (next.map { ": \($0.identifier) was not run" } ?? ""),
            help: "Migrate with the tool itself, or use --up-to to stop before the one that cannot be run.",
            migration: next?.identifier, place: next.map { .init(file: $0.path) })
    }

    /// - Parameter pragma: The PRAGMA that causes it, if a migration has it.
    private func refusal(
        _ pending: [Migration], _ pragma: String, _ fact: String, help: String
    ) -> Finding {
        let found = first(in: pending) {
            if case .pragma(_, let name, _?) = $0.action { return name.foldedASCII == pragma }
            return false
        }
        return Finding(
            .migrationFailed, "\(found?.migration.identifier ?? "a migration") \(fact)", help: help,
            migration: found?.migration.identifier, place: found.map { .init($0.statement) })
    }

    private func first(
        in pending: [Migration], where matches: (SQLStatement) -> Bool
    ) -> (migration: Migration, statement: SQLStatement)? {
        for migration in pending {
            if let statement = migration.statements.first(where: matches) { return (migration, statement) }
        }
        return nil
    }
}

extension Image {
    /// Returns the "file format write version": 1 for a rollback journal, 2 for a write-ahead log.
    func journalVersion() throws -> UInt8 {
        var byte: UInt8 = 0
        try withUnsafeMutableBytes(of: &byte) { try read(into: $0, at: 18) }
        return byte
    }
}

extension SQLStatement {
    /// Whether the statement attaches a file, or is VACUUM INTO a file.
    fileprivate var reachesOutside: Bool {
        switch action {
        case .attach(.literal(let file)): !["", ":memory:"].contains(file)
        case .attach, .vacuum(into: true): true
        default: false
        }
    }
}
