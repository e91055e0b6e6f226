import DatabaseEngine
import DrydockConservation
import DrydockFindings
import DrydockMigrations
import DrydockState
import SQLiteSchema

/// Finds out why rows reference parents that do not exist: from what a migration's statements do to parent and child,
/// and from the rows before and after them.
struct ForeignKeyDiagnosis {
    /// What the replay knows of the cause.
    package struct Finding: Sendable {
        /// Completes "2 rows of child (parent_id) reference no row of parent: ...".
        var cause: String
        /// What to do about this cause.
        var help: Help
        /// The statement that the cause names, where it need not be the one after which the rows had no parent.
        var statement: Int?
    }

    let connection: any Connection
    /// The schema names under which the connection has the states before and after.
    let (old, new): (String, String)
    let (before, after): (Catalog, Catalog)
    let migration: Migration
    let lineage: TableLineage
    /// The match of each table by its name after the step.
    let pairs: [String: TableMatch]

    init(
        connection: any Connection, old: String, new: String, before: Catalog, after: Catalog,
        migration: Migration, upTo end: Int? = nil
    ) {
        self.connection = connection
        (self.old, self.new, self.before, self.after) = (old, new, before, after)
        var migration = migration
        // The statements that ran, including the one that failed but none after it.
        if let end { migration.statements = Array(migration.statements.prefix(end + 1)) }
        self.migration = migration
        lineage = TableLineage(before, statements: migration.statements)
        let match = SchemaMatch(before: before, after: after, lineage: lineage, declarations: [])
        pairs = Dictionary(
            match.pairs.map { ($0.after.name.foldedASCII, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// - Parameters:
    ///   - id: the id of a fault that ``ForeignKeyRule`` found.
    ///   - culprit: the statement after which the fault existed.
    /// - Returns: nil where nothing is known beyond the fault itself.
    /// - Throws: ``EngineError``.
    package func finding(of id: Fault.ID, culprit: Int?) throws -> Finding? {
        guard let name = id.names.first, let child = after.table(name) else { return nil }
        guard id.kind != ForeignKeyRule.mismatch, id.names.count > 1 else {
            return try unenforceable(child, culprit)
        }
        let keys = child.foreignKeys.filter { $0.parent.foldedASCII == id.names[1] }
        guard let parent = after.table(id.names[1]) else {
            return keys.first.map { missingParent($0, of: child) }
        }
        for key in keys {
            guard let key = ResolvedKey(key, child, parent), try count(key.orphans(in: new)) > 0 else {
                continue
            }
            return try orphans(key, culprit)
        }
        return nil
    }

    /// Returns a finding of ``ForeignKeyRule`` with its cause and what to do about it.
    /// - Throws: ``EngineError`` where the run was stopped; a cause that cannot be determined is left out.
    func explaining(_ it: StepFinding) throws -> StepFinding {
        guard case .fault(_, let id, _) = it.probe, id.rule == .foreignKeyViolation else { return it }
        let found: Finding?
        do {
            found = try finding(of: id, culprit: it.culprit)
        } catch let error as EngineError where !error.isInterrupt && !error.isCorruption && !error.isOutage {
            found = nil
        }
        guard let found else { return it }
        var it = it
        it.finding.sentence += ": \(found.cause)"
        it.finding.advice = found.help
        it.finding.add(reason: found.cause, at: found.statement.map { .init(migration.statements[$0]) })
        return it
    }

    // MARK: - The table is missing

    /// Explains a missing parent: it was dropped, or the reference names a different table than the author meant.
    private func missingParent(_ key: ForeignKey, of child: Catalog.Table) -> Finding {
        let folded = key.parent.foldedASCII
        let drop = migration.statements.lastIndex { statement in
            if case .dropTable(let name) = statement.action { name.folded == folded } else { false }
        }
        if let rename = FollowedRename(to: key.parent, in: migration, before: before) {
            let dropped = drop.map { ", which \(migration.mention($0)) drops" } ?? ""
            return Finding(cause: rename.cause + dropped, help: Help(rename.help))
        }
        if let drop {
            return Finding(
                cause: "\(migration.mention(drop)) drops that table",
                help:
                    "Keep \(key.parent) as long as \(child.name) references it. A table that replaces it must be renamed to "
                    + "\(key.parent) afterwards; otherwise rebuild \(child.name) without the foreign key first."
            )
        }
        let near = nearestName(to: key.parent, in: after.tables.values.map(\.name).sorted())
        return Finding(
            cause: near.map { "no table has this name; did you mean '\($0)'?" } ?? "no table has this name",
            help: "Correct the name in REFERENCES, or create \(key.parent).")
    }

    // MARK: - Rows are missing

    private func orphans(_ key: ResolvedKey, _ culprit: Int?) throws -> Finding? {
        if let earlier = pairs[key.parent.name.foldedASCII], let lost = lostParents(key, earlier),
            try count(lost) > 0
        {
            return parentsLost(key, culprit)
        }
        return childrenChanged(key, culprit)
    }

    /// Describes the orphans with a parent that existed before.
    private func lostParents(_ key: ResolvedKey, _ parent: TableMatch) -> String? {
        let columns = key.parentColumns.compactMap { name in
            parent.columns.first { $0.after.name.foldedASCII == name.foldedASCII }?.before.name
        }
        guard columns.count == key.parentColumns.count else { return nil }
        let same = zip(columns, key.columns).map { "q.\(quotedName($0)) = c.\(quotedName($1))" }
        return key.orphans(in: new)
            + " AND EXISTS (SELECT 1 FROM \(old).\(quotedName(parent.before.name)) AS q WHERE \(same.joined(separator: " AND ")))"
    }

    private func parentsLost(_ key: ResolvedKey, _ culprit: Int?) -> Finding? {
        let parent = key.parent.name
        let action = culprit.map { migration.statements[$0].action }
        if case .delete? = action, let culprit {
            return Finding(
                cause: "\(migration.mention(culprit)) deletes the rows that they reference",
                help: """
                    Keep the rows that are referenced, with this condition in the DELETE, or give the rows of \
                    \(key.child.name) another parent first:
                      NOT EXISTS (SELECT 1 FROM \(key.childName) WHERE \(key.equation(child: key.childName, parent: key.parentName)))
                    """)
        }
        if case .update? = action, let culprit {
            return Finding(
                cause: "\(migration.mention(culprit)) changes the keys of \(parent) that they reference",
                help:
                    "Give \(key.child.name) (\(key.columns.joined(separator: ", "))) the new keys in the same migration."
            )
        }
        guard let trackedTable = lineage[parent], let made = trackedTable.createdBy else {
            return culprit.map { since($0, "rows of \(parent) that they reference are gone", key) }
        }
        guard let copy = trackedTable.copies.last else {
            let filled = migration.statements.indices.dropFirst(made).first { index in
                if case .insert(let name, _, _) = migration.statements[index].action {
                    [trackedTable.firstTableName, parent].contains { $0.foldedASCII == name.folded }
                } else {
                    false
                }
            }
            return Finding(
                cause:
                    "\(migration.mention(filled ?? made)) recreates \(parent) without the rows that they reference",
                help: "Copy every row of the old \(parent) into the new one before the old one is dropped.")
        }
        return leftOut(key, copy)
    }

    /// Explains a rebuild of the parent with a copy that lacks rows, or has different keys.
    private func leftOut(_ key: ResolvedKey, _ copy: TrackedTable.Copy) -> Finding {
        let (statement, place) = (migration.statements[copy.statement], migration.mention(copy.statement))
        let parent = key.parent.name
        if let crossed = CrossedCopy(statement, into: key.parent, from: before.table(copy.origin)),
            crossed.concerns(key.parentColumns)
        {
            return Finding(cause: crossed.cause(place), help: crossed.help, statement: copy.statement)
        }
        switch statement.conflictWord {
        case "ignore":
            return Finding(
                cause:
                    "the copy in \(place) says OR IGNORE and leaves out the rows of \(parent) that the new table refuses",
                help:
                    "Copy every row: leave OR IGNORE out, so that the copy names what the new table refuses, and change these "
                    + "values in its SELECT, as with coalesce(COLUMN, VALUE) for a NULL.",
                statement: copy.statement)
        case "replace":
            return Finding(
                cause:
                    "the copy in \(place) says OR REPLACE and keeps one of the rows of \(parent) that share a key",
                help:
                    "Copy every row: leave OR REPLACE out, and give the rows different values in the SELECT.",
                statement: copy.statement)
        default:
            let part = ["where", "limit", "group", "join"].first { statement.outermost($0) != nil }
            return Finding(
                cause: "the copy in \(place) leaves out rows of \(parent) that they reference",
                help: part.map { "Copy every row that is referenced: \($0.uppercased()) leaves some out." }
                    ?? "Copy every row that is referenced.", statement: copy.statement)
        }
    }

    func count(_ query: String) throws -> Int {
        try connection.firstRow("SELECT count(*) FROM (\(query) LIMIT 1)") { Int($0.integer(0)) } ?? 0
    }
}
