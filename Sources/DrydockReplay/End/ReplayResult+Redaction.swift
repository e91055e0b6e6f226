import DrydockFindings

extension ReplayResult {
    /// The same without the values of rows, as reports show it where values are hidden.
    package var redacted: ReplayResult {
        var result = self
        result.findings = findings.map(\.redacted)
        result.migrationFindings = migrationFindings.map(\.redacted)
        return result
    }
}
