import DrydockFindings
import DatabaseEngine
import SQLiteSchema

/// How each column of a database is masked.
struct MaskPlan: Sendable {
    /// A column, by folded names.
    struct Place: Sendable, Hashable {
        var table, column: String
    }

    private(set) var styles: [Place: MaskStyle] = [:]
    private(set) var reasons: [Place: String] = [:]
    /// The columns that may stay.
    private(set) var allowed: Set<Place> = []
    let masker: Masker
    private let source: SubsetSource

    init(_ request: MaskRequest, _ source: SubsetSource, _ masker: Masker) throws {
        (self.source, self.masker) = (source, masker)
        for entry in request.allowed {
            allowed.formUnion(try MaskNames(source, flag: "--unmasked").places(entry).places)
        }
        for entry in request.columns {
            let (places, isOrdered) = try MaskNames(source, flag: "--mask").places(entry)
            for place in places {
                add(place, isOrdered ? .ordered : .form, "named")
            }
        }
    }

    var isEmpty: Bool { styles.isEmpty }

    func isMasked(_ column: String, in table: SubsetTable) -> Bool {
        styles[Place(table: table.folded, column: column.foldedASCII)] != nil
    }

    /// Masks a column, and all that must have the same values: those that refer to it or to which it refers, and its copies
    /// in full-text tables.
    mutating func add(_ place: Place, _ style: MaskStyle, _ reason: String) {
        var open = [(place, reason)]
        while let (place, reason) = open.popLast() {
            let known = styles[place]
            guard known == nil || known == .form && style != .form else { continue }
            styles[place] = style
            if reasons[place] == nil { reasons[place] = reason }
            let name = self.name(of: place)
            for link in source.links {
                for (own, other) in zip(link.columns, link.parentColumns) {
                    let child = Place(table: link.child.foldedASCII, column: own.foldedASCII)
                    let parent = Place(table: link.parent.foldedASCII, column: other.foldedASCII)
                    if child == place { open.append((parent, "\(name) refers to it")) }
                    if parent == place { open.append((child, "refers to \(name)")) }
                }
            }
            for table in source.tables where table.leader == place.table {
                let own = source.table(place.table)?.columns.map(\.foldedASCII) ?? []
                for column in table.columns
                where column.foldedASCII == place.column || !own.contains(column.foldedASCII) {
                    open.append((Place(table: table.folded, column: column.foldedASCII), "a copy of \(name)"))
                }
            }
        }
    }

    /// Sets the style of a masked column and of all that must have the same values.
    mutating func change(_ place: Place, to style: MaskStyle) {
        let group = group(of: place)
        for place in group { styles[place] = style }
    }

    private func group(of place: Place) -> Set<Place> {
        var copy = self
        copy.styles = [:]
        copy.add(place, .form, "")
        return Set(copy.styles.keys)
    }

    /// The value of a column of row `c`, in SQL.
    func value(of column: String, in table: SubsetTable) -> String {
        let value = "c.\(quotedName(column))"
        guard let style = styles[Place(table: table.folded, column: column.foldedASCII)] else { return value }
        return masked(value, style)
    }

    /// The rowid of row `c`, in SQL: that of an index is masked if the rows of its table have masked ones.
    func rowid(of table: SubsetTable, in source: SubsetSource) -> String {
        let value = "c.\(table.rowid ?? "rowid")"
        guard let leader = table.leader.flatMap(source.table), let alias = leader.alias,
            let style = styles[Place(table: leader.folded, column: alias.foldedASCII)]
        else { return value }
        return masked(value, style)
    }

    private func masked(_ value: String, _ style: MaskStyle) -> String {
        "\(Masker.name)(\(value), \(masker.number(of: style)))"
    }

    func name(of place: Place) -> String {
        let table = source.table(place.table)
        let column = table?.columns.first { $0.foldedASCII == place.column } ?? place.column
        return MaskSummary.Column(table: table?.name ?? place.table, column: column, reason: "").name
    }

