import DatabaseEngine
import OverlayVFS
import SQLiteSchema

/// The pending migrations on a copy of a live database, and what they made of it.
struct Rehearsal: Sendable {
    let report: VerifyReport
    let result: ReplayResult?
    /// The file goes with this object, unless it is kept.
    let copy: TemporaryCopy
    /// - Throws: ``RequestError`` when no report can be made.
    static func run(_ copy: TemporaryCopy, of path: String, _ verifier: Verifier, _ request: VerifyRequest)
        async throws -> Rehearsal
    {
        let snapshot = Snapshot(live: path, copy: copy.path)
        var (report, results) = try await verifier.verify([snapshot], as: request)
        report.findings.removeAll { $0.rule == .snapshotRemoved }
        return Rehearsal(report: report, result: results.first, copy: copy)
    }

    /// The database as it was copied; nil where the copy could not be read.
    var base: Image? { result?.base }

    /// What the migrations made; nil where they were not run to the end.
    var end: Image? {
        guard let result, result.summary.pendingCount == 0, !result.summary.steps.isEmpty else { return nil }
        return result.end
    }

    var stepCount: Int { result?.summary.steps.count ?? 0 }

    /// The name of the version that the copy is at.
    var version: String { result?.summary.from ?? "empty" }

    /// Why what the rehearsal made cannot be a live database's; nil when it can.
    func obstacle(_ pending: [Migration]) throws -> String? {
        guard let end, let base else { return "the pending migrations were not run to the end" }
        for statement in pending.flatMap(\.statements) where statement.reachesOutside {
            return
                "\(statement.source.name):\(statement.location.line) reaches into another file, which a rehearsal does not "
                + "write: run it with the tool itself"
        }
        guard try base.journalVersion() == end.journalVersion() else {
            return
                "a migration changes the journal mode, which is not done to a live file: take the PRAGMA out, and "
                + "set it with the program stopped"
        }
        if base.pageSize != end.pageSize, try base.journalVersion() == 2 {
            return "a migration changes the page size, which a database in WAL mode keeps"
        }
        return nil
    }
}

extension Image {
    /// "File format write version": 1 for a rollback journal, 2 for a write-ahead log.
    func journalVersion() throws -> UInt8 {
        var byte: UInt8 = 0
        try withUnsafeMutableBytes(of: &byte) { try read(into: $0, at: 18) }
        return byte
    }
}

extension SQLStatement {
    /// ATTACH of a file, and VACUUM INTO one.
    fileprivate var reachesOutside: Bool {
        switch action {
        case .attach(.literal(let file)): !["", ":memory:"].contains(file)
        case .attach, .vacuum(into: true): true
        default: false
        }
    }
}
