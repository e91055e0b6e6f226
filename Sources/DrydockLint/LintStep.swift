import DrydockReplay
import DrydockFindings
import DrydockMigrations
import DrydockState
import DatabaseEngine
import SQLiteSchema

/// A statement as rules look at it.
struct LintStep {
    let migration: Migration
    let format: any MigrationFormat
    let statement: SQLStatement
    /// Its place in the migration, from zero.
    let index: Int
    let action: StatementAction
    /// The schema that the migration meets.
    let start: Schema
    let before: Schema
    let after: Schema
    /// Tables, by folded name, in which a user's database may have rows when the statement runs.
    let occupied: Set<String>
    /// The names of tables, followed through the statements before.
    let lineage: TableLineage
    /// The statements before that changed rows of a table, by its number in the lineage.
    let changes: [Int: [Int]]
    /// What deleted rows of a table before, in any migration, by the name it had.
    let deletes: [String: [SQLStatement]]
    let connection: any Connection
    let minimum: SQLiteVersion?

    func isOccupied(_ name: QualifiedName) -> Bool { name.isMain && occupied.contains(name.folded) }

    /// Whether the table was there when the migration began, under this or another name.
    func isExisting(_ name: QualifiedName) -> Bool {
        name.isMain && lineage[name.name]?.origin != nil
    }

    var foreignKeysAreOn: Bool { flag("foreign_keys") }
    var foreignKeysAreDeferred: Bool { flag("defer_foreign_keys") }

    private func flag(_ pragma: String) -> Bool {
        let value = try? connection.firstRow("PRAGMA \(pragma)") { $0.integer(0) != 0 }
        return value ?? false
    }

    /// The first place where these words stand one after the other.
    func token(_ words: String...) -> Token? { statement.first(words) }

    /// The statements of the migration that changed rows of a table before, under whatever name.
    func changing(_ table: String) -> [SQLStatement] {
        guard let id = lineage[table]?.id else { return [] }
        return changes[id, default: []].map { migration.statements[$0] }
    }

    /// The tables, as the migration met them, whose rows a table has: itself, or those it was filled from.
    func origins(of table: String) -> [Table] {
        guard let incarnation = lineage[table] else { return [] }
        let created =
            incarnation.createdBy.map { place -> [String] in
                let items = migration.statements[place].tableSource?.items ?? []
                // What is computed need not be as different as what it is computed from.
                let isPlain = items.allSatisfy { if case .expression = $0 { false } else { true } }
                return isPlain ? migration.origins(ofTableMadeBy: place) : []
            } ?? []
        return ([incarnation.origin].compactMap { $0 } + incarnation.copies.map(\.origin) + created)
            .compactMap { start.table($0) }
    }

    /// What a table was called when the migration began, as a declaration names it.
    func firstName(of table: String) -> String {
        lineage[table]?.origin.flatMap { start.table($0)?.name } ?? table
    }
}

/// A migration as rules look at it.
struct LintMigration {
    let migration: Migration
    let start: Schema
    let end: Schema
    /// Tables in which a user's database may have rows when it begins.
    let occupied: Set<String>
    let lineage: TableLineage
    let rebuilds: [Rebuild]
    /// What deleted rows of a table, in this migration or one before, by the name it had.
    let deletes: [String: [SQLStatement]]
    let connection: any Connection
    /// Whether its format has ways back.
    let formatHasDown: Bool
    /// Whether the tool's connections enforce foreign keys, or the app's do by its library.
    let foreignKeysAreOn: Bool

    /// A table that was made anew under its name and got the rows of the old one.
    struct Rebuild {
        var old: Table
        var new: Table
        /// What copies the rows.
        var statement: SQLStatement
        var copy: TableLineage.Copy
        /// No other statement copies rows of the old table.
        var isOnlyCopy: Bool

        /// The copy's WHERE, where it reads the old table alone.
        var condition: String? {
            guard case .insert(_, _, let source?) = statement.action, source.tables.count == 1,
                !source.isCompound
            else { return nil }
            return statement.condition
        }

        /// What each column of the new table is filled with, by folded name; nil where that is not known of
        /// every row.
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