    /// What was decided, with reasons for what stays.
    func summary(left: [Place: String]) -> MaskSummary {
        var summary = MaskSummary()
        for table in source.tables {
            for column in table.maskable {
                let place = Place(table: table.folded, column: column.foldedASCII)
                func entry(_ reason: String) -> MaskSummary.Column {
                    .init(table: table.name, column: column, reason: reason)
                }
                if styles[place] != nil {
                    summary.masked.append(entry(reasons[place] ?? ""))
                } else if allowed.contains(place) {
                    summary.left.append(entry("allowed"))
                } else {
                    summary.left.append(entry(left[place] ?? MaskSummary.notNamed))
                    summary.unsettled.append(entry(left[place] ?? MaskSummary.notNamed))
                }
            }
        }
        return summary
    }
}

/// Finds the columns that `table.column` names.
private struct MaskNames {
    let source: SubsetSource
    let flag: String

    init(_ source: SubsetSource, flag: String) { (self.source, self.flag) = (source, flag) }

    private static let order = ":ordered"

    func places(_ entry: String) throws -> (places: [MaskPlan.Place], isOrdered: Bool) {
        let isOrdered = entry.hasSuffix(Self.order)
        let name = isOrdered ? String(entry.dropLast(Self.order.count)) : entry
        var table: SubsetTable?
        var found: [(table: SubsetTable, places: [MaskPlan.Place])] = []
        var fault = "write it as table.column"
        // A table's name may have a dot in it.
        for place in name.indices where name[place] == "." {
            let (head, column) = (
                SQLName.unquoted(String(name[..<place])),
                SQLName.unquoted(String(name[name.index(after: place)...]))
            )
            guard let named = source.table(head) else {
                if table == nil { fault = missing(head) }
                continue
            }
            table = named
            if name[place...] == ".*", !named.maskable.isEmpty {
                found.append((named, named.maskable.map { Self.place(named, $0) }))
            } else if name[place...] == ".*" || named.toolColumns.contains(column.foldedASCII) {
                let what = name[place...] == ".*" ? named.name : column
                throw error(
                    entry, "\(quotedIfNeeded(what)) belongs to the migration tool, which needs its values")
            } else if let own = named.columns.first(where: { $0.foldedASCII == column.foldedASCII }) {
                found.append((named, [Self.place(named, own)]))
            } else {
                fault = missing(column, in: named)
            }
        }
        guard let first = found.first else { throw error(entry, fault) }
        guard found.count == 1 else {
            let tables = found.map { quotedIfNeeded($0.table.name) }
            throw error(
                entry, "this may be a column of \(listed(tables)); put the table's name in double quotes")
        }
        return (first.places, isOrdered)
    }

    private static func place(_ table: SubsetTable, _ column: String) -> MaskPlan.Place {
        .init(table: table.folded, column: column.foldedASCII)
    }

    private func missing(_ table: String) -> String {
        if let indexed = source.indexed(by: table) {
            return "\(quotedIfNeeded(table)) keeps no rows of its own: name the columns of \(indexed)"
        }
        if source.schema.views[table.foldedASCII] != nil {
            return "\(quotedIfNeeded(table)) is a view: name the columns of the tables that it reads"
        }
        let near = nearestName(to: table, in: source.tables.map(\.name))
        return "there is no table \(quotedIfNeeded(table))"
            + (near.map { "; did you mean \(quotedIfNeeded($0))?" } ?? "")
    }

    private func missing(_ column: String, in table: SubsetTable) -> String {
        if source.catalog.tables[table.folded]?.column(column)?.isGenerated == true {
            return "\(quotedIfNeeded(column)) is computed from other columns: name those"
        }
        let near = nearestName(to: column, in: table.columns)
        return "\(quotedIfNeeded(table.name)) has no column \(quotedIfNeeded(column))"
            + (near.map { "; did you mean \(quotedIfNeeded($0))?" }
                ?? "; it has \(listed(table.columns.map(quotedIfNeeded)))")
    }

    private func error(_ entry: String, _ fault: String) -> RequestError {
        RequestError(.settingInvalid, "\(flag) \(VisibleText.line(entry)): \(fault)")
    }
}
