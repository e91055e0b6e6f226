/// The order in which tables are filled: parents first.
struct FillOrder {
    /// The tables by folded name.
    private(set) var tables: [String] = []
    /// Whether a table is filled before one that it refers to.
    private(set) var isCircular = false

    init(_ plans: [String: TablePlan]) {
        var parents: [String: Set<String>] = [:]
        var soft: [String: Set<String>] = [:]
        for (name, plan) in plans {
            for reference in plan.references where reference.parent != name && plans[reference.parent] != nil
            {
                if reference.isPresent {
                    parents[name, default: []].insert(reference.parent)
                } else {
                    soft[name, default: []].insert(reference.parent)
                }
            }
        }
        var children: [String: [String]] = [:]
        for (name, all) in parents { for parent in all { children[parent, default: []].append(name) } }
        for (name, all) in soft { for parent in all { children[parent, default: []].append(name) } }
        var open = plans.keys.sorted()
        var ready = Set(open.filter { parents[$0] == nil && soft[$0] == nil })
        while !open.isEmpty {
            let wave = open.filter(ready.contains)
            let next = wave.isEmpty ? [Self.broken(open, parents, soft, plans)] : wave
            for name in next {
                tables.append(name)
                if !(parents[name] ?? []).isEmpty { isCircular = true }
                ready.remove(name)
                (parents[name], soft[name]) = (nil, nil)
            }
            for name in next {
                for child in children[name] ?? [] {
                    parents[child]?.remove(name)
                    soft[child]?.remove(name)
                    if (parents[child] ?? []).isEmpty, (soft[child] ?? []).isEmpty { ready.insert(child) }
                }
            }
            let done = Set(next)
            open.removeAll(where: done.contains)
        }
    }

    /// Returns the table that misses the least if it is filled now: what is only implied first, then what can be NULL.
    private static func broken(
        _ open: [String], _ parents: [String: Set<String>], _ soft: [String: Set<String>],
        _ plans: [String: TablePlan]
    ) -> String {
        func cost(_ name: String) -> Int {
            guard let plan = plans[name], let missing = parents[name], !missing.isEmpty else { return 0 }
            return plan.references.filter { $0.isPresent && missing.contains($0.parent) }.reduce(1) {
                cost, reference in
                cost + (reference.columns.contains { !plan.columns[$0].isNotNull } ? 1 : 1000)
            }
        }
        return open.min { (cost($0), $0) < (cost($1), $1) } ?? open[0]
    }
}
