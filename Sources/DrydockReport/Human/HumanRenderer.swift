import Drydock
import SQLiteSchema

/// Renders for people: findings grouped by cause, each with its place, the line, why it matters and the declaration for
/// an intended change; then a summary line. What a command shows of its own is in the text of its name, such as
/// `HealthText`.
package struct HumanRenderer: ReportRenderer {
    package let name = "human"
    package let isForPeople = true

    package init() {}

    package func render(_ report: Report, _ options: RenderOptions) -> String {
        let report = report.visible
        switch report.body {
        case .health(let health):
            return HealthText(health: health, report: report, options: options).text
                + report.shardLine(options)
        case .diff(let diff): return DiffText(diff: diff, options: options).text
        case .vacuum(let vacuum):
            return VacuumText(vacuum: vacuum, seconds: report.seconds, options: options).text
        case .vacuums(let vacuums):
            return FleetVacuumText(options: options).text(vacuums, seconds: report.seconds)
                + report.shardLine(options)
        case .verify, .lint, .lock, .migrate, .rollOut: break
        }
        // A line of `ReplayLines` has them if it is to be verbose.
        let showsSteps = if case .migrate = report.body { !options.isVerbose } else { false }
        let lines = options.isQuiet ? "" : ReplayLines(options: options).text(report, showsSteps: showsSteps)
        return lines + body(report, options)
    }

    /// Returns everything that follows the lines of the snapshots.
    package func body(_ report: Report, _ options: RenderOptions) -> String {
        let report = report.visible
        var text = FindingsText(options: options, names: SnapshotNames(report)).text(report)
        var followsLines = true
        switch report.body {
        case .verify: break
        case .lint(let lint):
            text += LintText(lint: lint, options: options).fixes
            followsLines = false
        case .lock(let lock): text += LockText(lock: lock, options: options).changes
        case .migrate(let migrate):
            text += MigrateText(migrate: migrate, options: options).cost
            followsLines = migrate.outcome != .pending
        case .rollOut(let rollOut): text += RollOutText(rollOut: rollOut, options: options).progress
        case .health, .diff, .vacuum, .vacuums: break
        }
        guard !(options.isQuiet && report.hasPassed) else { return text }
        if !followsLines, text.hasPrefix("\n") { text.removeFirst() }
        return text + (report.replays.isEmpty && text.isEmpty ? "" : "\n")
            + SummaryText(report: report, options: options).text + report.shardLine(options)
    }
}
