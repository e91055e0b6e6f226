import DrydockFiles
import DrydockFindings
import DrydockMaintenance
import OverlayVFS

/// The disk space that the migration of a database needs, and the time for which it is locked.
struct MigrationNeeds: Sendable {
    let request: MigrateRequest

    /// The database's folder.
    var folder: String { PathParts.folder(of: realPath(of: request.path)) }

    /// Returns what the rehearsal itself needs: the copy that it runs on, which may be kept as the backup, and spilled
    /// pages.
    func rehearsing(_ rehearsal: Rehearsal) -> [DiskNeed] {
        let (place, purpose) =
            switch request.backup {
            case .some(.none):
                (request.temporaryFolder ?? BackupPlace.temporaryFolder, "the copy that is rehearsed on")
            case .folder(let name): (name, "the backup")
            case .path(let path): (PathParts.folder(of: path), "the backup")
            case nil: (folder, "the backup")
            }
        // A rehearsal that was refused before any step ran needs no space.
        guard let base = rehearsal.base, base.byteCount > 0 else { return spilled(rehearsal) }
        return [need(place, base.byteCount, purpose)] + spilled(rehearsal)
    }

    /// Returns the space for pages that did not fit into memory while the migrations ran.
    func spilled(_ rehearsal: Rehearsal) -> [DiskNeed] {
        guard rehearsal.spilledBytes > 0 else { return [] }
        return [
            need(
                BackupPlace.temporaryFolder, rehearsal.spilledBytes,
                "the rehearsal's pages beyond what it keeps in memory, until it is done")
        ]
    }

    /// Returns the space for what is written beside the database, and for the growth of the database.
    /// - Parameter isShared: Whether others have the log open.
    func installing(_ rehearsal: Rehearsal, isShared: Bool) throws -> [DiskNeed] {
        guard let end = rehearsal.end, let base = rehearsal.base else { return [] }
        var needs: [DiskNeed] = []
        if let delta = try PageDelta(from: base, to: end) {
            needs.append(
                isShared
                    ? need(
                        folder, Self.logBytes(delta),
                        "the write-ahead log, which other programs have open, with the changed pages")
                    : need(folder, Self.journalBytes(delta), "the rollback journal, with the old pages"))
        } else {
            needs.append(need(folder, base.byteCount, "the rollback journal, with every page"))
        }
        // Pages that are only in the log are moved to the file first.
        let size = (try? FolderListing.size(of: request.path)) ?? base.byteCount
        let growth = max(base.byteCount, end.byteCount) - size
        guard growth > 0 else { return needs }
        let purpose =
            "what the database grows by" + (size < base.byteCount ? ", including the pages in the log" : "")
        return needs + [need(folder, growth, purpose)]
    }

    /// Each record also has the page's number and checksum.
    private static func journalBytes(_ delta: PageDelta) -> Int {
        delta.kept.count * (delta.pageSize + 8) + 512
    }

    /// A frame of the log has 24 bytes more than its page.
    private static func logBytes(_ delta: PageDelta) -> Int {
        delta.written.count * (delta.pageSize + 24) + 32
    }

    /// Estimates how many seconds the database will be locked, from the rate at which its copy was written, synced,
    /// read again and compared. Under the lock the pages are written and read again; if nobody else has the log open,
    /// everything is read and compared first, and the journal is written.
    func lockSeconds(_ rehearsal: Rehearsal, isShared: Bool) throws -> Double? {
        guard let end = rehearsal.end, let base = rehearsal.base else { return nil }
        let perByte = rehearsal.copySeconds / Double(max(1, base.byteCount))
        var bytes = isShared ? 0 : Double(base.byteCount) / 2
        if let delta = try PageDelta(from: base, to: end) {
            bytes += 1.5 * Double(delta.written.count * delta.pageSize)
            if !isShared { bytes += Double(Self.journalBytes(delta)) }
        } else {
            bytes += 2.5 * Double(end.byteCount)
        }
        return perByte * bytes
    }

    /// - Throws: ``RequestError`` if a disk does not have the space.
    func check(_ needs: [DiskNeed]) throws {
        for (index, need) in needs.enumerated() {
            guard let free = need.free else { continue }
            // Needs on one file system add up.
            let total = needs.prefix(index + 1).filter { DiskSpace.areOnOne($0.folder, need.folder) }
                .reduce(0) { $0 + $1.bytes }
            guard total <= free else {
                throw RequestError(
                    .diskFull,
                    "\(need.folder) has \(free) bytes free and \(total) are needed: \(need.purpose); free space, or "
                        + "put the backup elsewhere with --backup-folder, or temporary files with TMPDIR; "
                        + "\(request.path) is unchanged")
            }
        }
    }

    private func need(_ folder: String, _ bytes: Int, _ purpose: String) -> DiskNeed {
        .init(folder: folder, bytes: bytes, purpose: purpose, free: DiskSpace.free(in: folder))
    }
}
