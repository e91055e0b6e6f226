import TestTools

@testable import DrydockTestSupport

/// Generates random tables.
struct SchemaMaker {
    var random: SeededGenerator
    var model: Model

    static let tableNames = [
        "account", "email", "order", "Item List", "q\"uote", "Ünï", "person", "Group", "t1", "child", "note",
        "setting", "log", "x'y",
    ]
    /// Names that a full-text table `msg` might give its shadow tables.
    static let shadowNames = [
        "msg_stat", "msg_segments", "msg_segdir", "msg_docsize", "msg_node", "msg_rowid", "msg_parent",
        "msg_content2",
    ]
    static let columnNames = [
        "id", "name", "code", "value", "size", "note", "Kind", "a b", "order", "p", "q", "q\"c", "ünï",
        "parent_id", "at",
    ]
    static let types = ["INTEGER", "TEXT", "REAL", "BLOB", "", "INT", "NUMERIC", "VARCHAR(9)", "DATETIME"]
    static let strictTypes = ["INTEGER", "TEXT", "REAL", "BLOB", "ANY", "INT"]

    static func newName(_ names: [String], taken: [String], _ random: inout SeededGenerator) -> String {
        let name = random.pick(names)
        if !taken.contains(where: { $0.lowercased() == name.lowercased() }) { return name }
        var number = 2
        while taken.contains(where: { $0.lowercased() == "\(name)\(number)".lowercased() }) { number += 1 }
        return "\(name)\(number)"
    }

    /// - Parameter taken: names of former columns, which would be confused with this one.
    mutating func column(in table: ModelTable, taken: [String] = []) -> ModelColumn {
        let id = model.newID()
        var column = ModelColumn(
            id: id, name: Self.newName(Self.columnNames, taken: table.columns.map(\.name) + taken, &random),
            type: random.pick(table.isStrict ? Self.strictTypes : Self.types), origins: [id])
        if random.chance(15) { column.isNotNull = true }
        if random.chance(15) {
            column.defaultValue =
                table.isStrict && column.type != "ANY"
                ? "NULL" : random.pick(["0", "''", "'d'", "1.5", "NULL"])
        }
        if random.chance(15) { column.collation = random.pick(["NOCASE", "RTRIM", "BINARY"]) }
        if random.chance(8) {
            column.check = random.pick(["{} <> 'never'", "typeof({}) <> 'zzz'", "length({}) < 2000"])
        }
        return column
    }

    func plainTable() -> ModelTable {
        var maker = self
        var table = ModelTable(id: maker.model.newID(), name: "plain", columns: [])
        for _ in 0..<2 { table.columns.append(maker.column(in: table)) }
        return table
    }

    func table(usesSearch: Bool) -> ModelTable {
        var maker = self
        return maker.make(usesSearch)
    }

    private mutating func make(_ usesSearch: Bool) -> ModelTable {
        let names = usesSearch && random.chance(60) ? Self.shadowNames : Self.tableNames
        var table = ModelTable(
            id: model.newID(), name: Self.newName(names, taken: model.tables.map(\.name), &random),
            columns: [])
        table.isStrict = random.chance(12)
        for _ in 0..<(1 + random.below(5)) { table.columns.append(column(in: table)) }
        makeKey(&table)
        if random.chance(20), let column = table.columns.last { table.uniques.append([column.id]) }
        addForeignKey(&table)
        addGenerated(&table)
        return table
    }

    private mutating func makeKey(_ table: inout ModelTable) {
        switch random.below(10) {
        case 0...3:
            table.columns[0].type = "INTEGER"
            table.columns[0].isNotNull = false
            table.columns[0].defaultValue = nil
            table.key = .integer(table.columns[0].id, isAutoincrement: random.chance(30))
        case 4: table.key = .columns([table.columns[0].id], isWithoutRowid: false)
        case 5: table.key = .columns([table.columns[0].id], isWithoutRowid: true)
        case 6:
            let ids = table.columns.prefix(2).map(\.id)
            table.key = .columns(random.chance(50) ? ids : ids.reversed(), isWithoutRowid: random.chance(60))
        default: break
        }
    }

