import DrydockFindings
import DrydockState
import DatabaseEngine
import SQLiteFile
import SQLiteSchema

/// The check `column-type`: values that a STRICT table would refuse, such as text in an INTEGER column.
struct ColumnTypeCheck: RangedHealthCheck {
    let text = HealthCheckText(
        .columnType, "values have another type than their column declares",
        why:
            "SQLite keeps what it cannot convert (https://www.sqlite.org/datatype3.html); programs may not expect it."
    )

    let isDeepOnly = true
    let isDivisible = true

    func check(_ view: HealthView) throws -> HealthResult {
        try parts(view).reduce(into: HealthResult()) { $0 += try check(view, part: $1) }
    }

    func parts(_ view: HealthView) -> [String] {
        view.schema.tables.values.filter { !$0.isStrict }.map(\.name).sorted()
    }

    func check(_ view: HealthView, part: String) throws -> HealthResult {
        try checkWhole(view, part: part)
    }

    func check(_ view: HealthView, part: String, _ range: inout HealthRange) throws {
        let wanted = wanted(view, part)
        guard !wanted.isEmpty, let root = view.facts.roots[part] else {
            range.isDone = true
            return
        }
        guard let places = places(of: wanted, view, part) else {
            // SQLite must be queried for what records do not show.
            for tally in try count(wanted, view, part) { range.add(tally) }
            range.isDone = true
            return
        }
        let tallies = wanted.map { HealthTally($0.column.name, kind: $0.kind) }
        // The storage classes that are wrong at each place, a bit each.
        let refused = places.map { index in index.map { wanted[$0].refused } ?? 0 }
        let records = RecordTallies(view, root: root) { rowid, bytes, page, found in
            var reader = try RecordReader(bytes, page: page)
            var place = 0
            while place < refused.count, let field = try reader.next() {
                if refused[place] & field.storageClass.bit != 0, let index = places[place] {
                    found[index].add(rowid: rowid)
                }
                place += 1
            }
        }
        try records.add(to: &range, tallies, isProved: view.facts.isProved)
    }

    /// Returns the checked column for each value's place in the records; nil if a record does not show what the
    /// column holds.
    private func places(of wanted: [Wanted], _ view: HealthView, _ part: String) -> [Int?]? {
        guard let table = view.catalog.table(part), let layout = RecordLayout(table) else { return nil }
        var places: [Int?] = []
        for (index, it) in wanted.enumerated() {
            guard let column = layout.column(it.column.name) else { return nil }
            // A row that is older than the column has the column's default.
            switch column.defaultValue {
            case .text where it.affinity != .text, .real where it.affinity == .integer, .blob: return nil
            default: break
            }
            guard case .value(let place) = column.source else { continue }
            while places.count <= place { places.append(nil) }
            places[place] = index
        }
        return places
    }

    private func count(_ wanted: [Wanted], _ view: HealthView, _ part: String) throws -> [HealthTally] {
        let sums = wanted.map {
            "coalesce(sum(typeof(\(quotedName($0.column.name))) NOT IN (\($0.classes))), 0)"
        }
        let sql = "SELECT \(sums.joined(separator: ", ")) FROM main.\(quotedName(part))"
        let counts =
            try view.connection.firstRow(sql) { row in wanted.indices.map { Int(row.integer($0)) } } ?? []
        return zip(wanted, counts).filter { $1 > 0 }.map { it, count in
            var tally = HealthTally(it.column.name, kind: it.kind)
            tally.evidence.rowCount = count
            return tally
        }
    }

    func findings(_ tallies: [HealthTally], part: String) -> [Finding] {
        tallies.map { tally in
            let column = tally.object ?? ""
            let kinds = tally.kind.split(separator: "\n", omittingEmptySubsequences: false)
            return finding(
                .warning,
                "\(counted(tally.count, "value")) of \(part).\(column) are not of the type \(kinds.first ?? "")",
                help:
                    "See them: SELECT * FROM \(quotedIfNeeded(part)) WHERE typeof(\(quotedIfNeeded(column)))"
                    + " NOT IN (\(kinds.last ?? ""));",
                table: part, object: column, evidence: Evidence(rowCount: tally.count))
        }
    }

    /// A column with values to be checked.
    private struct Wanted {
        var column: Column
        var affinity: Affinity
        /// The accepted storage classes, as SQL.
        var classes: String

        var kind: String { "\(column.declaredType)\n\(classes)" }

        /// The storage classes that a STRICT table would refuse, a bit each.
        var refused: UInt8 {
            let taken: [StorageClass] =
                switch affinity {
                case .text: [.null, .text]
                case .real: [.null, .real, .integer]
                default: [.null, .integer]
                }
            return taken.reduce(.max) { $0 & ~$1.bit }
        }
    }

    private func wanted(_ view: HealthView, _ part: String) -> [Wanted] {
        guard let table = view.schema.table(part) else { return [] }
        return table.columns.compactMap { column in
            let affinity = table.affinity(of: column)
            return Self.classes(affinity).map { Wanted(column: column, affinity: affinity, classes: $0) }
        }
    }

    /// Returns the storage classes that a STRICT table would accept; nil if it would accept any, or if dates are kept
    /// as text.
    private static func classes(_ affinity: Affinity) -> String? {
        switch affinity {
        case .integer: "'integer', 'null'"
        case .real: "'real', 'integer', 'null'"
        case .text: "'text', 'null'"
        default: nil
        }
    }
}

extension StorageClass {
    fileprivate var bit: UInt8 {
        switch self {
        case .null: 1
        case .integer: 2
        case .real: 4
        case .text: 8
        case .blob: 16
        }
    }
}
