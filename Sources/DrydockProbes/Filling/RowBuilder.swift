import DatabaseEngine
import SQLiteSchema

/// A builder of a table's ordinary rows, one after the other.
struct RowBuilder {
    /// Why no row can be made.
    enum Refusal: Error { case noParent(TablePlan.Reference), duplicate(TablePlan.Key) }

    let plan: TablePlan
    private let maker: ValueMaker
    var valueMaker: ValueMaker { maker }
    /// What the next row's key is made of.
    var key: Int { nextKey }
    /// The number of rows so far.
    private(set) var count = 0
    /// The number of rows of earlier rounds, which have the keys before these.
    private var begun = 0
    /// Whether rows are only variations of others: they take no value that a statement compares with, and refer to no
    /// row of their own.
    private let isEdge: Bool
    private var nextKey: Int
    private(set) var rows: [[SQLValue]] = []
    private var used: [Set<[SQLValue]>]
    /// Whether rows satisfy what later migrations demand: that was possible so far.
    private(set) var keepsLater = true
    /// Whether references are NULL where they can be, since SQLite refuses each key.
    private var leavesReferencesOut = false
    /// How often a value of an enumeration was used, by column.
    private var uses: [Int: [SQLValue: Int]] = [:]
    /// How far uncertain columns have gone through the values that they try.
    private var variants: [Int: Int] = [:]
    /// The values by which rows of other tables look for partners here, by columns.
    private var sought: [(columns: [Int], values: [[SQLValue]])] = []
    /// The variants of the last row.
    private var settled: [Int: Int] = [:]

    init(_ plan: TablePlan, seed: UInt64, isEdge: Bool = false) {
        (self.plan, self.isEdge) = (plan, isEdge)
        maker = ValueMaker(seed: seed, table: plan.folded)
        nextKey = plan.number * 100 + 1 + (isEdge ? Self.edgeKeys : 0)
        used = Array(repeating: [], count: plan.keys.count)
    }

    /// Returns how far the key of the next row is from that of the last one, as if a row between them had been deleted.
    /// - Parameter count: the number of rows, those of earlier rounds included.
    private static func step(after count: Int) -> Int { count == 2 ? 2 : 1 }

    /// Keys of edge rows begin here.
    private static let edgeKeys = 1_000_000

    /// Returns a row that fits what is known.
    /// - Parameters:
    ///   - attempt: how often this row was refused.
    ///   - parents: the keys of parents for a reference.
    mutating func row(attempt: Int, parents: (TablePlan.Reference) throws -> [[SQLValue]]) throws
        -> [SQLValue]
    {
        skipReserved()
        if attempt == 10, count == 0 { keepsLater = false }
        let (domains, orders) = Choice(plan, index: count, shift: attempt, keepsLater: keepsLater).made
        var values: [SQLValue?] = Array(repeating: nil, count: plan.columns.count)
        let own = try assignReferences(&values, domains, attempt, parents)
        assignSought(&values, domains, attempt)
        for place in plan.columns.indices where values[place] == nil {
            values[place] = value(place, domains[place], attempt)
        }
        var row = values.map { $0 ?? .null }
        for reference in own {
            for (column, key) in zip(reference.columns, reference.parentColumns) {
                if let place = plan.places[key] { row[column] = row[place] }
            }
        }
        for order in orders { arrange(order, &row, domains) }
        for (key, used) in zip(plan.keys, used) where keepsLater || key.isPresent {
            if used.contains(tuple(key, row)), !hasNull(key, row) { throw Refusal.duplicate(key) }
        }
        return row
    }

    /// Takes note of a row that SQLite accepted.
    mutating func accept(_ row: [SQLValue]) {
        for (place, key) in plan.keys.enumerated() where key.isPresent || !isEdge {
            used[place].insert(tuple(key, row))
        }
        for place in plan.columns.indices where plan.domains[place].values != nil || uses[place] != nil {
            uses[place, default: [:]][row[place], default: 0] += 1
        }
        for place in sought.indices {
            let values = sought[place].columns.map { row[$0] }
            sought[place].values.removeAll { $0 == values }
        }
        rows.append(row)
        settled = variants
        count += 1
        nextKey += Self.step(after: begun + count)
    }

    /// Takes note of keys that are in the table.
    mutating func note(_ values: [SQLValue], of key: Int) { used[key].insert(folded(values, plan.keys[key])) }

    /// Has the first rows be the partners of rows of another table.
    mutating func seek(_ values: [[SQLValue]], in columns: [Int]) {
        let stored = values.map { zip($0, columns).map { $0.stored(as: plan.columns[$1].affinity) } }
        sought.append((columns, stored))
    }

    /// Begins after the keys of earlier rounds.
    mutating func begin(after rows: Int) {
        for row in 0..<rows { nextKey += Self.step(after: begun + row + 1) }
        begun += rows
    }

