import DrydockFindings
import DrydockMigrations
import DrydockState
import SQLiteSchema

/// `table-dropped` for a full-text index of another table's text: no row is lost with it, but searches over it fail. It
/// is not reported where another new index has the same text, or where the text is gone too.
struct SearchIndexDroppedRule: StepRule {
    func check(_ step: StepView, _ declarations: inout DeclarationUse) -> [StepFinding] {
        let existing = Set(step.before.catalog.tables.values.map(\.name.foldedASCII))
        return step.before.catalog.searchIndexes.compactMap { table, content in
            guard let text = home(of: content, in: step) else { return nil }
            let search = Search(index: table.name, existing: existing)
            guard !search.works(on: [content, text], in: step.after.catalog) else { return nil }
            let folded = table.name.foldedASCII
            let isDeclared = declarations.covers {
                if case .dropsTable(let name) = $0 { name.foldedASCII == folded } else { false }
            }
            guard !isDeclared else { return nil }
            return StepFinding(
                finding(table, text, in: step),
                stands: { end, lastName in
                    guard let last = lastName(text),
                        end.catalog.table(last) != nil || end.catalog.view(last) != nil
                    else { return false }
                    return !search.works(on: [content, text, last], in: end.catalog)
                })
        }
    }

    private func finding(_ table: Catalog.Table, _ text: String, in step: StepView) -> Finding {
        let name = quotedIfNeeded(table.name)
        let hasNewOwner =
            step.after.catalog.table(table.name) != nil || step.after.catalog.view(table.name) != nil
        let fact =
            hasNewOwner
            ? "\(table.name) is no longer a full-text index of \(text), and MATCH on it fails"
            : "full-text index \(table.name) is gone, and searches over it fail; its text remains in \(text)"
        let remake =
            hasNewOwner
            ? "If searches still use it, rename what now has its name, and create the index again."
            : "If searches still use it, create it again at the end of the migration:\n"
                + proposed("\(table.text);\nINSERT INTO \(name)(\(name)) VALUES('rebuild');")
        return Finding(
            .tableDropped, .warning, fact,
            help: Help(remake + "\n") + remedy("nothing searches it any more", "drops table \(name)"),
            place: step.statement(at: step.lineage.dropStatement(ofTable: table.name)).map { .init($0) },
            table: table.name, evidence: Evidence(rowCount: 0))
    }

    /// Returns the present name of the table or view that has the text; nil if it is gone.
    private func home(of content: String, in step: StepView) -> String? {
        let kept = step.conservation.kept.first { $0.match.before.name.foldedASCII == content.foldedASCII }
        return kept?.match.after.name ?? step.after.catalog.table(content)?.name
            ?? step.after.catalog.view(content)
    }
}

/// A search over a full-text index that was dropped.
private struct Search: Sendable {
    let index: String
    /// The tables before the step, folded: an index among them served other searches.
    let existing: Set<String>

    /// Whether an index of the dropped one's name can be searched, or a new one has its text.
    func works(on contents: [String], in catalog: Catalog) -> Bool {
        let contents = contents.map(\.foldedASCII)
        return catalog.table(index)?.isFullText == true
            || catalog.searchIndexes.contains { other, content in
                !existing.contains(other.name.foldedASCII) && contents.contains(content.foldedASCII)
            }
    }
}

extension Catalog {
    /// The full-text indexes of other tables' text, with the names of these, in order.
    fileprivate var searchIndexes: [(index: Table, content: String)] {
        tables.values.filter(\.isFullText).sorted { $0.name < $1.name }.compactMap { table in
            guard case .derived = table.kind, let content = table.virtual?.content else { return nil }
            return (table, content)
        }
    }

    fileprivate func view(_ name: String) -> String? { objects[.init(.view, name)]?.name }
}
