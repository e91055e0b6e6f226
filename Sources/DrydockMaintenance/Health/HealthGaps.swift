import DrydockFindings
import SQLiteSchema

/// A database that was not checked is not healthy.
extension CheckedDatabase {
    /// Adds an error if damage stopped a check, and a warning for each check without which no database is called healthy
    /// and for each that the database stopped. If the run checked nothing, says instead that the state of the database is
    /// unknown.
    mutating func addGaps(asked checks: [any HealthCheck]) {
        guard health.trouble == nil else { return }
        addDamage()
        let hasErrors = findings.contains { $0.severity == .error }
        if !hasErrors, health.checked.isEmpty, findings.isEmpty, notReached.allSatisfy({ $0.table == nil }) {
            let reason = notReached.first.map { ": \($0.reason)" } ?? ", since every check is left out"
            health.trouble = "nothing of '\(health.path)' was checked\(reason)"
            return
        }
        for check in checks {
            let gaps = notReached.filter { gap in
                let isStopped = gap.cause == .database && gap.table == nil
                return gap.rule == check.text.rule && gap.cause != .wholeFile && (check.isVital || isStopped)
            }
            for isOfRun in [true, false] {
                let same = gaps.filter { $0.cause.isOfRun == isOfRun }
                guard !same.isEmpty else { continue }
                var gap = Self.gap(check, same)
                guard hasErrors else {
                    findings.append(gap)
                    continue
                }
                if !gap.tags.contains(.ofRun) { gap.tags.append(.ofRun) }
                gapsBehindErrors.append(gap)
            }
        }
    }

    /// Adds the damage that stopped checks, if no check has found any: the one that looks for it may have been left out.
    private mutating func addDamage() {
        let stops = notReached.filter(\.isDamage)
        guard let first = stops.first, !findings.contains(where: { $0.tags.contains(.damage) }) else {
            return
        }
        let names = Set(stops.map(\.rule.rawValue)).sorted()
        let what = names.count == 1 ? names[0] : "\(names.count) checks"
        findings.append(
            IntegrityHealthCheck().damage(
                "the file is damaged, and \(what) stopped at it: \(first.reason)", help: HealthHelp.damaged,
                evidence: Evidence(
                    rowCount: stops.count,
                    details: names.count == 1 ? [] : stops.map { "\($0.rule.rawValue): \($0.reason)" })))
    }

    private static func gap(_ check: any HealthCheck, _ gaps: [NotReached]) -> Finding {
        let isOfRun = gaps[0].cause.isOfRun
        let tables = Set(gaps.compactMap(\.table)).sorted()
        let reasons = Set(gaps.map(\.reason)).sorted()
        let reason = reasons.count == 1 ? reasons[0] : "\(reasons.count) reasons"
        let what =
            tables.isEmpty
            ? "was not checked" : "was not checked in all of \(shortList(tables.map(quotedIfNeeded)))"
        var details = gaps.map { ($0.table.map { "\(quotedIfNeeded($0)): " } ?? "") + $0.reason }
        if reasons.count == 1, tables.count <= 3 { details = [] }
        var finding = check.finding(
            .warning, "\(check.text.name) \(what): \(reason)", help: isOfRun ? runHelp : databaseHelp,
            evidence: Evidence(rowCount: gaps.count, details: details))
        finding.tags = isOfRun ? [.notChecked, .ofRun] : [.notChecked]
        return finding
    }

    private static func shortList(_ names: [String]) -> String {
        names.prefix(3).joined(separator: ", ") + (names.count > 3 ? ", …" : "")
    }

    private static let runHelp = """
        Until it is checked, nobody knows whether the database is healthy. Give the run more time with --budget, or have
        the next one continue from here with --continue FILE. If other programs write constantly, a longer --slice or a
        copy helps:
          sqlite3 DATABASE ".backup COPY"
        """

    private static let databaseHelp = """
        Until it is checked, nobody knows whether this part is healthy. If it needs something that only the program has, such as a
        function, a collation or a module, check it there with PRAGMA integrity_check, and record it as known with
        --accept.
        """
}
