import Drydock
import SQLiteSchema

/// How the rows of generated data are shown.
extension HumanRenderer {
    /// Returns the rows on which generated data shows the finding, to be pasted.
    func counterexample(_ finding: Finding, _ options: RenderOptions, _ paint: Paint) -> String {
        guard let example = finding.counterexample else { return "" }
        guard !example.inserts.isEmpty else {
            return "  \(paint.dim("rows:")) none: it happens with empty tables\n"
        }
        let limit = options.isVerbose ? Int.max : 12
        let shown = example.shownInserts.prefix(limit)
        var lines = shown.map(VisibleText.line)
        if zip(shown, example.inserts).contains(where: { $0 != $1 + ";" }) {
            lines.append(paint.dim("(long values are cut short: --report sql=FOLDER writes them whole)"))
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
