import DrydockReplay
import DrydockFindings
import DrydockMigrations
import DrydockConservation
import DrydockState
import DatabaseEngine
import SQLiteSchema

/// A statement as rules see it.
struct LintStep {
    let migration: Migration
    let format: any MigrationFormat
    let statement: SQLStatement
    /// The statement's index in the migration, from zero.
    let index: Int
    let action: StatementAction
    /// The schema before the migration.
    let start: Schema
    let before: Schema
    let after: Schema
    /// Tables, by folded name, that may have rows in a user's database when the statement runs.
    let occupied: Set<String>
    /// The names of tables, followed through the earlier statements.
    let lineage: TableLineage
    /// The earlier statements that changed rows of a table, by its number in the lineage.
    let changes: [Int: [Int]]
    /// The earlier statements that deleted rows of a table, in any migration, by its name at the time.
    let deletes: [String: [SQLStatement]]
    /// Rows that earlier statements copied, in any migration.
    let copies: [LintRecord.Copy]
    let connection: any Connection
    let minimum: SQLiteVersion?

    func isOccupied(_ name: QualifiedName) -> Bool { name.isMain && occupied.contains(name.folded) }

    /// Whether the table existed when the migration began, under this or another name.
    func isExisting(_ name: QualifiedName) -> Bool {
        name.isMain && lineage[name.name]?.origin != nil
    }

    var foreignKeysAreOn: Bool { flag("foreign_keys") }
    var foreignKeysAreDeferred: Bool { flag("defer_foreign_keys") }

    private func flag(_ pragma: String) -> Bool {
        let value = try? connection.firstRow("PRAGMA \(pragma)") { $0.integer(0) != 0 }
        return value ?? false
    }

    /// Returns the first position where these words follow one another.
    func token(_ words: String...) -> Token? { statement.first(words) }

    /// Returns the earlier statements of the migration that changed rows of a table, under whatever name.
    func changing(_ table: String) -> [SQLStatement] {
        guard let id = lineage[table]?.id else { return [] }
        return changes[id, default: []].map { migration.statements[$0] }
    }

    /// Returns the tables, as before the migration, that a table's rows came from: itself, or those from which it was
    /// filled.
    func origins(of table: String) -> [Table] {
        guard let trackedTable = lineage[table] else { return [] }
        let created =
            trackedTable.createdBy.map { place -> [String] in
                let items = migration.statements[place].tableSource?.items ?? []
                // Computed values need not be as distinct as their inputs.
                let isPlain = items.allSatisfy { if case .expression = $0 { false } else { true } }
                return isPlain ? migration.origins(ofTableMadeBy: place) : []
            } ?? []
        return ([trackedTable.origin].compactMap { $0 } + trackedTable.copies.map(\.origin) + created)
            .compactMap { start.table($0) }
    }

    /// Returns a table's name when the migration began, as a declaration uses it.
    func firstName(of table: String) -> String {
        lineage[table]?.origin.flatMap { start.table($0)?.name } ?? table
    }
}

/// A migration as rules see it.
struct LintMigration {
    let migration: Migration
    let start: Schema
    let end: Schema
    /// Tables that may have rows in a user's database when the migration begins.
    let occupied: Set<String>
    let lineage: TableLineage
    let rebuilds: [Rebuild]
    /// The statements that deleted rows of a table, in this migration or an earlier one, by its name at the time.
    let deletes: [String: [SQLStatement]]
    let connection: any Connection
    /// Whether the format supports ways back.
    let formatHasDown: Bool
    /// Whether foreign keys are enforced by the tool's connections, or by the app's library.
    let foreignKeysAreOn: Bool

    /// A table that was created again under its name and got the rows of the old table.
    struct Rebuild {
        var old: Table
        var new: Table
        /// The statement that copies the rows.
        var statement: SQLStatement
        var copy: TrackedTable.Copy
        /// Whether no other statement copies rows of the old table.
        var isOnlyCopy: Bool

        /// The copy's WHERE, where it reads only the old table.
        var condition: String? {
            guard case .insert(_, _, let source?) = statement.action, source.tables.count == 1,
                !source.isCompound
            else { return nil }
            return statement.condition
        }

        /// The item that fills each column of the new table, by folded name; nil where it is not known for every row.
        var itemsByTarget: [String: CopyItem]? {
            guard case .insert(_, _, let source?) = statement.action, !source.isCompound else { return nil }
            let targets = copy.columns ?? new.columns.filter { $0.generated == nil }.map(\.name)
            var items: [CopyItem] = []
            for item in source.items {
                guard case .star = item else {
                    items.append(item)
                    continue
                }
                guard source.tables.count == 1 else { return nil }
                items += old.columns.map { .column(table: nil, name: $0.name) }
            }
            guard items.count == targets.count else { return nil }
            return Dictionary(
                zip(targets.map(\.foldedASCII), items), uniquingKeysWith: { first, _ in first })
        }

        /// Columns that are copied unchanged, by their names in the old table and in the new one.
        var copiedColumns: [(from: String, to: String)] {
            let targets = copy.columns ?? new.columns.filter { $0.generated == nil }.map(\.name)
            let sources = copy.items.flatMap { item -> [String?] in
                switch item {
                case .column(let name): [name]
                case .star: old.columns.map(\.name)
                case .expression: [nil]
                }
            }
            guard sources.count == targets.count else { return [] }
            return zip(sources, targets).compactMap { from, to in from.map { ($0, to) } }
        }
    }

