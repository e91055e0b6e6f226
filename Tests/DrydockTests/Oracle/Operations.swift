import DatabaseEngine
import TestTools

@testable import DrydockTestSupport

/// The operations of a migration, as statements and by their meaning.
enum Operations {
    typealias Draft = CaseGenerator.Draft

    static func random(_ draft: inout Draft, _ random: inout SeededGenerator, _ database: PlainDatabase) {
        let plain = draft.model.tables.filter { $0.module == nil && !$0.columns.isEmpty }
        if let search = draft.model.tables.first(where: { $0.module != nil }), random.chance(15) {
            return changeSearch(search, &draft, &random)
        }
        guard !plain.isEmpty else { return }
        let table = random.pick(plain)
        switch random.below(100) {
        case 0..<9: addColumn(table, &draft, &random)
        case 9..<16: renameColumn(table, &draft, &random)
        case 16..<23: dropColumn(table, &draft, &random)
        case 23..<28: renameTable(table, &draft, &random)
        case 28..<58: Rebuild(table, draft, random, database).write(&draft)
        case 58..<65: update(table, &draft, &random)
        case 65..<71: delete(table, &draft, &random)
        case 71..<74: insert(table, &draft, &random)
        case 74..<77: dropTable(table, &draft, &random)
        case 77..<82: dependents(table, &draft, &random, database)
        case 82..<86: backup(table, &draft, &random)
        case 86..<89: moveColumn(table, &draft, &random)
        case 89..<93: roundTrip(table, &draft, &random)
        case 93..<96: temporaryNamesake(table, &draft, &random)
        case 96..<98: swapNames(table, &draft, &random)
        default: merge(table, &draft, &random)
        }
    }

    // MARK: - ALTER TABLE

    private static func addColumn(_ table: ModelTable, _ draft: inout Draft, _ random: inout SeededGenerator)
    {
        var maker = SchemaMaker(random: random, model: draft.model)
        var column = maker.column(in: table, taken: draft.start.tables.flatMap(\.columns).map(\.name))
        draft.model = maker.model
        if column.isNotNull, column.defaultValue == nil || column.defaultValue == "NULL" {
            column.defaultValue = "0"
        }
        column.check = nil
        if random.chance(35), let source = table.stored.last {
            column.isNotNull = false
            column.defaultValue = nil
            column.collation = nil
            if table.isStrict { column.type = "ANY" }
            let template =
                random.chance(25)
                ? "json_extract({0}, '$.a')" : random.pick(["{0} || 'y'", "length({0})", "coalesce({0}, 0)"])
            column.generated = .init(template: template, sources: [source.id], isStored: false)
        }
        draft.run("ALTER TABLE \(table.quoted) ADD COLUMN \(column.definition(in: table))")
        draft.model[table.id]?.columns.append(column)
        if column.generated == nil, random.chance(30) {
            let source = random.pick(table.columns)
            draft.run("UPDATE \(table.quoted) SET \(column.quoted) = \(source.quoted)")
            // The copy has the same data as the original.
            if let place = draft.model[table.id]?.columns.firstIndex(where: { $0.id == column.id }) {
                draft.model[table.id]?.columns[place].origins = source.origins
            }
        }
    }

    private static func renameColumn(
        _ table: ModelTable, _ draft: inout Draft, _ random: inout SeededGenerator
    ) {
        let column = random.pick(table.columns)
        let name = SchemaMaker.newName(
            SchemaMaker.columnNames + ["renamed"],
            taken: (draft.start.tables + [table]).flatMap(\.columns).map(\.name), &random)
        draft.run("ALTER TABLE \(table.quoted) RENAME COLUMN \(column.quoted) TO \(quote(name))")
        draft.model.renameColumn(column.id, of: table.id, to: name)
    }

    static func dropColumn(_ table: ModelTable, _ draft: inout Draft, _ random: inout SeededGenerator) {
        let column = random.pick(table.columns)
        if random.chance(50) { declareDrop(of: column, in: table, &draft) }
        draft.run("ALTER TABLE \(table.quoted) DROP COLUMN \(column.quoted)")
        draft.model[table.id]?.columns.removeAll { $0.id == column.id }
    }

