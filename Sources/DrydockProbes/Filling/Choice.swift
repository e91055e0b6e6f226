import DatabaseEngine

/// The ways that one row takes to satisfy the constraints: each row another one, as far as they agree.
struct Choice {
    private let plan: TablePlan
    private var domains: [Domain]
    private var orders: [TablePlan.Order]

    /// Creates the choice that leaves open what every row leaves open.
    init(_ plan: TablePlan) {
        self.plan = plan
        (domains, orders) = (plan.domains, plan.orders)
    }

    /// - Parameters:
    ///   - index: the place of the row in its table.
    ///   - shift: how often the row was refused.
    ///   - keepsLater: whether what later migrations demand counts.
    init(_ plan: TablePlan, index: Int, shift: Int, keepsLater: Bool) {
        self.init(plan)
        for check in plan.checks where !check.isSettled { choose(check, index + shift) }
        guard keepsLater else { return }
        for check in plan.laterChecks { choose(check, index + shift) }
    }

    var made: (domains: [Domain], orders: [TablePlan.Order]) { (domains, orders) }

    private mutating func choose(_ check: TablePlan.Check, _ start: Int) {
        let ways = check.alternatives.all
        for offset in ways.indices where add(ways[(start + offset) % ways.count]) { return }
    }

    /// Adds the conditions of a way; returns false and changes nothing if they do not agree with the others.
    mutating func add(_ way: [Condition]) -> Bool {
        var before: [Int: Domain] = [:]
        for condition in way {
            for name in condition.columns {
                guard let place = plan.places[name] else { continue }
                before[place] = before[place] ?? domains[place]
                if case .order = condition { continue }
                if case .unknown = condition { continue }
                if domains[place].add(condition, affinity: plan.columns[place].affinity),
                    domains[place].isNull != true || !plan.columns[place].isNotNull
                {
                    continue
                }
                for (place, domain) in before { domains[place] = domain }
                return false
            }
        }
        for case .order(let a, let comparison, let b) in way {
            guard let a = plan.places[a], let b = plan.places[b] else { continue }
            orders.append(.init(a: a, comparison: comparison, b: b))
        }
        return true
    }
}
