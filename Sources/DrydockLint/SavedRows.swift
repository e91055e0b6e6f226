import DrydockFindings
import DrydockMigrations
import DrydockState
import SQLiteSchema

/// Finds where the rows are that a migration copies out of a table before it drops or empties the table.
///
/// A copy counts if it exists when the migration ends, or was copied further before it went: a temporary table goes,
/// and so does one that a later statement drops or empties.
struct SavedRows {
    enum Holding {
        case none
        /// Only one copy is left, and it has only some of the rows.
        case some(SQLStatement)
        case whole
    }

    private let statements: [SQLStatement]
    /// Every statement that copies rows, in order.
    private let copies: [Copy]
    /// The table that has the rows of each copy when the migration ends, by the copy's position.
    private var ends: [Int: String] = [:]

    private struct Copy {
        var place: Int
        var sources: Set<String>
        var target: String
        var isTemporary: Bool
    }

    init(_ migration: Migration) {
        statements = migration.statements
        var temporaries: Set<String> = []
        var copies: [Copy] = []
        for (place, statement) in statements.enumerated() {
            let action = statement.action
            if case .createTable(let name, temporary: true, _) = action { temporaries.insert(name.folded) }
            if case .dropTable(let name) = action { temporaries.remove(name.folded) }
            let (target, source): (QualifiedName, CopySource?)
            switch action {
            case .insert(let name, _, let copy): (target, source) = (name, copy)
            case .createTable(let name, _, true): (target, source) = (name, statement.tableSource)
            default: continue
            }
            guard let source, !source.tables.isEmpty else { continue }
            copies.append(
                Copy(
                    place: place, sources: Set(source.tables.map(\.foldedASCII)), target: target.folded,
                    isTemporary: !target.isMain || temporaries.contains(target.folded)))
        }
        self.copies = copies
        // In reverse order, since each may be copied further.
        for copy in copies.reversed() { ends[copy.place] = end(of: copy) }
    }

    /// Returns what is kept of a table's rows, by its name at a statement.
    func holding(_ name: String, at place: Int) -> Holding {
        var (name, found): (String, [(copy: Copy, source: String)]) = (name.foldedASCII, [])
        let first = name
        for earlier in (0..<place).reversed() {
            if case .renameTable(let from, let to) = statements[earlier].action, to.foldedASCII == name {
                name = from.folded
            }
            if let copy = copies.first(where: { $0.place == earlier }), copy.sources.contains(name),
                copy.target != name
            {
                found.append((copy, name))
            }
        }
        let kept = found.filter { ends[$0.copy.place] != nil }
        guard let only = kept.first else { return .none }
        // A table that takes the old one's name is a rebuild, and its copy is checked there.
        let isRebuild = [first, name].contains { name in kept.contains { ends[$0.copy.place] == name } }
        let statement = statements[only.copy.place]
        let isPartial = statement.takesSome(of: only.source)
        return kept.count == 1 && isPartial && !isRebuild ? .some(statement) : .whole
    }

    /// Whether a statement copies rows, none of which exist at the end.
    func isLost(_ place: Int) -> Bool { copies.contains { $0.place == place } && ends[place] == nil }

    /// Returns the name of the table that has the copied rows when the migration ends; nil where there is none.
    private func end(of copy: Copy) -> String? {
        var name = copy.target
        var next: String?
        for place in statements.indices.dropFirst(copy.place + 1) {
            switch statements[place].action {
            case .renameTable(let from, let to) where from.folded == name: name = to.foldedASCII
            case .dropTable(let dropped) where dropped.folded == name: return next
            case .delete(let emptied)
            where emptied.folded == name && statements[place].outermost("where") == nil:
                return next
            case .insert, .createTable:
                if let copy = copies.first(where: { $0.place == place }), copy.sources.contains(name),
                    copy.target != name
                {
                    next = next ?? ends[place]
                }
            default: break
            }
        }
        return copy.isTemporary ? next : name
    }
}