    /// Declares that a column goes, where it existed before the file.
    static func declareDrop(of column: ModelColumn, in table: ModelTable, _ draft: inout Draft) {
        for (start, own) in counterparts(of: column, table, draft) {
            draft.declare("drops column \(quote(start.name)).\(own.quoted)")
            draft.file.exemptions.columns.insert(own.id)
            draft.file.exemptions.drops.insert(own.id)
        }
    }

    /// Returns the columns at the beginning of the file that have the same data as this one.
    static func counterparts(
        of column: ModelColumn, _ table: ModelTable, _ draft: Draft
    ) -> [(ModelTable, ModelColumn)] {
        guard let start = draft.start[table.id] ?? draft.start.table(table.name) else { return [] }
        return start.columns.filter { !$0.origins.isDisjoint(with: column.origins) }.map { (start, $0) }
    }

    private static func renameTable(
        _ table: ModelTable, _ draft: inout Draft, _ random: inout SeededGenerator
    ) {
        let name = SchemaMaker.newName(
            SchemaMaker.tableNames + ["renamed"], taken: draft.model.tables.map(\.name), &random)
        draft.run("ALTER TABLE \(table.quoted) RENAME TO \(quote(name))")
        draft.model.rename(table.id, to: name)
    }

    // MARK: - Rows

    static func expression(_ column: String, _ random: inout SeededGenerator) -> String {
        random.pick([
            "coalesce(\(column), '')", "coalesce(\(column), 0)", "upper(\(column))", "\(column) + 0",
            "trim(\(column))",
            "nullif(\(column), '')", "CAST(\(column) AS TEXT)", "CAST(\(column) AS INTEGER)",
            "\(column) || ''", "NULL", "0",
            "CASE WHEN \(column) IS NULL THEN 'unknown' ELSE \(column) END", "round(\(column))", "\(column)",
        ])
    }

    static func condition(_ table: ModelTable, _ random: inout SeededGenerator) -> String {
        let column = random.pick(table.columns).quoted
        return random.pick([
            "\(column) IS NULL", "\(column) IS NOT NULL", "typeof(\(column)) = 'text'",
            "typeof(\(column)) = 'integer'",
            "length(\(column)) > 2", "\(column) > 1005", "1", "0",
        ])
    }

    private static func update(_ table: ModelTable, _ draft: inout Draft, _ random: inout SeededGenerator) {
        guard let column = table.stored.isEmpty ? nil : random.pick(table.stored) else { return }
        if random.chance(35), !table.keyColumns.contains(column.id) {
            for (start, own) in counterparts(of: column, table, draft) {
                draft.declare("rewrites \(quote(start.name)).\(own.quoted)")
                draft.file.exemptions.columns.insert(own.id)
                // Columns computed from it change too.
                draft.file.exemptions.columns.formUnion(
                    start.columns.filter { $0.generated?.sources.contains(own.id) == true }.map(\.id))
            }
        }
        draft.run(
            "UPDATE \(table.quoted) SET \(column.quoted) = \(expression(column.quoted, &random)) WHERE \(condition(table, &random))"
        )
    }

    private static func delete(_ table: ModelTable, _ draft: inout Draft, _ random: inout SeededGenerator) {
        let condition = condition(table, &random)
        if random.chance(45), let start = draft.start[table.id],
            table.columns.map(\.name) == start.columns.map(\.name)
        {
            let declared = random.chance(85) ? condition : Self.condition(table, &random)
            draft.declare("deletes from \(start.quoted) where \(declared)")
            draft.file.exemptions.rows[table.id, default: []].append(declared)
        }
        draft.run("DELETE FROM \(table.quoted)\(condition == "1" ? "" : " WHERE \(condition)")")
    }

    private static func insert(_ table: ModelTable, _ draft: inout Draft, _ random: inout SeededGenerator) {
        let columns = table.stored.map(\.quoted).joined(separator: ", ")
        guard !columns.isEmpty else { return }
        if random.chance(50) {
            draft.declare("inserts into \(draft.start[table.id]?.quoted ?? table.quoted)")
        }
        var maker = ValueMaker(random: random, count: 5000 + random.below(100))
        let values = table.stored.map { maker.value(for: $0, in: table) }.joined(separator: ", ")
        let verb = random.pick(["INSERT", "INSERT OR IGNORE", "INSERT OR REPLACE", "REPLACE"])
        draft.run("\(verb) INTO \(table.quoted)(\(columns)) VALUES (\(values))")
    }

