import DrydockFindings
import DrydockConservation
import DrydockState
import DatabaseEngine

/// What the changed values of a column have in common: how many can be recovered from the new values.
struct ChangeSummary {
    private struct Part {
        var count: Int
        var before: Evidence.Sample
        var after: Evidence.Sample
    }

    private var parts: [ValueChange: Part] = [:]
    private let total: Int

    init(_ changes: TableDifference.Changes, sample: (SQLValue) -> Evidence.Sample) {
        total = changes.count
        for kind in ValueChange.allCases {
            let (count, example) = changes[kind]
            guard let example else { continue }
            parts[kind] = Part(count: count, before: sample(example.before), after: sample(example.after))
        }
    }

    /// What happened to the values that fared worst.
    var gravest: ValueChange? { ValueChange.allCases.first { parts[$0] != nil } }

    /// What follows "T.C changed in 100 rows": empty where there is one kind of change, shown by its rows.
    var sentence: Sentence {
        guard parts.count > 1 else { return "" }
        let sentences = [ValueChange.converted, .filled, .replaced].compactMap { kind -> Sentence? in
            guard let part = parts[kind] else { return nil }
            let verb = part.count == 1 ? "was" : "were"
            let change: Sentence = "\(part.before.sentence) to \(part.after.sentence)"
            switch kind {
            case .converted: return "\(part.count) only changed storage class (\(change))"
            case .filled: return "\(part.count) \(verb) NULL (now \(part.after.sentence))"
            case .replaced: return "\(part.count) \(verb) replaced (\(change))"
            }
        }
        return ": " + sentences.joined(separator: ", ")
    }

    func help(column: String, declaration: String) -> Help {
        guard let replaced = parts[.replaced], parts.count > 1 else {
            return remedy("the new values are intended", declaration)
        }
        let others = total - replaced.count
        let it = replaced.count == 1 ? "value" : "values"
        var advice =
            "\(replaced.count) old \(it) cannot be recovered from the new \(replaced.count == 1 ? "one" : "ones"). Change only the \(others == 1 ? "other" : "others")"
        if let condition = Self.condition(column, parts[.converted], besides: replaced) {
            advice += ", by this condition in WHERE or CASE:\n  \(condition)\n"
        } else {
            advice += ", or keep the old \(it) in a column of \(replaced.count == 1 ? "its" : "their") own.\n"
        }
        return Help(advice)
            + remedy(
                "every new value is intended", declaration,
                else: "That allows the loss of the \(replaced.count) replaced \(it) too.")
    }

    /// Returns a condition for the values that a conversion recovers; nil where the replaced values were not converted in
    /// the same way, so that no single statement explains both.
    private static func condition(_ column: String, _ converted: Part?, besides replaced: Part) -> String? {
        guard let converted, converted.before.storageClass == replaced.before.storageClass,
            converted.after.storageClass == replaced.after.storageClass
        else { return nil }
        let name = quotedIfNeeded(column)
        let (old, new) = (
            converted.before.storageClass.uppercased(), converted.after.storageClass.uppercased()
        )
        return "CAST(CAST(\(name) AS \(new)) AS \(old)) = \(name)"
    }
}
