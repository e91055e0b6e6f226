import Drydock

/// The summary at the end of a report: the verdict, what was found, and what was looked at.
struct SummaryText {
    let report: Report
    let options: RenderOptions

    var text: String {
        let paint = options.paint
        // The tool whose behaviour was followed, if it is not Drydock.
        let tool = report.tools.flatMap { $0 == "drydock" ? nil : " as \($0)" } ?? ""
        var word = report.hasPassed ? "passed" : "failed"
        let facts: [String]
        switch report.body {
        case .verify(let verify): facts = VerifyText(verify: verify).facts(tool: tool)
        case .lint(let lint): facts = LintText(lint: lint, options: options).facts(tool: tool)
        case .lock(let lock): facts = LockText(lock: lock, options: options).facts
        case .migrate(let migrate):
            facts = migrate.replays.isEmpty ? [] : ReplayFacts(migrate.replays).all(tool: tool)
            word = migrate.result(hasPassed: report.hasPassed)
        case .health(let health):
            facts = [HealthFleetText(report: report, options: options).databases(health)]
        case .rollOut(let rollOut):
            facts = [counted(rollOut.databases.count, "database")]
            word = rollOut.result
        case .vacuums(let vacuums):
            facts = [counted(vacuums.databases.count, "database")]
            word = vacuums.result
        case .diff, .vacuum: facts = []
        }
        let found = report.foundMigrations.map { ["migrations found in \($0)"] } ?? []
        let gaps =
            report.notChecked.isEmpty ? [] : ["\(report.notChecked.byReason.count) not checked"]
        let severities = report.findingGroups.map { $0.findings[0].severity }
        let counts = Finding.Severity.allCases.reversed().compactMap { severity -> String? in
            let count = severities.count { $0 == severity }
            guard count > 0 else { return nil }
            let hint =
                severity == .note && !options.isVerbose ? " (-v shows \(count == 1 ? "it" : "them"))" : ""
            return counted(count, severity.rawValue) + hint
        }
        let verdict = report.hasPassed ? paint.green(word) : paint.red(word)
        return "\(verdict)\(counts.isEmpty ? "" : " with " + counts.joined(separator: ", ")): "
            + (facts + found + gaps + [elapsed(report.seconds)]).joined(separator: ", ") + "\n"
            + claim
    }

    /// How much a run of `drydock verify` proves, if that is little.
    private var claim: String {
        guard case .verify(let verify) = report.body else { return "" }
        let claim = VerifyText(verify: verify).claim(report)
        return claim.isEmpty ? "" : options.paint.dim(claim) + "\n"
    }
}
