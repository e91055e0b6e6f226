import DrydockFindings
import SQLiteSchema

/// Values that only changed their storage class because their column has another type: SQLite takes any word for a type,
/// and some that look like text make numbers of it (https://www.sqlite.org/datatype3.html#determination_of_column_affinity).
struct AffinityCause {
    private let column: Column
    private let old: Column
    private let affinity: Affinity
    private let wasText: Bool

    init?(_ finding: Finding, _ name: String, from old: Table, to new: Table) {
        guard let old = old.column(name).map({ ($0, old.affinity(of: $0)) }), let column = new.column(name),
            let evidence = finding.evidence, !evidence.rows.isEmpty
        else { return nil }
        (self.old, self.column) = (old.0, column)
        affinity = new.affinity(of: column)
        guard old.1 != affinity else { return nil }
        let classes = evidence.rows.compactMap { row in
            row.before.flatMap { old in row.after.map { (old.storageClass, $0.storageClass) } }
        }
        let numbers = ["integer", "real"]
        wasText = classes.allSatisfy { $0.0 == "text" }
        let makesNumbers = affinity != .text && affinity != .blob
        let isConverted = classes.allSatisfy { before, after in
            makesNumbers
                ? before == "text" && numbers.contains(after)
                    || numbers.contains(before) && numbers.contains(after)
                : affinity == .text && numbers.contains(before) && after == "text"
        }
        guard !classes.isEmpty, isConverted else { return nil }
    }

    private var type: String { column.declaredType.isEmpty ? "without a type" : column.declaredType }

    var cause: String {
        let name = affinity.rawValue.uppercased()
        let effect =
            affinity == .text ? "turns numbers into text" : "turns text that looks like a number into numbers"
        return column.declaredType.foldedASCII == name.foldedASCII
            ? "\(column.name) is declared \(type) now, which \(effect)"
            : "\(column.name) is declared \(type), which SQLite reads as \(name) and so \(effect)"
    }

    var help: Help {
        let better = wasText ? "TEXT" : old.declaredType
        return Help(
            better.isEmpty
                ? "Declare \(quotedIfNeeded(column.name)) without a type, as it was, to keep each value as it is."
                : "Declare \(quotedIfNeeded(column.name)) \(better), to keep each value as it is.")
    }
}
