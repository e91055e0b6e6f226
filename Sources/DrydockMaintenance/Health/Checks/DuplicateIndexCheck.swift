import DrydockFindings
import DrydockState

/// The check `duplicate-index`: an index that another index or a key makes redundant.
struct DuplicateIndexCheck: HealthCheck {
    let text = HealthCheckText(
        .duplicateIndex, "an index repeats another one, or is the beginning of it",
        why: "It costs space, and time on every write, and helps no query that the other does not.")

    func check(_ view: HealthView) throws -> HealthResult {
        HealthResult(view.facts.duplicateIndexes.value { findings(view) })
    }

    private func findings(_ view: HealthView) -> [Finding] {
        IndexCover.covers(in: view.schema).map { cover in
            let (name, table) = (cover.index.name, cover.index.table)
            return finding(
                cover.isWhole ? .warning : .note,
                cover.isWhole
                    ? "index \(name) of \(table) repeats \(cover.other)"
                    : "index \(name) of \(table) is the beginning of \(cover.other)",
                help: "Drop it: DROP INDEX \(quotedIfNeeded(name));", table: table, object: name)
        }
    }
}
