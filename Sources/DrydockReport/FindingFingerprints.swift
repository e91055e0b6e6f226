import Drydock
import SQLiteSchema

/// What tells findings apart from run to run: the rule, the file, what it is about and the tokens of the statement, but no
/// line, no count of rows and no comment, so that a finding stays the same one while the file around it changes.
struct FindingFingerprints {
    private var counts: [String: Int] = [:]
    private let paths: SourcePaths

    init(_ paths: SourcePaths) { self.paths = paths }

    /// Returns the fingerprint of the next finding: 64 hexadecimal digits. The second of two that agree in everything
    /// gets another one.
    mutating func next(_ finding: Finding) -> String {
        var parts = [finding.rule.rawValue]
        parts.append(finding.place.map { paths.path($0.file) } ?? "")
        parts += [finding.migration, finding.table, finding.column, finding.object].map { $0 ?? "" }
        parts.append(finding.database.map(paths.path) ?? "")
        if finding.migration == nil, finding.place == nil {
            parts.append(finding.snapshot.map(paths.path) ?? "")
            // Counts in it change with the rows.
            let fact = finding.sentence.redacted ?? finding.fact ?? finding.message
            parts.append(fact.filter { !$0.isNumber })
        }
        if let place = finding.place, !place.quotesData {
            parts.append(Self.tokens(place.statement ?? place.lineText ?? ""))
        }
        return next(parts)
    }

    /// Returns the fingerprint of what findings have in common: the same whichever databases have it.
    mutating func next(_ group: FindingGroup) -> String {
        guard group.isOfDatabases else { return next(group.findings[0]) }
        let finding = group.findings[0]
        let parts = [finding.table, finding.column, finding.object].map { $0 ?? "" }
        return next(["databases", finding.rule.rawValue] + parts + [finding.help])
    }

    /// Returns the fingerprint of something that was not checked.
    mutating func next(_ entry: NotChecked) -> String {
        let places = [entry.snapshot, entry.database].map { $0.map(paths.path) ?? "" }
        return next(["not checked", entry.rule.rawValue, entry.table ?? ""] + places)
    }

    private mutating func next(_ parts: [String]) -> String {
        let key = parts.map { "\($0.utf8.count):\($0)" }.joined()
        counts[key, default: 0] += 1
        return hexDigest(of: key + "\(counts[key, default: 0])")
    }

    private static func tokens(_ sql: String) -> String {
        let source = SQLSource(name: "", sql)
        return source.tokens().filter(\.isSignificant).map { $0.text(in: source) }.joined(separator: "\u{0}")
    }
}
