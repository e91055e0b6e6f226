import Drydock
import SQLiteSchema

/// Tables with their columns, and what their foreign keys reference; on top of that, what a difference did to them.
///
///     EntityDiagram(excerpt.schema, changes: changes).node("What v12 did")
struct EntityDiagram {
    enum Mark {
        case plain, added, dropped, changed
        /// Beside what changed.
        case beside
        /// Referenced, but not in the schema.
        case missing
    }

    struct Box {
        var name: String
        /// The module of a virtual table.
        var module: String?
        var mark: Mark
        /// What a tooltip says, such as its name before.
        var about: String?
        var rows: [Row] = []
    }

    struct Row {
        var mark = Mark.plain
        var name: String
        var type = ""
        /// `PK`, `FK`, both or none.
        var key = ""
        /// The folded name of the column; nil for an index and the like.
        var column: String?
        var about: String?
    }

    struct Edge {
        /// The referenced table and its column, the referencing one and its.
        var parent: Int
        var parentColumn: String?
        var child: Int
        var childColumn: String?
        var mark: Mark
        var about: String
    }

    private(set) var boxes: [Box] = []
    private(set) var edges: [Edge] = []
    /// The number of tables that are not drawn.
    private(set) var leftOut = 0

    private let changes: DiagramChanges
    /// How many columns of a table are shown.
    private let columnLimit: Int
    private var places: [String: Int] = [:]

    /// - Parameters:
    ///   - changes: those that led to the schema; empty for the schema alone.
    ///   - leftOut: the number of tables that are missing from the schema already.
    ///   - limit: how many tables are drawn at most; those that changed or have most foreign keys come first.
    init(_ schema: Schema, changes: [SchemaChange] = [], leftOut others: Int = 0, limit: Int = 40) {
        let known = DiagramChanges(changes)
        self.changes = known
        func mark(_ table: String) -> Mark { changes.isEmpty ? .plain : known.mark(of: table) ?? .beside }
        var tables = known.dropped.map { (table: $0, mark: Mark.dropped) }
        tables += schema.tables.values.map { ($0, mark($0.name)) }
        var virtuals = known.droppedVirtual.map { (table: $0, mark: Mark.dropped) }
        virtuals += schema.virtualTables.values.map { ($0, mark($0.name)) }
        let count = tables.count + virtuals.count
        if tables.count > limit {
            let degrees = Self.degrees(tables.map(\.table))
            let rank = { (table: Table, mark: Mark) in
                (mark == .beside ? 1 : 0, -(degrees[table.name.foldedASCII] ?? 0), table.name.foldedASCII)
            }
            tables = Array(tables.sorted { rank($0.table, $0.mark) < rank($1.table, $1.mark) }.prefix(limit))
        }
        virtuals = Array(
            virtuals.sorted { $0.table.name.foldedASCII < $1.table.name.foldedASCII }.prefix(
                limit - tables.count))
        leftOut = others + count - tables.count - virtuals.count
        columnLimit = count > 24 ? 0 : changes.isEmpty ? 24 : 14
        tables.sort { ($0.table.name.foldedASCII, "\($0.mark)") < ($1.table.name.foldedASCII, "\($1.mark)") }
        for (index, (table, mark)) in tables.enumerated()
        where places[table.name.foldedASCII] == nil || mark != .dropped {
            places[table.name.foldedASCII] = index
        }
        boxes = tables.map { Box(name: $0.table.name, mark: $0.mark, about: known.about($0.table.name)) }
        for (index, (table, mark)) in tables.enumerated() { connect(table, index, mark, schema) }
        for (index, (table, mark)) in tables.enumerated() { boxes[index].rows = rows(table, index, mark) }
        boxes += virtuals.map { virtual($0.table, $0.mark) }
    }

    /// The number of foreign keys that lead from or to each table.
    private static func degrees(_ tables: [Table]) -> [String: Int] {
        var degrees: [String: Int] = [:]
        for table in tables {
            for key in table.foreignKeys {
                degrees[table.name.foldedASCII, default: 0] += 1
                degrees[key.parent.foldedASCII, default: 0] += 1
            }
        }
        return degrees
    }

    // MARK: - Foreign keys

    private mutating func connect(_ table: Table, _ child: Int, _ mark: Mark, _ schema: Schema) {
        let own = changes.foreignKeys[table.name.foldedASCII] ?? [:]
        let gone = mark == .dropped ? [] : changes.droppedKeys[table.name.foldedASCII] ?? []
        let keys =
            table.foreignKeys.map { ($0, own[$0.columns.map(\.foldedASCII)]) } + gone.map { ($0, .dropped) }
        for (key, change) in keys {
            let isOfDropped = mark == .dropped || change == .dropped
            guard let parent = place(of: key.parent, schema, isOfDropped: isOfDropped, mark) else { continue }
            let columns = isOfDropped ? key.parentColumns : schema.parentColumns(of: key)
            let keyMark =
                mark == .added || mark == .dropped
                ? mark : change ?? (mark == .beside && boxes[parent].mark == .beside ? .beside : .plain)
            edges.append(
                Edge(
                    parent: parent, parentColumn: columns?.first?.foldedASCII, child: child,
                    childColumn: key.columns.first?.foldedASCII, mark: keyMark,
                    about: Self.text(of: key, table, columns, keyMark)))
        }
    }

