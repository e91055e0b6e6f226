import TestTools

@testable import DrydockTestSupport

/// A rebuild of a table, for changes that ALTER TABLE cannot make, in one of the ways in which people and tools write
/// it.
struct Rebuild {
    private enum Way: CaseIterable {
        case create, renameFirst, createAs, throughTemporary, otherName, keepCopy
    }

    private let old: ModelTable
    private var new: ModelTable
    private var random: SeededGenerator
    private var draft: CaseGenerator.Draft
    private let database: PlainDatabase
    /// The expression that the copy writes into each column.
    private var copies: [(column: ModelColumn, expression: String)] = []
    private var filter = ""
    /// A table without a key to the old one, by which the copy finds its rows.
    private var partners: (definition: String, join: String)?
    private var verb = "INSERT"
    private var isDistinct = false
    private var way = Way.create

    init(
        _ old: ModelTable, _ draft: CaseGenerator.Draft, _ random: SeededGenerator, _ database: PlainDatabase
    ) {
        (self.old, self.draft, self.random, self.database) = (old, draft, random, database)
        new = old
    }

    func write(_ draft: inout CaseGenerator.Draft) {
        var rebuild = self
        rebuild.makeTable()
        rebuild.changeColumns()
        rebuild.changeCopy()
        rebuild.emit()
        draft = rebuild.draft
    }

    // MARK: - The new table

    private mutating func makeTable() {
        var ids: [Int: Int] = [:]
        new = ModelTable(id: draft.model.newID(), name: old.name, columns: [])
        for column in old.columns {
            let id = draft.model.newID()
            ids[column.id] = id
            var copy = ModelColumn(id: id, name: column.name, type: column.type, origins: column.origins)
            copy.generated = column.generated
            copy.isNotNull = column.isNotNull
            copy.defaultValue = column.defaultValue
            copy.collation = column.collation
            copy.check = column.check
            new.columns.append(copy)
        }
        let moved = { (list: [Int]) in list.compactMap { ids[$0] } }
        for index in new.columns.indices {
            guard let generated = new.columns[index].generated else { continue }
            new.columns[index].generated?.sources = moved(generated.sources)
        }
        switch old.key {
        case .none: break
        case .integer(let column, let isAutoincrement):
            new.key = .integer(ids[column] ?? 0, isAutoincrement: isAutoincrement)
        case .columns(let columns, let isWithoutRowid):
            new.key = .columns(moved(columns), isWithoutRowid: isWithoutRowid)
        }
        new.uniques = old.uniques.map(moved)
        new.foreignKeys = old.foreignKeys.map { key in
            var key = key
            key.columns = moved(key.columns)
            return key
        }
        new.isStrict = old.isStrict
        for (column, source) in zip(new.columns, old.columns) where column.generated == nil {
            copies.append((column, source.quoted))
        }
    }

    private mutating func changeColumns() {
        if random.chance(12) { changeGenerated() }
        if random.chance(10) { drop() }
        if random.chance(15) { rename() }
        if random.chance(10), let index = pickStored() {
            new.columns[index].type = random.pick(new.isStrict ? SchemaMaker.strictTypes : SchemaMaker.types)
        }
        if random.chance(12) {
            var maker = SchemaMaker(random: random, model: draft.model)
            var column = maker.column(in: new, taken: draft.start.tables.flatMap(\.columns).map(\.name))
            (draft.model, random) = (maker.model, maker.random)
            if column.isNotNull { column.defaultValue = "0" }
            new.columns.append(column)
            if random.chance(40) { copies.append((column, random.pick(["0", "'new'", "NULL"]))) }
        }
        if random.chance(8) { changeKey() }
        if random.chance(5), !new.isStrict {
            new.isStrict = true
            for index in new.columns.indices where !SchemaMaker.strictTypes.contains(new.columns[index].type)
            {
                new.columns[index].type = "ANY"
            }
        }
        if random.chance(20) { new.columns.shuffle(using: &random) }
        loseConstraint()
    }

    /// Forgets a constraint of the old table, as people do.
    private mutating func loseConstraint() {
        // A separate generator, so that the other results of a seed stay the same.
        var copy = random
        var extras = SeededGenerator(seed: ~copy.next())
        guard extras.chance(35) else { return }
        switch extras.below(7) {
        case 0 where !new.uniques.isEmpty: new.uniques.removeLast()
        case 1 where !new.foreignKeys.isEmpty: new.foreignKeys.removeLast()
        case 2 where !new.foreignKeys.isEmpty: new.foreignKeys[0].actions = ""
        case 3: for index in new.columns.indices { new.columns[index].isNotNull = false }
        case 4: for index in new.columns.indices { new.columns[index].check = nil }
        case 5: for index in new.columns.indices { new.columns[index].collation = nil }
        default: break
        }
    }

