import DrydockFindings
import DrydockMigrations
import DrydockState
import SQLiteSchema

/// `schema-mismatch`: a migrated snapshot's schema differs from that of a fresh install, so that the next migration
/// runs on two kinds of database. Schemas are compared by meaning; a different order of columns is only a warning, and
/// so is a UNIQUE constraint instead of an equal index, which has the same effect on rows.
package enum SchemaMismatch {
    /// What the findings depend on beside the migrated schema, within a run.
    package struct Part: Hashable, Sendable {
        /// The number of migrations of the fresh install.
        package var count: Int
        /// Whether tables count that the app shares with its tool.
        var countsShared: Bool
    }

    /// - Parameter format: a table of the app that also has its history is not missing where no migration makes it.
    package static func findings(migrated: Catalog, fresh: Catalog, _ format: any MigrationFormat)
        -> [Finding]
    {
        let others = Set(format.sharedTables.map(\.foldedASCII)).union(migrated.tablesOfMissingModules)
        return findings(migrated: migrated.without(others.subtracting(fresh.tables.keys)), fresh: fresh)
    }

    package static func findings(migrated: Catalog, fresh: Catalog) -> [Finding] {
        let (upgraded, installed) = (migrated.schema, fresh.schema)
        let (changes, twins) = findTwins(
            SchemaDiff(from: upgraded, to: installed).changes(), upgraded, installed)
        var findings = twins.map { twin in
            let terms = twin.unique.terms.map(\.column).joined(separator: ", ")
            return Finding(
                .schemaMismatch, .warning,
                "\(twin.index.table) (\(terms)) is UNIQUE by "
                    + (twin.isInSnapshot
                        ? "index \(twin.index.name), in a fresh install by a constraint"
                        : "a constraint, in a fresh install by index \(twin.index.name)"),
                help:
                    "Both accept the same rows, but a migration that names the index finds it in only one of the two.",
                table: twin.index.table)
        }
        for change in changes {
            findings.append(
                Finding(
                    .schemaMismatch, change.isQuiet ? .warning : .error,
                    message(change),
                    help:
                        "Users who upgrade and users who install now have different schemas. Add a migration that "
                        + "brings them together, or take the snapshot again if it was changed by hand.",
                    table: change.table, evidence: evidence(change, upgraded, installed)))
        }
        return findings
    }

    private struct Twins {
        var index: Index
        var unique: UniqueConstraint
        /// Whether the snapshot has the index.
        var isInSnapshot: Bool
    }

    /// Separates indexes that the other side has as an equal constraint from the changes.
    private static func findTwins(
        _ changes: [SchemaChange], _ upgraded: Schema, _ installed: Schema
    ) -> (left: [SchemaChange], twins: [Twins]) {
        var (left, twins): ([SchemaChange], [Twins]) = (changes, [])
        for change in changes {
            let (index, isInSnapshot): (Index, Bool)
            switch change {
            case .indexDropped(let dropped): (index, isInSnapshot) = (dropped, true)
            case .indexAdded(let added): (index, isInSnapshot) = (added, false)
            default: continue
            }
            let (owner, other) = isInSnapshot ? (upgraded, installed) : (installed, upgraded)
            let diff = SchemaDiff(from: owner, to: other)
            let place = left.firstIndex { candidate in
                guard let unique = candidate.unique(isAdded: isInSnapshot), unique.onConflict == nil,
                    let table = candidate.table.flatMap(other.table)
                else { return false }
                return diff.isSame(index, unique, of: table)
            }
            guard let place, let unique = left[place].unique(isAdded: isInSnapshot) else { continue }
            left.remove(at: place)
            left.removeAll { $0 == change }
            twins.append(Twins(index: index, unique: unique, isInSnapshot: isInSnapshot))
        }
        return (left, twins)
    }

    private static func message(_ change: SchemaChange) -> String {
        switch change {
        case .tableAdded(let table): "table \(table.name) is missing, which a fresh install has"
        case .indexAdded(let index):
            "index \(index.name) of \(index.table) is missing, which a fresh install has"
        case .viewAdded(let view): "view \(view.name) is missing, which a fresh install has"
        case .triggerAdded(let trigger):
            "trigger \(trigger.name) of \(trigger.table) is missing, which a fresh install has"
        case .virtualTableAdded(let table):
            "virtual table \(table.name) is missing, which a fresh install has"
        case .tableDropped(let table): "table \(table.name) exists, but not in a fresh install"
        case .indexDropped(let index):
            "index \(index.name) of \(index.table) exists, but not in a fresh install"
        case .viewDropped(let view): "view \(view.name) exists, but not in a fresh install"
        case .triggerDropped(let trigger):
            "trigger \(trigger.name) of \(trigger.table) exists, but not in a fresh install"
        case .virtualTableDropped(let table):
            "virtual table \(table.name) exists, but not in a fresh install"
        case .table(let name, .columnAdded(let column)):
            "column \(name).\(column.name) is missing, which a fresh install has"
        case .table(let name, .columnDropped(let column)):
            "column \(name).\(column.name) exists, but not in a fresh install"
        case .table(let name, .columnOrder):
            "table \(name) has its columns in a different order than a fresh install"
        default: "a fresh install has a different \(change)"
        }
    }

    /// Returns both definitions, where both schemas have the object.
    private static func evidence(
        _ change: SchemaChange, _ upgraded: Schema, _ installed: Schema
    ) -> Evidence? {
        guard let name = change.table, let old = upgraded.table(name), let new = installed.table(name),
            old != new
        else {
            return nil
        }
        let printer = SchemaPrinter(printsSettings: false)
        func line(_ table: Table) -> String {
            printer.text(table).split(whereSeparator: \.isWhitespace).joined(separator: " ")
        }
        return Evidence(details: ["snapshot:      \(line(old))", "fresh install: \(line(new))"])
    }
}

extension SchemaChange {
    /// The UNIQUE constraint that was added or dropped.
    fileprivate func unique(isAdded: Bool) -> UniqueConstraint? {
        switch self {
        case .table(_, .uniqueAdded(let unique)) where isAdded: unique
        case .table(_, .uniqueDropped(let unique)) where !isAdded: unique
        default: nil
        }
    }
}

extension Catalog {
    /// The schema by meaning. Shadow tables, history and SQLite's own are already left out.
    package var schema: Schema {
        let tables = tables.values.map {
            SchemaRow(type: "table", name: $0.name, table: $0.name, sql: $0.text)
        }
        let objects = objects.values.map {
            SchemaRow(type: $0.kind.rawValue, name: $0.name, table: $0.tableName, sql: $0.text)
        }
        return SchemaParser().schema(of: tables + objects)
    }
}