    /// Goes on to another key.
    mutating func advanceKey() { nextKey += 1 }

    /// Goes on without references.
    mutating func leaveReferencesOut() { leavesReferencesOut = true }

    /// Tries the values of a few columns in all combinations, those of the first column the quickest.
    mutating func vary(_ columns: [Int], attempt: Int) {
        let radix = columns.count == 1 ? Int.max : columns.count == 2 ? 9 : 4
        var rest = attempt + 1
        for column in columns {
            variants[column] = (settled[column] ?? 0) + rest % radix
            rest /= radix
        }
    }

    /// Goes on to other values of columns.
    mutating func vary(_ columns: some Sequence<Int>) {
        for column in columns { variants[column, default: 0] += 1 }
    }

    /// The keys that the first rows will have, for tables that are filled earlier; nil if they are not known.
    func expectedKeys(_ columns: [String], count: Int) -> [[SQLValue]]? {
        let places = columns.compactMap { plan.places[$0] }
        guard places.count == columns.count, !places.isEmpty,
            !plan.references.contains(where: { $0.isPresent && !Set($0.columns).isDisjoint(with: places) })
        else { return nil }
        var copy = self
        return (0..<count).map { index in
            copy.skipReserved()
            defer { copy.nextKey += Self.step(after: copy.begun + index + 1) }
            let domains = Choice(plan, index: index, shift: 0, keepsLater: true).made.domains
            return places.map {
                maker.value(plan.columns[$0], domains[$0], .init(key: copy.nextKey, index: index))
            }
        }
    }

    private mutating func skipReserved() {
        guard !plan.reserved.isEmpty else { return }
        while plan.reserved.contains(.integer(Int64(nextKey))) { nextKey += 1 }
    }

    // MARK: - Values

    private mutating func value(_ place: Int, _ domain: Domain, _ attempt: Int) -> SQLValue {
        let column = plan.columns[place]
        if domain.isNull == true { return .null }
        if domain.values != nil { return enumerated(place, domain, attempt) }
        if !isEdge, !column.handledKeys.isEmpty {
            return column.handledKeys[(count + attempt) % column.handledKeys.count]
        }
        if attempt == 0, !isEdge, count < column.suggestions.count {
            let value = column.suggestions[count]
            if domain.allows(value) { return value }
        }
        let row = ValueMaker.Row(key: nextKey, index: count, variant: variants[place] ?? 0)
        return maker.value(column, domain, row)
    }

    /// Returns the value of an enumeration that was used least, and is not taken if the column is a key.
    private mutating func enumerated(_ place: Int, _ domain: Domain, _ attempt: Int) -> SQLValue {
        let isUnique = plan.columns[place].isUnique
        let counts = uses[place] ?? [:]
        uses[place] = counts
        var allowed = domain.allowed
        if isUnique, allowed.contains(where: { !plan.reserved.contains($0) }) {
            allowed.removeAll(where: plan.reserved.contains)
        }
        let sorted = allowed.enumerated().sorted {
            (counts[$0.element] ?? 0, $0.offset) < (counts[$1.element] ?? 0, $1.offset)
        }
        return sorted.isEmpty ? .null : sorted[(attempt / 2) % sorted.count].element
    }

    /// Makes two columns fit a comparison of theirs, if that is possible by an exchange.
    private func arrange(_ order: TablePlan.Order, _ row: inout [SQLValue], _ domains: [Domain]) {
        let (a, b) = (row[order.a], row[order.b])
        guard !a.isNull, !b.isNull else { return }
        switch order.comparison {
        case .equal: row[order.b] = a.stored(as: plan.columns[order.b].affinity)
        case .less, .lessOrEqual:
            if let found = Domain.order(a, b), found > 0 { exchange(order, &row, domains) }
        case .greater, .greaterOrEqual:
            if let found = Domain.order(a, b), found < 0 { exchange(order, &row, domains) }
        case .different: break
        }
    }

    private func exchange(_ order: TablePlan.Order, _ row: inout [SQLValue], _ domains: [Domain]) {
        guard domains[order.a].allows(row[order.b]), domains[order.b].allows(row[order.a]) else { return }
        row.swapAt(order.a, order.b)
    }

    // MARK: - References

