import Drydock
import SQLiteSchema

/// The text of what shows that a finding is true: rows, what SQLite or a program said, and generated rows to be pasted.
struct EvidenceText {
    let options: RenderOptions

    private var paint: Paint { options.paint }

    func text(_ finding: Finding) -> String { rows(finding) + counterexample(finding) }

    private func rows(_ finding: Finding) -> String {
        guard let evidence = finding.evidence else { return "" }
        var text = ""
        for row in evidence.rows {
            let key = row.key.map { "\($0.column) = \($0.value.literal)" }.joined(separator: ", ")
            var line = "    " + key
            if row.before != nil || row.after != nil {
                let (before, after) = (
                    row.before?.text(options) ?? "nothing", row.after?.text(options) ?? "nothing"
                )
                line += "\(key.isEmpty ? "" : ":  ")\(before) → \(after)" + classNote(row)
            }
            if let values = row.values, !values.isEmpty {
                let cells = values.map { "\($0.column) = \($0.value.text(options))" }
                line += "\(key.isEmpty ? "" : ":  ")\(cells.joined(separator: ", "))"
            }
            text += line + "\n"
        }
        if let count = evidence.rowCount, !evidence.rows.isEmpty, count > evidence.rows.count {
            text += paint.dim("    … and \(count - evidence.rows.count) more") + "\n"
        }
        if options.redacts, evidence.areDetailsData == true, !evidence.details.isEmpty {
            let count = counted(evidence.details.count, "line")
            return text + paint.dim("    \(count) of output not shown (--no-redact shows them)") + "\n"
        }
        let shown = options.isVerbose ? .max : 5
        // Of what a program printed, the end says why it stopped.
        let details =
            evidence.areDetailsData == true ? evidence.details.suffix(shown) : evidence.details.prefix(shown)
        for detail in details { text += "    \(detail)\n" }
        if evidence.details.count > details.count {
            text +=
                paint.dim("    … and \(evidence.details.count - details.count) more (-v shows them)") + "\n"
        }
        return text
    }

    /// Returns a note if the values look the same but differ in storage class.
    private func classNote(_ row: Evidence.Row) -> String {
        guard let before = row.before, let after = row.after, before.storageClass != after.storageClass else {
            return ""
        }
        return "  (\(before.storageClass) → \(after.storageClass))"
    }

    /// Returns the rows on which generated data shows the finding, to be pasted.
    private func counterexample(_ finding: Finding) -> String {
        guard let example = finding.counterexample else { return "" }
        guard !example.inserts.isEmpty else {
            return "  \(paint.dim("rows:")) none: it happens with empty tables\n"
        }
        let limit = options.isVerbose ? Int.max : 12
        let shown = example.shownInserts.prefix(limit)
        var lines = shown.map(VisibleText.line)
        if zip(shown, example.inserts).contains(where: { $0 != $1 + ";" }) {
            lines.append(paint.dim("(long values are shortened: --report sql=FOLDER writes them completely)"))
        }
        if example.inserts.count > limit {
            lines.append(paint.dim("… and \(example.inserts.count - limit) more (-v shows them)"))
        }
        if !example.isSmallest {
            lines.append(paint.dim("(the smallest of \(example.tried) sets that were tried)"))
        }
        return "  \(paint.dim("rows:")) " + lines.joined(separator: "\n        ") + "\n"
    }
}

extension Counterexample {
    /// The INSERT statements as they are shown, each ending in a semicolon: long values are cut short, as in evidence.
    var shownInserts: [String] { inserts.map { Self.shown($0) + ";" } }

    private static func shown(_ insert: String) -> String {
        let source = SQLSource(name: "", insert)
        return source.tokens().map { token in
            let text = token.text(in: source)
            switch token.kind {
            case .string:
                guard let value = token.stringValue(in: source), value.count > Evidence.Sample.textLimit
                else {
                    return text
                }
                return quotedText(value.prefix(Evidence.Sample.textLimit) + "…")
            case .blob:
                // Two digits for a byte, after x'.
                let digits = 2 * Evidence.Sample.blobLimit
                return text.utf8.count > digits + 3 ? text.prefix(digits + 2) + "…'" : text
            default: return text
            }
        }.joined()
    }
}
