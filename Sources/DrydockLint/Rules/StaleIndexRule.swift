import DrydockFindings
import DrydockMigrations
import DrydockState
import SQLiteSchema

/// `search-index-stale`: a full-text or spatial index loses track of its rows, whose rowids change, or its own tables are
/// written.
struct StaleIndexRule: LintRule {
    let rule = Rule.searchIndexStale
    let severity: Finding.Severity? = .error
    let text = LintRuleText(
        summary: "a full-text or spatial index loses track of its rows",
        detail: """
            A full-text table keeps its entries in tables of its own, such as `found_data`. A statement that \
            writes to these damages the index, which is an error; change the rows of the full-text table \
            itself. The index finds the rows of its content table by rowid. A rebuild of a table without an \
            INTEGER PRIMARY KEY renumbers its rows, and VACUUM may do so too; if a row was ever deleted, \
            searches then find wrong rows. Copy the rowid, or rebuild the index at the end.
            """,
        bad: """
            -- page(url TEXT PRIMARY KEY, body TEXT) is the content of found
            INSERT INTO new_page (url, body) SELECT url, body FROM page;
            """,
        good: "INSERT INTO new_page (rowid, url, body) SELECT rowid, url, body FROM page;")
    let showsAll = false

    // MARK: - The index's own tables

    func check(_ step: LintStep) -> [LintFault] {
        if case .vacuum(into: false) = step.action { return vacuumed(step) }
        guard !step.before.virtualTables.isEmpty else { return [] }
        let actions = [step.action] + step.statement.triggerBody.map(\.action)
        return actions.compactMap { action in
            guard let (name, verb) = written(action), name.isMain,
                let index = step.before.virtualTables.values.first(where: { $0.owns(table: name.name) }),
                step.start.virtualTables[index.name.foldedASCII] != nil,
                // A dump writes the schema, and then the tables of each index, into a new database.
                !step.migration.statements.contains(where: { $0.mentions("writable_schema") })
            else { return nil }
            return LintFault(
                .error,
                "\(verb) \(name.name), in which the \(index.kind) \(index.name) keeps its entries: "
                    + "the index no longer agrees with its rows",
                help: index.isFullText && !index.isContentless
                    ? "Change the rows of \(index.name) itself, or rebuild the index:\n"
                        + proposed(index.rebuild)
                    : "Change the rows of \(index.name) itself.",
                at: step.statement, table: index.name)
        }
    }

    private func written(_ action: StatementAction) -> (QualifiedName, verb: String)? {
        switch action {
        case .insert(let name, _, _): (name, "INSERT writes to")
        case .update(let name, _): (name, "UPDATE changes")
        case .delete(let name): (name, "DELETE removes rows of")
        case .dropTable(let name): (name, "DROP TABLE removes")
        default: nil
        }
    }

    // MARK: - Rowids

    func check(_ migration: LintMigration) -> [LintFault] {
        migration.rebuilds.filter { migration.occupied.contains($0.old.name.foldedASCII) }.flatMap {
            rebuild in
            let (old, statements) = (rebuild.old, migration.migration.statements)
            guard !keepsRowids(rebuild) else { return [LintFault]() }
            return Self.indexes(of: old, in: migration.start).compactMap { index in
                guard migration.end.virtualTables[index.name.foldedASCII] == index,
                    !isMadeAgain(index, statements.dropFirst(rebuild.copy.statement + 1)),
                    !statements.contains(where: { drops(index, $0) })
                else { return nil }
                return fault(
                    "the rebuild of \(old.name) renumbers its rows, since no INTEGER PRIMARY KEY keeps their rowids: if "
                        + "a row was ever deleted, \(index.name) then finds wrong rows or none",
                    remedy(rebuild), index, rebuild.statement, old)
            }
        }
    }

    /// Nil where the new table's rowids are values of a column.
    private func remedy(_ rebuild: LintMigration.Rebuild) -> String? {
        guard rebuild.new.rowidAlias == nil, !rebuild.new.isWithoutRowid,
            case .insert(let target, _, let source?) = rebuild.statement.action, source.tables.count == 1
        else { return nil }
        return
            "Copy rowid with the columns: INSERT INTO \(quotedIfNeeded(target.name))(rowid, ...) SELECT rowid, ... FROM "
            + quotedIfNeeded(source.tables[0]) + "."
    }

