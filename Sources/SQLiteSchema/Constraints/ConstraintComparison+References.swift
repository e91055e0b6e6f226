/// REFERENCES, with its actions.
extension ConstraintComparison {
    func referenceLoss(_ key: ForeignKey) -> LostConstraint? {
        let parents = parentNames(key.parent)
        func isThere(_ name: String) -> Bool { name.isSameName(as: new.name) || after.table(name) != nil }
        // Without its parent, a key is not enforced, which is reported as such.
        guard key.parent.isSameName(as: old.name) || before.table(key.parent) != nil,
            parents.contains(where: isThere)
        else { return nil }
        // Nor is one without the columns that it refers to.
        let targets = parentColumns(of: key) ?? []
        let parent = parents.first { isThere($0) }.map { after.table($0) ?? new }
        guard targets.allSatisfy({ parent?.column($0) != nil }) else { return nil }
        let same = new.foreignKeys.filter { later in
            parents.contains { $0.isSameName(as: later.parent) } && links(later, like: key)
        }
        if same.contains(where: { hasActions($0, of: key) }) { return nil }
        let names = Set(key.columns.compactMap { columns[$0.foldedASCII]?.foldedASCII })
        let near = same.first ?? new.foreignKeys.first { Set($0.columns.map(\.foldedASCII)) == names }
        if let near, !isThere(near.parent) { return nil }
        return lost(.foreignKey(key), now: near.map { TableConstraint.foreignKey($0).sql })
    }

    /// Returns the columns that an earlier key refers to, with their new names; nil where its parent's key is not known.
    private func parentColumns(of key: ForeignKey) -> [String]? {
        guard key.parent.isSameName(as: old.name) else {
            let names = tableColumns[key.parent.foldedASCII]
            return before.parentColumns(of: key)?.map { names?[$0.foldedASCII] ?? $0 }
        }
        let own = key.parentColumns ?? old.primaryKey?.terms.map(\.column)
        return own?.map { columns[$0.foldedASCII] ?? $0 }
    }

    /// Whether a later key links each column of an earlier one to the same column of the parent. One of more columns is
    /// not enforced where one of them is NULL.
    private func links(_ later: ForeignKey, like key: ForeignKey) -> Bool {
        let own = key.columns.compactMap { columns[$0.foldedASCII]?.foldedASCII }
        let others = later.columns.map(\.foldedASCII)
        let from = parentColumns(of: key)?.map(\.foldedASCII)
        let isSelf = later.parent.isSameName(as: new.name)
        let to =
            (isSelf
            ? later.parentColumns ?? new.primaryKey?.terms.map(\.column) : after.parentColumns(of: later))?
            .map(\.foldedASCII)
        // The parent's key may not be known.
        guard let from, let to, from.count == own.count, to.count == others.count else {
            return Set(own) == Set(others)
        }
        let pairs = Set(zip(others, to).map { [$0, $1] })
        return zip(own, from).allSatisfy { pairs.contains([$0, $1]) }
            && others.allSatisfy { name in own.contains(name) || new.column(name).map(refusesNull) ?? false }
    }

    private func hasActions(_ later: ForeignKey, of key: ForeignKey) -> Bool {
        // What refuses NULL could not be set to it.
        let isFilled = key.columns.contains { new($0).map(refusesNull) ?? false }
        func isKept(_ was: ForeignKey.Action, _ now: ForeignKey.Action) -> Bool {
            was == .noAction || was == now || was == .setNull && isFilled
        }
        return isKept(key.onDelete, later.onDelete) && isKept(key.onUpdate, later.onUpdate)
    }
}