    // MARK: - Tables

    private static func dropTable(_ table: ModelTable, _ draft: inout Draft, _ random: inout SeededGenerator)
    {
        if random.chance(50), let start = draft.start[table.id] {
            draft.declare("drops table \(start.quoted)")
            draft.file.exemptions.tables.insert(table.id)
        }
        draft.run("DROP TABLE \(table.quoted)")
        draft.model[table.id] = nil
    }

    private static func dependents(
        _ table: ModelTable, _ draft: inout Draft, _ random: inout SeededGenerator, _ database: PlainDatabase
    ) {
        let objects =
            (try? database.rows(
                "SELECT type, name FROM sqlite_schema WHERE type IN ('index', 'trigger', 'view') AND sql IS NOT NULL ORDER BY name"
            ) { ($0.string(0), $0.string(1)) }) ?? []
        if random.chance(50), !objects.isEmpty {
            let (type, name) = random.pick(objects)
            return draft.run("DROP \(type.uppercased()) \(quote(name))")
        }
        draft.run(SchemaMaker.dependent(100 + random.below(900), draft.model, &random))
    }

    /// Creates a copy of a table that stays, or replaces it later.
    private static func backup(_ table: ModelTable, _ draft: inout Draft, _ random: inout SeededGenerator) {
        var copy = copied(
            table,
            as: SchemaMaker.newName(
                ["backup", "\(table.name)_copy"], taken: draft.model.tables.map(\.name), &random), &draft)
        let list = table.columns.map(\.quoted).joined(separator: ", ")
        draft.run("CREATE TABLE \(copy.quoted) AS SELECT \(list) FROM \(table.quoted)")
        draft.model.tables.append(copy)
        switch random.below(5) {
        case 0:
            // The copy replaces the table from now on.
            draft.run("DROP TABLE \(table.quoted)")
            draft.model[table.id] = nil
            if random.chance(60) {
                draft.run("ALTER TABLE \(copy.quoted) RENAME TO \(table.quoted)")
                draft.model.rename(copy.id, to: table.name)
            }
        case 1:
            draft.run("DELETE FROM \(table.quoted)")
            let columns = table.stored.map(\.quoted).joined(separator: ", ")
            if random.chance(80) {
                draft.run("INSERT INTO \(table.quoted)(\(columns)) SELECT \(columns) FROM \(copy.quoted)")
            }
        case 2:
            copy.module = nil
            let id = copy.id
            draft.pending.append { draft, _ in
                guard let copy = draft.model[id] else { return }
                draft.run("DROP TABLE \(copy.quoted)")
                draft.model[id] = nil
            }
        default: break
        }
    }

    /// Returns the model of a copy by CREATE TABLE AS.
    static func copied(_ table: ModelTable, as name: String, _ draft: inout Draft) -> ModelTable {
        var copy = ModelTable(id: draft.model.newID(), name: name, columns: [])
        for column in table.columns {
            copy.columns.append(
                ModelColumn(id: draft.model.newID(), name: column.name, type: "", origins: column.origins))
        }
        return copy
    }

    /// Moves a column to a separate table.
    private static func moveColumn(_ table: ModelTable, _ draft: inout Draft, _ random: inout SeededGenerator)
    {
        guard let key = table.keyColumns.first.flatMap(table.column), let column = table.stored.last,
            column.id != key.id
        else { return }
        let name = SchemaMaker.newName(
            ["\(table.name)_\(column.name)", "side"], taken: draft.model.tables.map(\.name), &random)
        let side = ModelTable(
            id: draft.model.newID(), name: name,
            columns: [
                ModelColumn(id: draft.model.newID(), name: "of", type: key.type, origins: key.origins),
                ModelColumn(
                    id: draft.model.newID(), name: "content", type: random.pick(["", column.type]),
                    origins: column.origins),
            ])
        draft.run(
            side.definition(),
            "INSERT INTO \(side.quoted) SELECT \(key.quoted), \(column.quoted) FROM \(table.quoted)\(random.chance(40) ? " WHERE \(column.quoted) IS NOT NULL" : "")",
            "ALTER TABLE \(table.quoted) DROP COLUMN \(column.quoted)")
        draft.model.tables.append(side)
        draft.model[table.id]?.columns.removeAll { $0.id == column.id }
    }