    /// Whether the copy gives each row the rowid that it had.
    private func keepsRowids(_ rebuild: LintMigration.Rebuild) -> Bool {
        let (old, new) = (rebuild.old, rebuild.new)
        guard old.rowidAlias == nil, !old.isWithoutRowid else { return true }
        return rebuild.copiedColumns.contains { from, to in
            Self.isRowid(from, of: old)
                && (Self.isRowid(to, of: new)
                    || new.rowidAlias.map { $0.name.foldedASCII == to.foldedASCII } ?? false)
        }
    }

    /// VACUUM may change the rowids of a table without an INTEGER PRIMARY KEY (https://www.sqlite.org/lang_vacuum.html).
    private func vacuumed(_ step: LintStep) -> [LintFault] {
        guard step.migration.transaction == .none else { return [] }
        return step.before.tables.values.sorted { $0.name < $1.name }.flatMap { table -> [LintFault] in
            guard step.isOccupied(QualifiedName(name: table.name)), table.rowidAlias == nil,
                !table.isWithoutRowid
            else { return [] }
            let later = step.migration.statements.dropFirst(step.index + 1)
            return Self.indexes(of: table, in: step.before).filter { !isMadeAgain($0, later) }.map { index in
                fault(
                    "VACUUM may renumber the rows of \(table.name), since it has no INTEGER PRIMARY KEY: if a row was ever "
                        + "deleted, \(index.name) then finds wrong rows or none",
                    "Give the table an INTEGER PRIMARY KEY.", index, step.statement, table)
            }
        }
    }

    private func fault(
        _ message: String, _ help: String?, _ index: VirtualTable, _ statement: SQLStatement, _ table: Table
    ) -> LintFault {
        let again =
            index.isExternalContent
            ? "rebuild the index at the end:\n" + proposed(index.rebuild)
            : "fill \(quotedIfNeeded(index.name)) again, at the end."
        let first = String(again.prefix(1)).uppercased() + String(again.dropFirst())
        let text = help.map { "\($0)\nOr \(again)" } ?? first
        return LintFault(.warning, message, help: text, at: statement, table: table.name)
    }

    /// Whether a later statement fills the index, or drops it.
    private func isMadeAgain(_ index: VirtualTable, _ later: ArraySlice<SQLStatement>) -> Bool {
        later.contains { statement in
            if case .insert(let name, _, _) = statement.action {
                name.folded == index.name.foldedASCII
            } else {
                drops(index, statement)
            }
        }
    }

    private func drops(_ index: VirtualTable, _ statement: SQLStatement) -> Bool {
        if case .dropTable(let name) = statement.action {
            name.folded == index.name.foldedASCII
        } else {
            false
        }
    }

    /// Returns the virtual tables that find rows of a table by rowid: it is their content, or its triggers write them.
    private static func indexes(of table: Table, in schema: Schema) -> [VirtualTable] {
        let triggers = schema.triggers(on: table.name).flatMap(\.body)
        return schema.virtualTables.values.filter { index in
            if index.isExternalContent {
                return index.content?.foldedASCII == table.name.foldedASCII
                    && isRowid(index.rowidName, of: table)
            }
            return triggers.contains { statement in
                statement.names.contains(index.name.foldedASCII)
                    && rowidNames.contains { statement.names.contains($0) && isRowid($0, of: table) }
            }
        }.sorted { $0.name < $1.name }
    }

    private static let rowidNames = ["rowid", "_rowid_", "oid"]

    private static func isRowid(_ name: String, of table: Table) -> Bool {
        rowidNames.contains(name.foldedASCII) && table.column(name) == nil
    }
}

extension VirtualTable {
    fileprivate var kind: String {
        isFullText ? "full-text index" : spatialColumns != nil ? "spatial index" : "virtual table"
    }

    /// The statement by which a full-text table writes all its entries again.
    fileprivate var rebuild: String {
        "INSERT INTO \(quotedIfNeeded(name))(\(quotedIfNeeded(name))) VALUES ('rebuild');"
    }
}
