import DrydockFiles
import DrydockFindings

/// The check `disk-space`: VACUUM would not have the space that it needs.
///
/// "When VACUUMing a database, as much as twice the size of the original database file is required in
/// free disk space" (https://www.sqlite.org/lang_vacuum.html).
struct DiskSpaceCheck: HealthCheck {
    let text = HealthCheckText(
        .diskSpace, "the disk has no room for a VACUUM",
        why: "VACUUM fails, and a growing database soon does too.",
        threshold: HealthThreshold(warning: "200:"),
        measured: "free disk in percent of the database's size")

    func check(_ view: HealthView) throws -> HealthResult {
        let size = Int(view.file.pageCount) * view.file.header.pageSize
        guard let free = DiskSpace.free(in: FolderListing.realPath(view.path)), size > 0 else {
            return HealthResult()
        }
        let threshold = view.threshold(of: self)
        let ratio = Double(free) / Double(size)
        let measures = [
            HealthMeasure("disk_free_bytes", .bytes, Double(free), "Free space on the database's disk."),
            HealthMeasure(
                "disk_free_ratio", .ratio, ratio, "Free space of the disk by the size of the database.",
                threshold: threshold),
        ]
        guard let severity = threshold.severity(of: ratio * 100) else {
            return HealthResult(measures: measures)
        }
        return HealthResult(
            [
                finding(
                    severity,
                    "\(counted(free, "byte")) are free on the disk; a VACUUM of the database needs up to \(2 * size)",
                    help: "Free space, or write the smaller database to another disk: VACUUM INTO 'PATH'.")
            ], measures: measures)
    }
}
