/// A value that a statement gives to columns, and the names that decide it.
public struct GivenValue: Sendable, Hashable {
    /// The columns that get it, folded; empty where only the place in the row says.
    public var columns: Set<String>
    /// The names in the value itself, folded.
    public var names: Set<String>
    /// The words of what decides which row gets it, and from which row: conditions, joins and WITH; folded. None for a column of
    /// the statement's only table.
    public var conditions: Set<String>
    /// The place in the row of an INSERT or CREATE TABLE AS.
    public var place = 0

    public init(columns: Set<String>, names: Set<String>, conditions: Set<String> = [], place: Int = 0) {
        (self.columns, self.names, self.conditions, self.place) = (columns, names, conditions, place)
    }
}

extension SQLStatement {
    /// The values that an UPDATE, INSERT ... SELECT or CREATE TABLE AS gives, without those of `*`; nil where ON CONFLICT, or
    /// columns after a `*`, bring in others.
    ///
    ///     UPDATE t SET a = b + 1, c = 'x' WHERE d > 0  -- a: b (where d), c (where d)
    public var givenValues: [GivenValue]? {
        func names(_ places: some Sequence<Int>) -> Set<String> {
            Set(places.compactMap { tokens[$0].identifier(in: source)?.foldedASCII })
        }
        guard !tokens.contains(where: { $0.isWord("conflict", in: source) }) else { return nil }
        if case .update = action {
            let list = assignmentTokens ?? 0..<0
            let rest = tokens.indices.filter { !list.contains($0) }
            let isJoined = rest.contains { tokens[$0].isWord("from", in: source) }
            let conditions = names(rest)
            return assignments.map { assignment in
                GivenValue(
                    columns: Set(assignment.columns.map(\.foldedASCII)),
                    names: Set(assignment.names.map(\.foldedASCII)),
                    conditions: assignment.source == nil || isJoined ? conditions : [])
            }
        }
        let (common, queries) = filling
        guard !queries.isEmpty, queries.allSatisfy({ $0.items.count == 1 || !$0.hasStar }) else { return nil }
        let columns: [String]? = if case .insert(_, let columns, _) = action { columns } else { nil }
        return zip(queries, selectedRows).flatMap { arm, rows in
            let rest = arm.tokens.filter { place in !arm.itemTokens.contains { $0.contains(place) } }
            let isJoined = rows.source.tables.count != 1 || !common.isEmpty
            let conditions = names(common).union(names(rest))
            return arm.items.enumerated().compactMap { place, item in
                let target = Set(columns?.dropFirst(place).prefix(1).map(\.foldedASCII) ?? [])
                switch item {
                case .column(_, let name):
                    return GivenValue(
                        columns: target, names: [name.foldedASCII], conditions: isJoined ? conditions : [],
                        place: place)
                case .star: return nil
                case .expression(_, let names):
                    return GivenValue(
                        columns: target, names: Set(names.map(\.foldedASCII)), conditions: conditions,
                        place: place)
                }
            }
        }
    }
}

extension InsertSource.Arm {
    fileprivate var hasStar: Bool {
        items.contains { if case .star = $0 { true } else { false } }
    }
}
