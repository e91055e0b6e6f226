/// The names of snapshots in reports: the last part of a path, with as many of the folders before it as distinguish
/// it from the others of the run.
public struct SnapshotNames: Sendable {
    private var names: [String: String] = [:]
    /// The probes of a report without another replay.
    private var onlyProbes: Set<String> = []

    /// The name of a probe.
    package static let probe = "generated rows"

    public init(_ paths: some Sequence<String>) {
        let parts = Dictionary(
            paths.map { ($0, $0.split(separator: "/").map(String.init)) },
            uniquingKeysWith: { first, _ in first })
        var left = Array(parts.keys)
        var count = 1
        while !left.isEmpty {
            let groups = Dictionary(grouping: left) { (parts[$0] ?? []).suffix(count).joined(separator: "/") }
            left = []
            for (name, paths) in groups {
                for path in paths {
                    if paths.count == 1 {
                        names[path] = name
                    } else if (parts[path] ?? []).count <= count {
                        names[path] = path
                    } else {
                        left.append(path)
                    }
                }
            }
            count += 1
        }
    }

    /// Collects the names of a report's replays.
    public init(_ report: Report) {
        self.init(
            report.replays.map(\.snapshot) + report.findings.compactMap(\.snapshot)
                + report.notChecked.compactMap(\.snapshot))
        let probes = report.replays.filter(\.isProbe).map(\.snapshot)
        for path in probes { names[path] = Self.probe }
        if probes.count == report.replays.count { onlyProbes = Set(probes) }
    }

    /// Whether a path is a probe's, and need not be named, since there is nothing else.
    package func isOnlyProbe(_ path: String) -> Bool { onlyProbes.contains(path) }

    /// Returns the last part of a path that is not one of them.
    public func name(of path: String) -> String {
        names[path] ?? PathParts.name(of: path)
    }
}