    private mutating func pickStored() -> Int? {
        let places = new.columns.indices.filter {
            new.columns[$0].generated == nil && !new.keyColumns.contains(new.columns[$0].id)
        }
        return places.isEmpty ? nil : random.pick(places)
    }

    private mutating func changeGenerated() {
        if let index = new.columns.firstIndex(where: { $0.generated != nil }) {
            switch random.below(5) {
            case 0...2:
                // The column is ordinary from now on; sometimes its values are left out.
                new.columns[index].generated = nil
                let source = old.columns.first { $0.origins == new.columns[index].origins }
                if random.chance(50), let source { copies.append((new.columns[index], source.quoted)) }
            case 3: new.columns[index].generated?.template = "'n' || {0}"
            default:
                let column = new.columns.remove(at: index)
                if random.chance(30), let source = old.columns.first(where: { $0.origins == column.origins })
                {
                    Operations.declareDrop(of: source, in: old, &draft)
                }
            }
        } else if let index = pickStored(),
            let source = new.columns.first(where: { $0.generated == nil && $0.id != new.columns[index].id })
        {
            let column = new.columns[index]
            guard !new.needed.contains(column.id) else { return }
            new.columns[index].generated = .init(
                template: "{0}", sources: [source.id], isStored: random.chance(50))
            new.columns[index].defaultValue = nil
            copies.removeAll { $0.column.id == column.id }
        }
    }

    private mutating func drop() {
        guard let index = pickStored() else { return }
        var gone: Set = [new.columns[index].id]
        let dependents = new.columns.filter { $0.generated?.sources.contains(new.columns[index].id) == true }
        gone.formUnion(dependents.map(\.id))
        guard new.columns.count > gone.count else { return }
        new.uniques.removeAll { !gone.isDisjoint(with: $0) }
        new.foreignKeys.removeAll { !gone.isDisjoint(with: $0.columns) }
        let isDeclared = random.chance(50)
        for column in new.columns where gone.contains(column.id) {
            guard isDeclared, let source = old.columns.first(where: { $0.origins == column.origins }) else {
                continue
            }
            if source.generated == nil || random.chance(60) {
                Operations.declareDrop(of: source, in: old, &draft)
            }
        }
        new.columns.removeAll { gone.contains($0.id) }
        copies.removeAll { gone.contains($0.column.id) }
    }

    private mutating func rename() {
        guard let index = pickStored() else { return }
        let column = new.columns[index]
        let name = SchemaMaker.newName(
            SchemaMaker.columnNames + ["moved"], taken: (new.columns + old.columns).map(\.name), &random)
        new.columns[index].name = name
        guard let copy = copies.firstIndex(where: { $0.column.id == column.id }) else { return }
        copies[copy].column = new.columns[index]
        if random.chance(30) { copies[copy].expression = "coalesce(\(copies[copy].expression), '')" }
        if random.chance(20), let source = old.columns.first(where: { $0.origins == column.origins }) {
            for (start, own) in Operations.counterparts(of: source, old, draft) {
                draft.declare(
                    "renames column \(start.quoted).\(own.quoted) to \(start.quoted).\(quote(name))")
            }
        }
    }

    private mutating func changeKey() {
        switch new.key {
        case .none:
            var column = ModelColumn(id: draft.model.newID(), name: "rid", type: "INTEGER", origins: [])
            guard !new.columns.contains(where: { $0.name == "rid" }) else { return }
            column.origins = [column.id]
            new.columns.insert(column, at: 0)
            new.key = .integer(column.id, isAutoincrement: random.chance(40))
        case .integer(let id, let isAutoincrement):
            new.key =
                random.chance(50)
                ? .integer(id, isAutoincrement: !isAutoincrement)
                : .columns([id], isWithoutRowid: random.chance(50))
        case .columns(let ids, let isWithoutRowid): new.key = .columns(ids, isWithoutRowid: !isWithoutRowid)
        }
    }

    // MARK: - The copy

