import DrydockFindings

/// The check `fragmentation`: the leaves of a table or index are scattered in the file.
struct FragmentationCheck: HealthCheck {
    let text = HealthCheckText(
        .fragmentation, "reading a table in key order means jumping back and forth in the file",
        why:
            "Scans and backups take longer on a disk that has to seek, and on any disk while the cache is cold.",
        threshold: HealthThreshold(warning: "0:75"),
        measured: "percent of a tree's leaves, from 256 leaves on")

    private static let leastLeaves = 256

    let isDivisible = true

    func check(_ view: HealthView) throws -> HealthResult {
        try parts(view).reduce(into: HealthResult()) { $0 += try check(view, part: $1) }
    }

    func parts(_ view: HealthView) -> [String] { view.treeTables }

    func check(_ view: HealthView, part: String) throws -> HealthResult {
        let threshold = view.threshold(of: self)
        var result = HealthResult()
        for entry in view.facts.trees[part] ?? [] {
            let tree = try view.facts.outline(of: entry.rootPage)
            guard tree.leafPages >= Self.leastLeaves else { continue }
            let share = Double(tree.scatteredLeaves) / Double(tree.leafPages - 1) * 100
            guard let severity = threshold.severity(of: share) else { continue }
            let isIndex = entry.type == "index"
            result.findings.append(
                finding(
                    // Indexes are scattered by nature: keys do not come in order.
                    isIndex ? .note : severity,
                    "\(Int(share)) % of the \(tree.leafPages) leaves of \(isIndex ? "index" : "table") \(entry.name) do not follow the one before",
                    help: "At a quiet time: VACUUM;", table: part, object: isIndex ? entry.name : nil))
        }
        return result
    }
}