        /// Columns that are copied as they are: what they are called in the old table, and in the new one.
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
        // Most migrations make no table.
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
            let isFilledMore = copies.contains { $0.statement != copy.statement }
            return Rebuild(
                old: old, new: new, statement: migration.statements[copy.statement], copy: copy,
                isOnlyCopy: !isFilledMore)
        }
    }

    /// The copy that CREATE TABLE AS makes of a table, under whatever name it has by then.
    private static func createdCopy(
        of origin: String, _ made: TableLineage.Incarnation, _ migration: Migration
    ) -> TableLineage.Copy? {
        guard let place = made.createdBy, migration.origins(ofTableMadeBy: place).contains(origin),
            let source = migration.statements[place].tableSource
        else { return nil }
        let items = source.items.map { item -> TableLineage.Copy.Item in
            switch item {
            case .column(_, let name): .column(name.foldedASCII)
            case .star: .star
            case .expression: .expression
            }
        }
        return TableLineage.Copy(origin: origin, statement: place, columns: nil, items: items)
    }
}

extension Migration {
    /// The tables that a CREATE TABLE AS reads, by the folded names that they have when the migration begins.
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

/// What all migrations have made, as rules look at it.
struct LintEnd {
    /// An object and the statement that made it.
    struct Origin: Sendable {
        var migration: Migration
        var statement: SQLStatement
        /// Whether the migration is among those that are linted.
        var isLinted: Bool
    }

    let schema: Schema
    let connection: any Connection
    /// By type and folded name.
    let origins: [[String]: Origin]
    /// Whether the tool's connections enforce foreign keys, or the app's do by its library.
    let foreignKeysAreOn: Bool
    let historyTables: [String]
    /// The migrations that are linted.
    let linted: [Migration]
    /// Views and triggers that other migrations broke.
    let brokenElsewhere: Set<Fault.ID>
    /// What was found until now.
    let findings: [Finding]
    /// The oldest SQLite that the project supports, where it says so.
    let minimum: SQLiteVersion?

    func isSaid(_ rule: Rule, _ table: String, _ column: String?) -> Bool {
        findings.contains { $0.rule == rule && $0.table == table && $0.column == column }
    }

    /// Where an object was made; nil where that is none of what is linted.
    func origin(_ type: String, _ name: String) -> Origin? {
        guard let origin = origins[[type, name.foldedASCII]], origin.isLinted else { return nil }
        return origin
    }

    /// Whether the statement that made a table, or added a foreign key's column, names its parent as it is now.
    func isNamed(_ parent: String, by columns: [String], of table: String) -> Bool {
        let added = columns.compactMap { origins[["column", table.foldedASCII, $0.foldedASCII]] }
        let made = added.isEmpty ? [origins[["table", table.foldedASCII]]].compactMap { $0 } : added
        return made.contains { $0.isLinted && $0.statement.mentions(parent) }
    }

    /// A fault at the statement that made an object, or that added the column to a table.
    func fault(
        _ type: String, _ name: String, _ severity: Finding.Severity? = nil, _ message: String,
        help: some HelpConvertible = "", word: String? = nil, table: String? = nil, column: String? = nil
    ) -> LintFault? {
        let added = column.flatMap { origins[["column", name.foldedASCII, $0.foldedASCII]] }
        guard let origin = added.map({ $0.isLinted ? $0 : nil }) ?? origin(type, name) else { return nil }
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
    /// The folded name that a table gets, new or renamed.
    fileprivate var madeTable: String? {
        switch self {
        case .createTable(let name, _, _): name.folded
        case .renameTable(_, let name): name.foldedASCII
        default: nil
        }
    }

    /// The table whose rows INSERT, UPDATE or DELETE changes.
    var changedTable: String? {
        switch self {
        case .insert(let table, _, _), .update(let table, _), .delete(let table): table.name
        default: nil
        }
    }
}

extension Table {
    /// The column that `rowid` and its other names stand for; nil for any other name, and where no column has it.
    func rowidColumn(_ name: String) -> String? {
        guard ["rowid", "_rowid_", "oid"].contains(name.foldedASCII), column(name) == nil else { return nil }
        return rowidAlias?.name
    }
}
