import Drydock

/// Returns a time in milliseconds or seconds, as texts for people show it.
func elapsed(_ seconds: Double) -> String {
    if seconds < 0.0995 { return "\(max(0.1, (seconds * 10_000).rounded() / 10)) ms" }
    return "\((seconds * 100).rounded() / 100) s"
}

/// Returns a few names, and how many more there are.
func firstFew(_ names: [String]) -> String {
    let limit = names.count > 6 ? 4 : names.count
    return names.prefix(limit).joined(separator: ", ")
        + (names.count > limit ? " and \(names.count - limit) more" : "")
}

extension Finding {
    /// The severity and the rule, as a finding's text begins.
    var label: String { "\(severity.rawValue)[\(rule.rawValue)]" }
}

extension Paint {
    /// Returns a finding's label in the colour of its severity.
    func label(_ finding: Finding) -> String {
        switch finding.severity {
        case .error: red(finding.label)
        case .warning: yellow(finding.label)
        case .note: cyan(finding.label)
        }
    }
}

extension RenderOptions {
    var paint: Paint { Paint(usesColor) }
}

extension Report {
    /// Returns which part of a run the report is, if it is not of the whole.
    package func shardLine(_ options: RenderOptions) -> String {
        guard let part, !options.isQuiet else { return "" }
        return part.line
    }
}

extension ReportPart {
    /// Which shard it is, in a line.
    var line: String {
        "shard \(shard) of \(shards): \(databases.count) of "
            + "\(counted(listCount, "database")); 'drydock merge' combines all shards into one report\n"
    }
}