    private mutating func changeCopy() {
        let isFree = { (copy: (column: ModelColumn, expression: String), new: ModelTable) in
            !new.keyColumns.contains(copy.column.id)
        }
        let free = copies.indices.filter { isFree(copies[$0], new) }
        if !free.isEmpty {
            if random.chance(8) {
                let index = random.pick(free)
                copies[index].expression = Operations.expression(copies[index].expression, &random)
                if random.chance(40),
                    let source = old.columns.first(where: { $0.origins == copies[index].column.origins })
                {
                    for (start, own) in Operations.counterparts(of: source, old, draft) {
                        draft.declare("rewrites \(start.quoted).\(own.quoted)")
                        draft.file.exemptions.columns.insert(own.id)
                    }
                }
            }
            if random.chance(4), free.count > 1 {
                let (a, b) = (free[0], free[free.count - 1])
                (copies[a].expression, copies[b].expression) = (copies[b].expression, copies[a].expression)
            }
            if random.chance(5) { copies.remove(at: random.pick(free)) }
        }
        if random.chance(10), let index = pickStored() { new.uniques.append([new.columns[index].id]) }
        if random.chance(6) {
            let condition = Operations.condition(old, &random)
            filter = " WHERE \(condition)"
            if random.chance(50), let start = draft.start[old.id],
                start.columns.map(\.name) == old.columns.map(\.name)
            {
                draft.declare("deletes from \(start.quoted) where NOT coalesce(\(condition), 0)")
                draft.file.exemptions.rows[old.id, default: []].append("NOT coalesce(\(condition), 0)")
            }
        }
        verb = random.pick([
            "INSERT", "INSERT", "INSERT", "INSERT", "INSERT OR IGNORE", "INSERT OR REPLACE", "REPLACE",
        ])
        isDistinct = random.chance(4)
        if random.chance(10), let column = old.columns.first { filter += " ORDER BY \(column.quoted) DESC" }
        joinPartners()
    }

    /// Has the copy take only the rows that find a partner, of which some columns have one for each value.
    private mutating func joinPartners() {
        // A separate generator, so that the other results of a seed stay the same.
        var seed = random
        var own = SeededGenerator(seed: ~seed.next())
        guard own.chance(8), let column = old.columns.isEmpty ? nil : own.pick(old.columns) else { return }
        let condition = own.chance(30) ? " WHERE \(Operations.condition(old, &own))" : ""
        partners = (
            "CREATE TEMP TABLE partners AS SELECT DISTINCT \(column.quoted) AS partner FROM \(old.quoted)\(condition)",
            own.pick([
                " JOIN partners ON \(column.quoted) = partner",
                " JOIN partners ON \(column.quoted) IS partner",
                " LEFT JOIN partners ON partner = \(column.quoted)",
            ])
        )
    }

    private func copy(into target: String, from source: String, _ random: inout SeededGenerator) -> String {
        let columns = copies.map(\.column.quoted).joined(separator: ", ")
        let expressions = copies.map(\.expression)
        let stored = new.columns.filter { $0.generated == nil }.map(\.id)
        let isWhole = copies.map(\.column.id) == stored
        let isStar =
            isWhole && partners == nil && expressions == old.columns.map(\.quoted) && random.chance(50)
        let list = isWhole && random.chance(40) ? "" : "(\(columns))"
        return
            "\(verb) INTO \(target)\(list) SELECT \(isDistinct ? "DISTINCT " : "")\(isStar ? "*" : expressions.joined(separator: ", ")) FROM \(source)\(partners?.join ?? "")\(filter)"
    }

    // MARK: - The statements

    private mutating func emit() {
        guard !copies.isEmpty else { return }
        way = random.chance(60) ? .create : random.pick(Way.allCases)
        let objects = dependents()
        let views = objects.filter { $0.type == "view" }
        let dropsViews = !views.isEmpty && random.chance(85)
        let guarded = random.chance(40)
        let saved = draft.tool.enforces && random.chance(60) ? draft.model.children(of: old) : []
        if guarded { draft.run("PRAGMA foreign_keys = OFF") }
        if random.chance(10) { draft.run("PRAGMA defer_foreign_keys = ON") }
        if dropsViews { draft.file.statements += views.map { "DROP VIEW \(quote($0.name))" } }
        for child in saved {
            let list = child.stored.map(\.quoted).joined(separator: ", ")
            draft.run(
                "CREATE TEMP TABLE \(quote("kept " + child.name)) AS SELECT \(list) FROM \(child.quoted)")
        }
        let isSpread = way == .create && random.chance(20)
        if let partners { draft.run(partners.definition) }
        steps(isSpread)
        if partners != nil { draft.run("DROP TABLE temp.partners") }
        for child in saved {
            let list = child.stored.map(\.quoted).joined(separator: ", ")
            draft.run(
                "INSERT OR IGNORE INTO \(child.quoted)(\(list)) SELECT \(list) FROM \(quote("kept " + child.name))",
                "DROP TABLE \(quote("kept " + child.name))")
        }
        if !isSpread, random.chance(85) {
            draft.file.statements += objects.filter {
                $0.type != "view" && $0.table.lowercased() == old.name.lowercased()
            }.map(\.sql)
        }
        if dropsViews && !isSpread { draft.file.statements += views.map(\.sql) }
        if guarded { draft.run("PRAGMA foreign_keys = ON") }
    }