    /// Returns the box of a referenced table. One that does not exist gets a box of its own, unless that is only beside
    /// what is shown.
    private mutating func place(
        of name: String, _ schema: Schema, isOfDropped: Bool, _ mark: Mark
    ) -> Int? {
        if let place = places[name.foldedASCII] { return place }
        guard mark != .beside, !isOfDropped, schema.tables[name.foldedASCII] == nil else { return nil }
        places[name.foldedASCII] = boxes.count
        boxes.append(Box(name: name, mark: .missing, about: "there is no such table"))
        return boxes.count - 1
    }

    private static func text(of key: ForeignKey, _ table: Table, _ columns: [String]?, _ mark: Mark) -> String
    {
        var text = "\(table.name)(\(key.columns.joined(separator: ", "))) references \(key.parent)"
        if let columns { text += "(\(columns.joined(separator: ", ")))" }
        if key.onDelete != .noAction { text += " ON DELETE \(key.onDelete.rawValue)" }
        if key.onUpdate != .noAction { text += " ON UPDATE \(key.onUpdate.rawValue)" }
        if let word = mark.word { text += " (\(word))" }
        return text
    }

    // MARK: - Columns

    private func rows(_ table: Table, _ index: Int, _ mark: Mark) -> [Row] {
        let ports = Set(
            edges.flatMap { edge in
                [
                    edge.child == index ? edge.childColumn : nil,
                    edge.parent == index ? edge.parentColumn : nil,
                ]
            }.compactMap(\.self))
        let marks = mark == .beside ? [:] : changes.columns[table.name.foldedASCII] ?? [:]
        var all = table.columns.map { row($0, table, marks[$0.name.foldedASCII]) }
        if mark == .changed {
            all += (changes.droppedColumns[table.name.foldedASCII] ?? []).map {
                Row(
                    mark: .dropped, name: $0.name, type: $0.declaredType, column: $0.name.foldedASCII,
                    about: "dropped")
            }
        }
        let limit = mark == .beside ? 0 : columnLimit
        if all.count > limit {
            func isTelling(_ row: Row) -> Bool {
                row.mark != .plain || ports.contains(row.column ?? "")
                    || mark != .beside && row.key.contains("PK")
            }
            var left = max(0, limit - 1 - all.count(where: isTelling))
            let shown = all.filter { row in
                if isTelling(row) { return true }
                left -= 1
                return left >= 0
            }
            let more = all.count - shown.count
            if more > 0 {
                all = shown + [Row(name: "… \(counted(more, shown.isEmpty ? "column" : "more column"))")]
            }
        }
        return all + (mark == .beside || mark == .dropped ? [] : notes(table, mark))
    }

    private func row(_ column: Column, _ table: Table, _ change: DiagramChanges.Change?) -> Row {
        let folded = column.name.foldedASCII
        let isKey = table.primaryKey?.terms.contains { $0.column.foldedASCII == folded } ?? false
        let isForeign = table.foreignKeys.contains { $0.columns.contains { $0.foldedASCII == folded } }
        let mayBeNull = !table.isNotNull(column) && table.rowidAlias?.name != column.name
        let key = [isKey ? "PK" : nil, isForeign ? "FK" : nil].compactMap(\.self).joined(separator: " ")
        return Row(
            mark: change?.mark ?? .plain, name: column.name,
            type: column.declaredType + (mayBeNull ? "?" : ""), key: key, column: folded,
            about: change?.words)
    }

    /// Returns what changed besides columns and foreign keys.
    private func notes(_ table: Table, _ mark: Mark) -> [Row] {
        let limit = 6
        var notes = (changes.notes[table.name.foldedASCII] ?? []).map { note in
            Row(mark: mark == .added ? .plain : note.mark, name: note.words)
        }
        if notes.count > limit {
            let more = notes.count - limit + 1
            notes = notes.prefix(limit - 1) + [Row(name: "… \(more) more")]
        }
        return notes
    }

    private func virtual(_ table: VirtualTable, _ mark: Mark) -> Box {
        var rows = table.arguments.prefix(10).map { Row(name: $0.text) }
        if table.arguments.count > 10 { rows.append(Row(name: "… \(table.arguments.count - 10) more")) }
        return Box(
            name: table.name, module: table.module, mark: mark, about: changes.about(table.name), rows: rows)
    }
}

extension EntityDiagram.Mark {
    init(_ sign: SchemaChange.Sign) {
        switch sign {
        case .added: self = .added
        case .dropped: self = .dropped
        case .changed: self = .changed
        }
    }

    /// What stands beside a name, so that the colour says nothing alone.
    var symbol: String? {
        switch self {
        case .added: "+"
        case .dropped: "−"
        case .changed: "~"
        case .missing: "?"
        case .plain, .beside: nil
        }
    }

    var word: String? {
        switch self {
        case .added: "added"
        case .dropped: "dropped"
        case .changed: "changed"
        case .missing: "missing"
        case .plain, .beside: nil
        }
    }
}
