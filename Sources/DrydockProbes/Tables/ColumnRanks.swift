/// The order of a table's columns by size: where one is at most another, or is earlier by its name, its numbers, dates
/// and words are the lesser ones.
enum ColumnRanks {
    static func rank(_ plan: inout TablePlan) {
        var before: [Int: Set<Int>] = [:]
        for check in plan.checks + plan.laterChecks {
            guard check.alternatives.all.count <= 2 else { continue }
            for case .order(let a, let comparison, let b) in check.alternatives.all.joined() {
                guard let a = plan.places[a], let b = plan.places[b] else { continue }
                switch comparison {
                case .less, .lessOrEqual: before[b, default: []].insert(a)
                case .greater, .greaterOrEqual: before[a, default: []].insert(b)
                case .equal, .different: break
                }
            }
        }
        let weights = plan.columns.map { $0.isImplicit ? 3 : weight(ColumnKind.words($0.name)) }
        let natural = plan.columns.indices.sorted { (weights[$0], $0) < (weights[$1], $1) }
        var ranks: [Int: Int] = [:]
        func visit(_ place: Int, _ open: inout Set<Int>) {
            guard ranks[place] == nil, open.insert(place).inserted else { return }
            for earlier in (before[place] ?? []).sorted() { visit(earlier, &open) }
            ranks[place] = ranks.count
        }
        var open: Set<Int> = []
        for place in natural { visit(place, &open) }
        for place in plan.columns.indices { plan.columns[place].rank = ranks[place] ?? place }
    }

    /// Names of beginnings come first, names of ends last.
    private static func weight(_ words: [String]) -> Int {
        let first: Set<String> = [
            "start", "starts", "started", "begin", "begins", "from", "min", "low", "created", "born",
            "opened",
        ]
        let last: Set<String> = [
            "end", "ends", "ended", "finish", "finished", "until", "to", "max", "high", "updated", "modified",
            "closed",
            "expires", "deleted", "completed", "due",
        ]
        if words.contains(where: first.contains) { return 0 }
        return words.contains(where: last.contains) ? 2 : 1
    }
}
