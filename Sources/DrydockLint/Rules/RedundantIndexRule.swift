import DrydockFindings
import DrydockState
import SQLiteSchema

/// `redundant-index`: an index that is a prefix of another index.
struct RedundantIndexRule: LintRule {
    let rule = Rule.redundantIndex
    let severity: Finding.Severity? = .note

    func check(_ end: LintEnd) -> [LintFault] {
        IndexCover.covers(in: end.schema).filter { !$0.isWhole }.compactMap { cover in
            cover.fault(end) { name, other in
                "index \(name) is the beginning of \(other)"
            } help: {
                "If no query needs the narrower one, drop it:\n"
                    + proposed("DROP INDEX \(quotedIfNeeded($0));")
            }
        }
    }
}
