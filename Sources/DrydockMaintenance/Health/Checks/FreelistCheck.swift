import DrydockFindings
import SQLiteFile

/// The check `freelist`: much of the file is free pages, or their list is broken.
struct FreelistCheck: HealthCheck {
    let text = HealthCheckText(
        .freelist, "a large part of the file is free pages, or their list is broken",
        why: "They are reused, but until then they take up space on the disk, in backups and in copies.",
        threshold: HealthThreshold(warning: "0:25"),
        measured: "percent of the pages, from 1 MiB of them on")

    /// Fewer free bytes are not reported.
    private static let least = 1 << 20

    func check(_ view: HealthView) throws -> HealthResult {
        let (header, pages) = (view.file.header, Int(view.file.pageCount))
        guard pages > 0 else { return HealthResult() }
        if let damage = view.file.freelistDamage() {
            return HealthResult([
                self.damage("the list of free pages is damaged: \(damage)", help: HealthHelp.damaged)
            ])
        }
        let free = Int(header.freelistCount)
        let ratio = Double(free) / Double(pages)
        let threshold = view.threshold(of: self)
        let measures = [
            HealthMeasure(
                "freelist_bytes", .bytes, Double(free * header.pageSize), "Size of the free pages."),
            HealthMeasure(
                "freelist_ratio", .ratio, ratio, "Part of the pages that is free.", threshold: threshold),
        ]
        guard free * header.pageSize >= Self.least, let severity = threshold.severity(of: ratio * 100) else {
            return HealthResult(measures: measures)
        }
        return HealthResult(
            [
                finding(
                    severity,
                    "\(free) of \(counted(pages, "page")) are free: VACUUM gives back \(free * header.pageSize) bytes and more",
                    help: header.isIncrementalVacuum
                        ? "At a quiet time: PRAGMA incremental_vacuum;" : "At a quiet time: VACUUM;")
            ], measures: measures)
    }
}
