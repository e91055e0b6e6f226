import DrydockFindings
import DrydockState
import SQLiteSchema

/// `duplicate-index`: an index that holds exactly what another one, or a key, holds.
struct DuplicateIndexRule: LintRule {
    let rule = Rule.duplicateIndex
    let severity: Finding.Severity? = .warning

    func check(_ end: LintEnd) -> [LintFault] {
        IndexCover.covers(in: end.schema).filter(\.isWhole).compactMap { cover in
            cover.fault(end) { name, other in
                "index \(name) holds what \(other) holds already"
            } help: {
                "Drop it:\n" + proposed("DROP INDEX \(quotedIfNeeded($0));")
            }
        }
    }
}

extension IndexCover {
    /// The fault at the statement that made the unneeded index or, where that is none of what is linted, the one that
    /// makes it unneeded.
    func fault(
        _ end: LintEnd, message: (_ name: String, _ other: String) -> String, help: (_ name: String) -> String
    ) -> LintFault? {
        let (name, table) = (index.name, index.table)
        if let found = end.fault("index", name, nil, message(name, other), help: help(name), table: table) {
            return found
        }
        guard let newer = otherIndex else { return nil }
        // Of two that are the same the newer one is not needed.
        if isWhole, newer.isUnique == index.isUnique {
            return end.fault(
                "index", newer.name, nil, message(newer.name, "index \(name)"), help: help(newer.name),
                table: table)
        }
        return end.fault(
            "index", newer.name, nil, message(name, other) + " from here on", help: help(name), table: table)
    }
}
