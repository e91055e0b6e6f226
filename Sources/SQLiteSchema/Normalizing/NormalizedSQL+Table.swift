extension NormalizedSQL {
    /// The parts of a CREATE TABLE that lists its columns.
    private var tableBody: (head: ArraySlice<Item>, items: [[Item]], suffix: [[Item]], end: Int)? {
        guard items.starts(with: [.keyword("create"), .keyword("table")]), items.count > 3,
            items[3] == .symbol("(")
        else { return nil }
        var depth = 1
        var index = 4
        var body: [[Item]] = [[]]
        while index < items.count {
            if items[index] == .symbol("(") { depth += 1 }
            if items[index] == .symbol(")") { depth -= 1 }
            if depth == 0 { break }
            if depth == 1, items[index] == .symbol(",") {
                body.append([])
            } else {
                body[body.count - 1].append(items[index])
            }
            index += 1
        }
        guard depth == 0 else { return nil }
        let options = items[(index + 1)...].split(separator: .symbol(",")).map(Array.init)
        return (items[..<3], body, options, index)
    }

    /// Sorts the options after a CREATE TABLE's body, so that their order makes no difference.
    mutating func sortTableOptions() {
        guard let table = tableBody, table.suffix.count > 1 else { return }
        let sorted = table.suffix.sorted {
            NormalizedSQL(items: $0).description < NormalizedSQL(items: $1).description
        }
        items.removeSubrange((table.end + 1)...)
        items += sorted.joined(separator: [.symbol(",")])
    }

    /// The columns and constraints of a CREATE TABLE, split at the commas between them; nil for any other
    /// statement, including CREATE TABLE AS.
    public var tableItems: [[Item]]? { tableBody?.items }

    /// The options after a CREATE TABLE's body, WITHOUT ROWID and STRICT. Their order makes no difference.
    public var tableSuffix: Set<[Item]>? { (tableBody?.suffix).map(Set.init) }

    /// Returns whether both statements create the same table, except for the order of its columns and
    /// constraints.
    ///
    /// False for equal statements. A table that grew by ALTER TABLE ADD COLUMN differs in this way from one
    /// that was created with the column in the middle.
    public func differsOnlyInColumnOrder(from other: NormalizedSQL) -> Bool {
        guard let a = tableBody, let b = other.tableBody else { return false }
        guard a.head == b.head, a.suffix == b.suffix, a.items.count == b.items.count, a.items != b.items
        else { return false }
        return Self.counts(a.items) == Self.counts(b.items)
    }

    private static func counts(_ items: [[Item]]) -> [[Item]: Int] {
        items.reduce(into: [:]) { $0[$1, default: 0] += 1 }
    }
}