    private mutating func addForeignKey(_ table: inout ModelTable) {
        guard random.chance(60) else { return }
        let parents = model.tables.filter { $0.module == nil && !$0.keyColumns.isEmpty }
        let parent = random.chance(15) ? table : parents.isEmpty ? table : random.pick(parents)
        guard !parent.keyColumns.isEmpty else { return }
        let columns = table.stored.filter { !table.keyColumns.contains($0.id) }.map(\.id)
        guard columns.count >= parent.keyColumns.count else { return }
        let own = Array(columns.suffix(parent.keyColumns.count))
        for (mine, theirs) in zip(own, parent.keyColumns) {
            guard let index = table.columns.firstIndex(where: { $0.id == mine }) else { continue }
            table.columns[index].type = parent.column(theirs)?.type ?? ""
            if table.isStrict, !Self.strictTypes.contains(table.columns[index].type) {
                table.columns[index].type = "ANY"
            }
            table.columns[index].check = nil
        }
        let action = { (random: inout SeededGenerator) in
            random.pick(["", " CASCADE", " SET NULL", " RESTRICT", " NO ACTION", " SET DEFAULT", " CASCADE"])
        }
        let (delete, update) = (action(&random), action(&random))
        table.foreignKeys.append(
            .init(
                columns: own, parent: parent.name,
                parentColumns: random.chance(60)
                    ? parent.keyColumns.compactMap { parent.column($0)?.name } : [],
                actions: (delete.isEmpty ? "" : " ON DELETE\(delete)")
                    + (update.isEmpty ? "" : " ON UPDATE\(update)")
                    + random.pick(["", "", " DEFERRABLE INITIALLY DEFERRED"])))
    }

    private mutating func addGenerated(_ table: inout ModelTable) {
        guard random.chance(30) else { return }
        let sources = table.stored.map(\.id)
        guard let first = sources.last else { return }
        let id = model.newID()
        var column = ModelColumn(
            id: id,
            name: Self.newName(["gen", "total", "g h", "Twice"], taken: table.columns.map(\.name), &random),
            type: table.isStrict ? "ANY" : random.pick(["", "TEXT", "INT"]), origins: [id])
        let template = random.pick([
            "{0} || 'x'", "length({0})", "coalesce({0}, 'none')", "typeof({0})", "{0}",
            "coalesce({0}, '') || coalesce({1}, '')",
        ])
        column.generated = .init(
            template: template, sources: template.contains("{1}") ? [first, sources[0]] : [first],
            isStored: random.chance(50))
        table.columns.append(column)
    }

    /// Returns an index, a trigger or a view.
    static func dependent(_ number: Int, _ model: Model, _ random: inout SeededGenerator) -> String {
        let tables = model.tables.filter { $0.module == nil }
        let (table, other) = (random.pick(tables), random.pick(tables))
        let column = random.pick(table.columns).quoted
        let changed = other.stored.filter { !other.keyColumns.contains($0.id) }.last ?? other.columns[0]
        switch random.below(10) {
        case 0...2: return "CREATE INDEX i\(number) ON \(table.quoted)(\(column))"
        case 3: return "CREATE UNIQUE INDEX i\(number) ON \(table.quoted)(\(column))"
        case 4: return "CREATE INDEX i\(number) ON \(table.quoted)(\(column)) WHERE \(column) IS NOT NULL"
        case 5: return "CREATE INDEX i\(number) ON \(table.quoted)(length(\(column)))"
        case 6:
            return
                "CREATE TRIGGER g\(number) AFTER UPDATE ON \(table.quoted) BEGIN UPDATE \(other.quoted) SET \(changed.quoted) = NULL; END"
        case 7:
            return
                "CREATE TRIGGER g\(number) AFTER DELETE ON \(table.quoted) BEGIN DELETE FROM \(other.quoted); END"
        case 8:
            return "CREATE TRIGGER g\(number) AFTER INSERT ON \(table.quoted) BEGIN SELECT new.\(column); END"
        default: return "CREATE VIEW w\(number) AS SELECT \(column) FROM \(table.quoted)"
        }
    }
}
