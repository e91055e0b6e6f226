/// A value that a statement gives to columns, and the names that decide it.
public struct GivenValue: Sendable, Hashable {
    /// The columns that get it, folded; empty where only the place in the row says.
    public var columns: Set<String>
    /// The names in the value, and, unless it is only a column, the words of the conditions; folded.
    public var names: Set<String>
    /// The place in the row of an INSERT or CREATE TABLE AS.
    public var place = 0

    public init(columns: Set<String>, names: Set<String>, place: Int = 0) {
        (self.columns, self.names, self.place) = (columns, names, place)
    }
}

extension SQLStatement {
    /// The values that an UPDATE, INSERT ... SELECT or CREATE TABLE AS gives, without those of `*`; nil where a subquery, WITH or
    /// ON CONFLICT may bring in others.
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
                names(($0 + 1)..<tokens.count)
            }
            return assignments.map { assignment in
                let own = Set(assignment.names.map(\.foldedASCII))
                return GivenValue(
                    columns: Set(assignment.columns.map(\.foldedASCII)),
                    names: assignment.source == nil ? own.union(conditions ?? []) : own)
            }
        }
        let queries = filling.queries
        guard !queries.isEmpty, count("select") == queries.count,
            queries.allSatisfy({ $0.items.count == 1 || !$0.hasStar })
        else { return nil }
        let columns: [String]? = if case .insert(_, let columns, _) = action { columns } else { nil }
        return queries.flatMap { arm in
            let conditions = names(
                arm.tokens.filter { place in !arm.itemTokens.contains { $0.contains(place) } })
            return arm.items.enumerated().compactMap { place, item in
                let target = Set(columns?.dropFirst(place).prefix(1).map(\.foldedASCII) ?? [])
                switch item {
                case .column(_, let name):
                    return GivenValue(columns: target, names: [name.foldedASCII], place: place)
                case .star: return nil
                case .expression(_, let names):
                    let all = conditions.union(names.map(\.foldedASCII))
                    return GivenValue(columns: target, names: all, place: place)
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
