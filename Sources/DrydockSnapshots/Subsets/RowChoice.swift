import DrydockFindings
import DatabaseEngine
import SQLiteSchema

/// Chooses the rows of single tables, before those that they refer to.
struct RowChoice {
    let connection: any Connection
    let source: SubsetSource
    let request: SubsetRequest
    /// Conditions by folded name of the table.
    let conditions: [String: String]
    /// How many rows tables have, by number, as far as they were counted.
    private(set) var totals: [Int: Int] = [:]

    init(_ connection: any Connection, _ source: SubsetSource, _ request: SubsetRequest) {
        (self.connection, self.source, self.request) = (connection, source, request)
        conditions = Dictionary(
            request.conditions.map { ($0.key.foldedASCII, $0.value) }, uniquingKeysWith: { first, _ in first }
        )
    }

    /// Makes the tables of keys.
    func prepare() throws {
        for table in source.tables where !table.isKeyless {
            for name in [table.chosen, table.open, table.work] {
                try connection.execute(table.definition(of: name))
            }
        }
    }

    /// Chooses the rows of a table.
    /// - Throws: ``RequestError`` where no row meets the table's condition.
    mutating func choose(_ table: SubsetTable) throws {
        guard !table.isKeyless else { return }
        let condition = conditions[table.folded]
        let rows = "\(table.source) AS c" + (condition.map { " WHERE (\($0))" } ?? "")
        do {
            // Also without the parentheses, which a condition might close.
            if let condition {
                _ = try connection.prepare("SELECT 1 FROM \(table.source) AS c WHERE \(condition)")
            }
            _ = try connection.prepare("SELECT 1 FROM \(rows)")
        } catch let error as EngineError where condition != nil {
            throw RequestError(
                .settingInvalid,
                "--where \(VisibleText.line("\(table.name)=\(condition ?? "")")): \(error.message); nothing was written"
            )
        }
        let limit = table.isHistory ? Int(Int32.max) : request.wholeLimit
        let few =
            try connection.firstRow("SELECT count(*) FROM (SELECT 1 FROM \(rows) LIMIT \(limit + 1))") {
                Int($0.integer(0))
            } ?? 0
        if let condition, few == 0 {
            throw RequestError(
                .refused,
                "no row of \(quotedIfNeeded(table.name)) meets --where \(VisibleText.line(condition)); nothing was written"
            )
        }
        let isWhole = few <= limit || condition != nil && request.amount == nil
        if isWhole {
            try connection.execute("INSERT INTO \(table.chosen) SELECT \(table.key(of: "c")) FROM \(rows)")
            if condition == nil { totals[table.number] = few }
        } else {
            try sample(table, rows, isCounted: condition == nil)
        }
        if !request.isOnlyValid, !table.isHistory, !isWhole { try addOrphans(of: table, condition) }
    }

    private mutating func sample(_ table: SubsetTable, _ rows: String, isCounted: Bool) throws {
        let columns = (table.key + table.columns.map(quotedName)).map { "c." + $0 }
        var profile = RowProfile(columnCount: table.columns.count, encoding: source.catalog.encoding)
        var picker = RowPicker(request.amount ?? .rows(SubsetRequest.standardRows))
        let seed = table.name.foldedASCII.utf8.reduce(into: RowHash(request.seed)) { $0.add(UInt64($1)) }
            .value
        let (count, isRowid) = (table.key.count, table.keyCollations.isEmpty)
        var total = 0
        try connection.forEachRow("SELECT \(columns.joined(separator: ", ")) FROM \(rows)") { row in
            let key: RowKey =
                isRowid ? .rowid(row.integer(0)) : .values((0..<count).map(row.value))
            total += 1
            profile.see(row, first: count, key)
            picker.see(key, key.hash(seed))
            if picker.isFull { try add(picker.take(), to: table) }
        }
        try add(picker.rest(), to: table)
        try add(profile.keys.sorted { $0.hash(seed) < $1.hash(seed) }, to: table)
        if isCounted { totals[table.number] = total }
    }

    /// How many keys a statement has.
    private static let batch = 100

    /// Adds keys, as literals: SQLite takes the bytes of a blob that is bound for UTF-8, whatever the database's encoding
    /// (`sqlite3VdbeMemSetStr` in vdbemem.c).
    private func add(_ keys: [RowKey], to table: SubsetTable) throws {
        for start in stride(from: 0, to: keys.count, by: Self.batch) {
            let rows = keys[start..<min(start + Self.batch, keys.count)].map { key in
                switch key {
                case .rowid(let number): "(\(number))"
                case .values(let values): "(\(values.map(\.literal).joined(separator: ", ")))"
                }
            }
            try connection.execute(
                "INSERT OR IGNORE INTO \(table.chosen) VALUES \(rows.joined(separator: ", "))")
        }
    }

    /// How many rows of each foreign key are kept that refer to nothing.
    private static let orphanCount = 3

    private func addOrphans(of table: SubsetTable, _ condition: String?) throws {
        for link in source.links where link.child == table.name && source.schema.isUnique(link) {
            guard let parent = source.table(link.parent) else { continue }
            let own = condition.map { " AND (\($0))" } ?? ""
            try connection.execute(
                "INSERT OR IGNORE INTO \(table.chosen) SELECT \(table.key(of: "c")) FROM \(table.source) AS c "
                    + "WHERE \(link.hasNoParent(in: "\(parent.source) AS p"))\(own) LIMIT \(Self.orphanCount)"
            )
        }
    }
}

extension ParentLink {
    /// Whether row `p` is what row `c` refers to, in SQL. A column with a sign before it has no affinity of its own, so
    /// that the parent's counts (https://www.sqlite.org/foreignkeys.html#fk_basics); on the left is the parent's
    /// collation.
    var isParent: String {
        zip(parentColumns, columns).map { "p.\(quotedName($0)) = +c.\(quotedName($1))" }
            .joined(separator: " AND ")
    }

    /// Whether row `c` refers to a row, in SQL.
    var refers: String { columns.map { "c.\(quotedName($0)) IS NOT NULL" }.joined(separator: " AND ") }

    /// Whether row `c` refers to a row that is missing, in SQL.
    func hasNoParent(in rows: String) -> String {
        "\(refers) AND NOT EXISTS (SELECT 1 FROM \(rows) WHERE \(isParent))"
    }
}

/// Picks rows by the hash of their key, so that the same seed picks the same.
private struct RowPicker {
    private let limit: Int?
    private var threshold: UInt64
    private var picked: [(hash: UInt64, key: RowKey)] = []

    init(_ amount: SubsetRequest.Amount) {
        switch amount {
        case .rows(let count): (limit, threshold) = (count, .max)
        case .percent(let share):
            (limit, threshold) = (nil, UInt64(min(1, share / 100) * 18_446_744_073_709_549_568))
        }
    }

    mutating func see(_ key: RowKey, _ hash: UInt64) {
        guard hash <= threshold else { return }
        picked.append((hash, key))
        if let limit, picked.count >= max(2 * limit, 1024) { cut(to: limit) }
    }

    /// Whether there are enough to write.
    var isFull: Bool { limit == nil && picked.count >= 1000 }

    mutating func take() -> [RowKey] {
        defer { picked.removeAll(keepingCapacity: true) }
        return picked.map(\.key)
    }

    mutating func rest() -> [RowKey] {
        if let limit { cut(to: limit) }
        return take()
    }

    private mutating func cut(to limit: Int) {
        picked.sort { $0.hash < $1.hash }
        guard picked.count > limit else { return }
        picked.removeLast(picked.count - limit)
        threshold = picked.last?.hash ?? 0
    }
}