    static func rebuilds(
        _ migration: Migration, _ start: Schema, _ end: Schema, _ lineage: TableLineage
    ) -> [Rebuild] {
        // Most migrations create no table.
        let made = Set(migration.statements.compactMap(\.action.madeTable))
        return made.sorted().compactMap { start.tables[$0] }.compactMap { old in
            let folded = old.name.foldedASCII
            guard let new = end.tables[folded], let made = lineage[folded], made.origin == nil else {
                return nil
            }
            let copies = made.copies.filter { $0.origin == folded }
            guard let copy = createdCopy(of: folded, made, migration) ?? copies.first,
                migration.statements.indices.contains(copy.statement)
            else { return nil }
            let statement = migration.statements[copy.statement]
            let isFilledMore =
                copies.contains { $0.statement != copy.statement }
                || statement.selects(from: folded).count > 1
            return Rebuild(
                old: old, new: new, statement: statement, copy: copy,
                isOnlyCopy: !isFilledMore)
        }
    }

    /// Returns the copy that CREATE TABLE AS makes of a table, under whatever name it has by then.
    private static func createdCopy(
        of origin: String, _ made: TrackedTable, _ migration: Migration
    ) -> TrackedTable.Copy? {
        guard let place = made.createdBy, migration.origins(ofTableMadeBy: place).contains(origin),
            let source = migration.statements[place].tableSource
        else { return nil }
        let items = source.items.map { item -> TrackedTable.Copy.Item in
            switch item {
            case .column(_, let name): .column(name.foldedASCII)
            case .star: .star
            case .expression: .expression
            }
        }
        return TrackedTable.Copy(origin: origin, statement: place, columns: nil, items: items)
    }
}

extension Migration {
    /// Returns the tables that a CREATE TABLE AS reads, by their folded names when the migration begins.
    func origins(ofTableMadeBy place: Int) -> [String] {
        guard statements.indices.contains(place), let source = statements[place].tableSource else {
            return []
        }
        return source.tables.map { table in
            statements[..<place].reversed().reduce(table.foldedASCII) { name, statement in
                guard case .renameTable(let from, let to) = statement.action, to.foldedASCII == name else {
                    return name
                }
                return from.folded
            }
        }
    }
}

/// What all migrations have created, as rules see it.
struct LintEnd {
    let schema: Schema
    let connection: any Connection
    let record: LintRecord
    /// Whether foreign keys are enforced by the tool's connections, or by the app's library.
    let foreignKeysAreOn: Bool
    let historyTables: [String]
    /// What SQLite says of the schema; nil where no view or trigger is checked.
    let catalog: Catalog?
    /// The migrations that are linted.
    let linted: [Migration]
    /// Views and triggers that other migrations broke.
    let brokenElsewhere: Set<Fault.ID>
    /// The findings so far.
    let findings: [Finding]
    /// The oldest SQLite that the project supports, where stated.
    let minimum: SQLiteVersion?

    func isSaid(_ rule: Rule, _ table: String, _ column: String?) -> Bool {
        findings.contains { $0.rule == rule && $0.table == table && $0.column == column }
    }

    /// Whether the statement that created a table, or added a foreign key's column, names its parent as it is now.
    func isNamed(_ parent: String, by columns: [String], of table: String) -> Bool {
        let added = columns.compactMap { record[.column($0, of: table)] }
        let made = added.isEmpty ? [record[.table(table)]].compactMap(\.self) : added
        return made.contains { $0.isLinted && $0.statement.mentions(parent) }
    }

    /// Returns a fault at the statement that created an object, or that added the column to a table; nil where that is
    /// not in a linted migration.
    func fault(
        _ object: LintRecord.Object, _ severity: Finding.Severity? = nil, _ message: String,
        help: some HelpConvertible = "", word: String? = nil, table: String? = nil, column: String? = nil
    ) -> LintFault? {
        var added: LintRecord.Origin?
        if case .table(let name) = object, let column { added = record[.column(column, of: name)] }
        guard let origin = added ?? record[object], origin.isLinted else { return nil }
        let token = word.flatMap { word in
            origin.statement.tokens.last {
                $0.name(in: origin.statement.source)?.foldedASCII == word.foldedASCII
            }
        }
        var fault = LintFault(
            severity, message, help: help, at: origin.statement, token: token, table: table, column: column)
        fault.migration = origin.migration
        return fault
    }
}

extension StatementAction {
    /// The folded name that a table gets when it is created or renamed.
    fileprivate var madeTable: String? {
        switch self {
        case .createTable(let name, _, _): name.folded
        case .renameTable(_, let name): name.foldedASCII
        default: nil
        }
    }

    /// The table that INSERT, UPDATE or DELETE changes.
    var changedTable: String? {
        switch self {
        case .insert(let table, _, _), .update(let table, _), .delete(let table): table.name
        default: nil
        }
    }
}

extension Table {
    /// Returns the column that is an alias of `rowid` and its other names; nil for any other name, and where there is
    /// none.
    func rowidColumn(_ name: String) -> String? {
        guard ["rowid", "_rowid_", "oid"].contains(name.foldedASCII), column(name) == nil else { return nil }
        return rowidAlias?.name
    }
}
