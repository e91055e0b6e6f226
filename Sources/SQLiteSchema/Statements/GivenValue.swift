/// A value that a statement gives to columns, and the names that decide it.
public struct GivenValue: Sendable, Hashable {
    /// The columns that get it, folded; empty where only the place in the row says.
    public var columns: [String]
    /// The place in the row of an INSERT.
    public var place: Int
    /// The names in the value, and, unless it is a column as it is, those in the conditions; folded.
    public var names: Set<String>
}

extension SQLStatement {
    /// The values that an UPDATE or an INSERT ... SELECT gives, without those of `*`; nil where a subquery, WITH or ON CONFLICT
    /// may bring in others.
    ///
    ///     UPDATE t SET a = b + 1, c = 'x' WHERE d > 0  -- a: b, d · c: d
    public var givenValues: [GivenValue]? {
        func names(_ places: some Sequence<Int>) -> Set<String> {
            Set(places.compactMap { tokens[$0].identifier(in: source)?.foldedASCII })
        }
        func count(_ word: String) -> Int { tokens.count { $0.isWord(word, in: source) } }
        guard count("with") == 0, count("conflict") == 0 else { return nil }
        if case .update = action {
            guard count("select") == 0 else { return nil }
            let conditions = tokens.lastIndex { $0.isWord("where", in: source) }.map {
                names($0..<tokens.count)
            }
            return assignments.map { assignment in
                let own = Set(assignment.names.map(\.foldedASCII))
                return GivenValue(
                    columns: assignment.columns.map(\.foldedASCII), place: 0,
                    names: assignment.source == nil ? own.union(conditions ?? []) : own)
            }
        }
        guard case .insert(_, let columns, _) = action, let arms = insertSource?.arms else { return nil }
        let queries = arms.filter { !$0.isValues }
        guard count("select") == queries.count, queries.allSatisfy({ $0.items.count == 1 || !$0.hasStar })
        else {
            return nil
        }
        return queries.flatMap { arm in
            let conditions = names(
                arm.tokens.filter { place in !arm.itemTokens.contains { $0.contains(place) } })
            return arm.items.enumerated().compactMap { place, item in
                let target = columns?.dropFirst(place).prefix(1).map(\.foldedASCII) ?? []
                switch item {
                case .column(_, let name):
                    return GivenValue(columns: target, place: place, names: [name.foldedASCII])
                case .star:
                    return nil
                case .expression(_, let names):
                    return GivenValue(
                        columns: target, place: place,
                        names: conditions.union(names.map(\.foldedASCII)))
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
