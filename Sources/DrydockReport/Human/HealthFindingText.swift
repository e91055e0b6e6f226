import Drydock

/// The text of a finding of `drydock health`: short, since a database may have many.
struct HealthFindingText {
    let options: RenderOptions

    private var paint: Paint { options.paint }

    func block(_ finding: Finding) -> String {
        "  \(paint.label(finding)) \(paint.bold(finding.message))\n"
            + evidence(finding) + help(finding)
    }

    func help(_ finding: Finding) -> String {
        let lines = finding.help.split(separator: "\n", omittingEmptySubsequences: false)
        return "    \(paint.dim("help:")) " + lines.joined(separator: "\n          ") + "\n"
    }

    func evidence(_ finding: Finding) -> String {
        guard let evidence = finding.evidence else { return "" }
        let rows = evidence.rows.map { row in
            row.key.map { "\($0.column) = \($0.value.literal)" }.joined(separator: ", ")
        }
        let limit = options.isVerbose ? .max : Evidence.rowLimit
        let lines = rows + evidence.details.prefix(limit)
        var text = lines.map { "      \($0)\n" }.joined()
        if let count = evidence.rowCount, !lines.isEmpty, count > lines.count {
            text += paint.dim("      … and \(count - lines.count) more") + "\n"
        }
        return text
    }
}