    /// Copies the rows to a temporary table and back.
    private static func roundTrip(_ table: ModelTable, _ draft: inout Draft, _ random: inout SeededGenerator)
    {
        let columns = table.stored.map(\.quoted).joined(separator: ", ")
        guard !columns.isEmpty else { return }
        let kind = random.pick(["TEMP TABLE", "TEMPORARY TABLE", "TABLE temp."])
        let name = random.chance(30) ? table.name : "saved"
        let place = "temp.\(quote(name))"
        let created = kind.hasSuffix(".") ? "\(kind)\(quote(name))" : "\(kind) \(quote(name))"
        draft.run(
            "CREATE \(created) AS SELECT \(columns) FROM main.\(table.quoted)\(random.chance(10) ? " WHERE \(condition(table, &random))" : "")",
            "DELETE FROM main.\(table.quoted)",
            "INSERT INTO main.\(table.quoted)(\(columns)) SELECT \(columns) FROM \(place)",
            "DROP TABLE \(place)")
    }

    /// Creates a temporary table that hides one of the database.
    private static func temporaryNamesake(
        _ table: ModelTable, _ draft: inout Draft, _ random: inout SeededGenerator
    ) {
        let columns = table.columns.map(\.quoted).joined(separator: ", ")
        draft.run("CREATE TEMP TABLE \(table.quoted) AS SELECT \(columns) FROM \(table.quoted)")
        switch random.below(4) {
        case 0: draft.run("DELETE FROM \(table.quoted)")
        case 1: draft.run("ALTER TABLE \(table.quoted) RENAME TO elsewhere", "DROP TABLE elsewhere")
        case 2: draft.run("DELETE FROM main.\(table.quoted)")
        default: draft.run("UPDATE \(table.quoted) SET \(table.columns[0].quoted) = 'other'")
        }
        draft.run("DROP TABLE IF EXISTS temp.\(table.quoted)")
    }

    private static func swapNames(_ table: ModelTable, _ draft: inout Draft, _ random: inout SeededGenerator)
    {
        let others = draft.model.tables.filter { $0.id != table.id && $0.module == nil }
        guard !others.isEmpty else { return }
        let other = random.pick(others)
        draft.run(
            "ALTER TABLE \(table.quoted) RENAME TO swapped",
            "ALTER TABLE \(other.quoted) RENAME TO \(table.quoted)",
            "ALTER TABLE swapped RENAME TO \(other.quoted)")
        draft.model.rename(table.id, to: "swapped")
        draft.model.rename(other.id, to: table.name)
        draft.model.rename(table.id, to: other.name)
    }

    /// Moves one table's rows to another with the same columns.
    private static func merge(_ table: ModelTable, _ draft: inout Draft, _ random: inout SeededGenerator) {
        var whole = ModelTable(
            id: draft.model.newID(),
            name: SchemaMaker.newName(["whole", "archive"], taken: draft.model.tables.map(\.name), &random),
            columns: [])
        for column in table.columns {
            whole.columns.append(
                ModelColumn(id: draft.model.newID(), name: column.name, type: "", origins: column.origins))
        }
        let list = table.columns.map(\.quoted).joined(separator: ", ")
        draft.run(
            whole.definition(),
            "INSERT INTO \(whole.quoted) SELECT \(list) FROM \(table.quoted)\(random.chance(30) ? " WHERE \(condition(table, &random))" : "")",
            "DROP TABLE \(table.quoted)")
        draft.model.tables.append(whole)
        draft.model[table.id] = nil
    }

    private static func changeSearch(
        _ table: ModelTable, _ draft: inout Draft, _ random: inout SeededGenerator
    ) {
        switch random.below(4) {
        case 0: draft.run("DELETE FROM \(table.quoted) WHERE body IS NOT NULL")
        case 1: draft.run("UPDATE \(table.quoted) SET title = 'other'")
        case 2: draft.run("INSERT INTO \(table.quoted)(\(table.quoted)) VALUES ('rebuild')")
        default:
            draft.run("DROP TABLE \(table.quoted)")
            draft.model[table.id] = nil
        }
    }
}
