import DrydockFindings

/// The check `auto-vacuum`: the database keeps the pointers that `incremental_vacuum` needs, but nobody ever runs it.
struct AutoVacuumCheck: HealthCheck {
    let text = HealthCheckText(
        .autoVacuum, "auto_vacuum is incremental, but incremental_vacuum is not run",
        why: "Pointer maps take one page in every few hundred and slow down writes, to no benefit.",
        threshold: HealthThreshold(warning: "0:10"),
        measured: "percent of the pages that are free")

    private static let leastPages = 64

    func check(_ view: HealthView) throws -> HealthResult {
        let (header, pages) = (view.file.header, Int(view.file.pageCount))
        guard header.hasPointerMaps, header.isIncrementalVacuum, pages >= Self.leastPages else {
            return HealthResult()
        }
        let share = Double(header.freelistCount) / Double(pages) * 100
        guard let severity = view.threshold(of: self).severity(of: share) else { return HealthResult() }
        return HealthResult([
            finding(
                severity,
                "auto_vacuum is incremental, yet \(header.freelistCount) of \(counted(pages, "page")) are free",
                help: """
                    Have the program run this from time to time:
                      PRAGMA incremental_vacuum(100);
                    """)
        ])
    }
}
