import Drydock

extension Report {
    /// The report of lint where the project's own command runs the migrations.
    static func notLinted(_ command: ProjectCommand) -> Report {
        var report = Report(.lint(LintSummary(migrations: 0, statements: 0)))
        report.notChecked = [
            NotChecked(
                .nothingVerified,
                .unsupported(
                    "'\(command.command)' runs the migrations, which lint cannot read; 'drydock verify' runs it on copies "
                        + "of the snapshots"))
        ]
        return report
    }
}