    private mutating func steps(_ isSpread: Bool) {
        let taken = draft.model.tables.map(\.name)
        let temporary = SchemaMaker.newName(
            ["new_\(old.name)", "\(old.name)_new", "__new_\(old.name)", "tmp", "_\(old.name)_old"],
            taken: taken, &random)
        switch way {
        case .create:
            new.name = temporary
            draft.run(new.definition(), copy(into: quote(temporary), from: old.quoted, &random))
            draft.model.tables.append(new)
            if isSpread { return spread() }
            dropOld()
            draft.run("ALTER TABLE \(quote(temporary)) RENAME TO \(old.quoted)")
            draft.model.rename(new.id, to: old.name)
        case .renameFirst:
            draft.run("ALTER TABLE \(old.quoted) RENAME TO \(quote(temporary))")
            draft.model.rename(old.id, to: temporary)
            draft.run(new.definition(), copy(into: new.quoted, from: quote(temporary), &random))
            draft.model.tables.append(new)
            if random.chance(80) { dropOld() }
        case .createAs:
            // No types, no key, no constraints; the items have aliases.
            let list = copies.map { "\($0.expression) AS \($0.column.quoted)" }.joined(separator: ", ")
            draft.run(
                "CREATE TABLE \(quote(temporary)) AS SELECT \(isDistinct ? "DISTINCT " : "")\(list) FROM \(old.quoted)\(partners?.join ?? "")\(filter)"
            )
            var plain = ModelTable(id: new.id, name: temporary, columns: [])
            plain.columns = copies.map {
                ModelColumn(id: $0.column.id, name: $0.column.name, type: "", origins: $0.column.origins)
            }
            draft.model.tables.append(plain)
            dropOld()
            draft.run("ALTER TABLE \(quote(temporary)) RENAME TO \(old.quoted)")
            draft.model.rename(new.id, to: old.name)
        case .throughTemporary:
            let list = old.columns.map(\.quoted).joined(separator: ", ")
            draft.run("CREATE TEMP TABLE kept AS SELECT \(list) FROM \(old.quoted)")
            dropOld()
            draft.run(new.definition(), copy(into: new.quoted, from: "kept", &random), "DROP TABLE kept")
            draft.model.tables.append(new)
        case .otherName:
            new.name = SchemaMaker.newName(SchemaMaker.tableNames + ["other"], taken: taken, &random)
            draft.run(new.definition(), copy(into: new.quoted, from: old.quoted, &random))
            draft.model.tables.append(new)
            dropOld()
        case .keepCopy:
            let kept = Operations.copied(old, as: temporary, &draft)
            let list = old.columns.map(\.quoted).joined(separator: ", ")
            draft.run("CREATE TABLE \(kept.quoted) AS SELECT \(list) FROM \(old.quoted)")
            dropOld()
            draft.run(new.definition(), copy(into: new.quoted, from: kept.quoted, &random))
            draft.model.tables += [kept, new]
            if random.chance(60) {
                draft.run("DROP TABLE \(kept.quoted)")
                draft.model[kept.id] = nil
            }
        }
    }

    private mutating func dropOld() {
        draft.run("DROP TABLE \(draft.model[old.id]?.quoted ?? old.quoted)")
        draft.model[old.id] = nil
    }

    /// Moves the remaining statements to separate files.
    private mutating func spread() {
        let (oldID, newID, name) = (old.id, new.id, old.name)
        let together = random.chance(40)
        draft.pending.append { draft, _ in
            guard let old = draft.model[oldID], let new = draft.model[newID] else { return }
            draft.run("DROP TABLE \(old.quoted)")
            draft.model[oldID] = nil
            guard together else { return }
            draft.run("ALTER TABLE \(new.quoted) RENAME TO \(quote(name))")
            draft.model.rename(newID, to: name)
        }
        if together { return }
        draft.pending.append { draft, _ in
            guard let new = draft.model[newID], draft.model.table(name) == nil else { return }
            draft.run("ALTER TABLE \(new.quoted) RENAME TO \(quote(name))")
            draft.model.rename(newID, to: name)
        }
    }

    private func dependents() -> [(type: String, name: String, table: String, sql: String)] {
        (try? database.rows(
            "SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE type IN ('index', 'trigger', 'view') AND sql IS NOT NULL"
        ) { ($0.string(0), $0.string(1), $0.string(2), $0.string(3)) }) ?? []
    }
}
