@testable import DrydockTestSupport

/// Searches for a smaller case with the same failure: without operations, rows, tables, indexes and triggers.
struct Shrinker {
    let seed: UInt64
    let fault: OracleCheck.Fault

    /// Returns the smallest case as a script, with what was reported.
    func smallest() async -> String {
        var limits = CaseGenerator.Limits()
        let count = (try? CaseGenerator(seed: seed))?.operationCount ?? 0
        for operation in 1...max(1, count) {
            await use(&limits) { $0.skipped.insert(operation) }
        }
        for rows in [0, 1, 2, 4] where rows < limits.rows {
            if await use(&limits, { $0.rows = rows }) { break }
        }
        for tables in 1...3 { if await use(&limits, { $0.tables = tables }) { break } }
        await use(&limits) { $0.hasDependents = false }
        guard let check = try? OracleCheck(seed: seed, limits: limits), let faults = try? await check.faults()
        else {
            return "seed \(seed)"
        }
        return await check.text(faults)
    }

    @discardableResult
    private func use(
        _ limits: inout CaseGenerator.Limits, _ change: (inout CaseGenerator.Limits) -> Void
    ) async -> Bool {
        var less = limits
        change(&less)
        guard let faults = try? await OracleCheck(seed: seed, limits: less).faults(),
            faults.contains(where: { $0.kind == fault.kind && $0.what == fault.what })
        else { return false }
        limits = less
        return true
    }
}