    /// Sets the columns of references, and returns those by which the row refers to itself.
    private func assignReferences(
        _ values: inout [SQLValue?], _ domains: [Domain], _ attempt: Int,
        _ parents: (TablePlan.Reference) throws -> [[SQLValue]]
    ) throws -> [TablePlan.Reference] {
        var own: [TablePlan.Reference] = []
        for (ordinal, reference) in plan.references.enumerated() {
            let open = reference.columns.filter { values[$0] == nil }
            if open.isEmpty || !reference.isPresent && !keepsLater { continue }
            if open.contains(where: { domains[$0].isNull == true }) {
                for place in open where domains[place].isNull == true { values[place] = .null }
                continue
            }
            if reference.isOuter, !isEdge, count % 3 == 2 { continue }
            let isSelf = reference.parent == plan.folded
            let canBeNull = open.filter {
                !plan.columns[$0].isNotNull && !plan.laterNotNull.contains($0) && domains[$0].isNull != false
            }
            if isSelf, count == 0, !canBeNull.isEmpty {
                for place in canBeNull { values[place] = .null }
                continue
            }
            let known = ((isSelf && !isEdge ? ownKeys(reference) : []) + (try parents(reference))).map {
                key in
                zip(key, reference.columns).map { $0.stored(as: plan.columns[$1].affinity) }
            }
            let isRefused = reference.isPresent && (reference.isImpossible || leavesReferencesOut)
            let fitting =
                isRefused
                ? []
                : known.filter { key in
                    zip(reference.columns, key).allSatisfy { place, value in
                        (values[place] == nil || values[place] == value) && domains[place].allows(value)
                            && domains[place].values?.contains(value) ?? true
                    }
                }
            if fitting.isEmpty {
                if reference.isJoined { continue }
                if isSelf {
                    if !reference.isPresent, let value = Self.zero(plan.columns[reference.columns[0]]) {
                        values[reference.columns[0]] = value
                    } else {
                        own.append(reference)
                    }
                } else if let place = open.first(where: { !plan.columns[$0].isNotNull }),
                    reference.isPresent || reference.isLater && canBeNull.contains(place)
                {
                    values[place] = .null
                } else if reference.isPresent {
                    throw Refusal.noParent(reference)
                }
                continue
            }
            let free = fitting.filter { !isTaken(reference, $0) }
            let choices = free.isEmpty ? fitting : free
            let key = choices[choice(of: choices.count, reference, ordinal, attempt, isSelf: isSelf)]
            for (place, value) in zip(reference.columns, key) { values[place] = value }
        }
        return own
    }

    /// Sets columns by which rows of other tables, which are there already, look for a partner.
    private func assignSought(_ values: inout [SQLValue?], _ domains: [Domain], _ attempt: Int) {
        for (columns, wanted) in sought where attempt < 4 {
            let fitting = wanted.first { key in
                zip(columns, key).allSatisfy { place, value in
                    (values[place] == nil || values[place] == value) && domains[place].allows(value)
                        && domains[place].values?.contains(value) ?? true
                }
            }
            for (place, value) in zip(columns, fitting ?? []) { values[place] = value }
        }
    }

    /// Returns which parent the row gets: of ordinary rows one parent has two and another none, where the columns are
    /// not a key and the parents are not all values of an enumeration.
    private func choice(
        of count: Int, _ reference: TablePlan.Reference, _ ordinal: Int, _ attempt: Int, isSelf: Bool
    ) -> Int {
        let shift = attempt * (ordinal + 1)
        if isSelf, !isEdge {
            return ((self.count < 3 ? max(self.count - 1, 0) : (self.count - 1) / 2) + shift) % count
        }
        let place = (self.count + shift) % count
        guard !isEdge, !isSelf, count > 2, !reference.isEnumerated, !reference.isCovering,
            !plan.isUnique(reference.columns)
        else {
            return place
        }
        return (max(place - 1, 0) + ordinal) % count
    }

    /// Returns whether another row has the key, where only one may.
    private func isTaken(_ reference: TablePlan.Reference, _ key: [SQLValue]) -> Bool {
        plan.keys.indices.contains { place in
            plan.keys[place].columns == reference.columns
                && used[place].contains(folded(key, plan.keys[place]))
        }
    }

    /// What stands for "no parent" in a column that has no foreign key and refuses NULL.
    private static func zero(_ column: ColumnPlan) -> SQLValue? {
        column.isNotNull && column.affinity == .integer ? .integer(0) : nil
    }

    private func ownKeys(_ reference: TablePlan.Reference) -> [[SQLValue]] {
        let places = reference.parentColumns.compactMap { plan.places[$0] }
        guard places.count == reference.columns.count else { return [] }
        return rows.map { row in places.map { row[$0] } }.filter { !$0.contains(where: \.isNull) }
    }

    // MARK: - Keys

    private func tuple(_ key: TablePlan.Key, _ row: [SQLValue]) -> [SQLValue] {
        folded(key.columns.map { row[$0] }, key)
    }

    private func folded(_ values: [SQLValue], _ key: TablePlan.Key) -> [SQLValue] {
        zip(values, key.foldsCase).map { value, folds in
            guard folds, let text = value.text else { return value }
            return SQLValue(text.foldedASCII)
        }
    }

    private func hasNull(_ key: TablePlan.Key, _ row: [SQLValue]) -> Bool {
        key.columns.contains { row[$0].isNull }
    }
}
