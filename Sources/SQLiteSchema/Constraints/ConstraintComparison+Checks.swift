/// CHECK.
extension ConstraintComparison {
    func checkLoss(_ check: CheckConstraint) -> LostConstraint? {
        let condition = check.expression
        let own = Set(old.columns.map(\.name.foldedASCII)).intersection(condition.names)
        guard own.allSatisfy({ columns[$0] != nil }) else { return nil }
        let names = columns.filter { $0.key != $0.value.foldedASCII }
        let renames = names.mapValues { Set([$0.foldedASCII]) }
        if new.checks.contains(where: { condition.matches($0.expression, renames: renames) }) { return nil }
        let wanted = CheckPart.parts(of: Self.items(of: condition, in: old, renaming: names))
        let left = wanted.filter { part in !newParts.contains(where: part.isImplied) && !isEnforced(part) }
        guard !left.isEmpty else { return nil }
        return lost(
            .check(check), now: replacement(of: check, own).map { TableConstraint.check($0).sql },
            isLongerList: left.allSatisfy { part in newParts.contains(where: part.isListed) })
    }

    /// Whether NOT NULL, or the type of a STRICT table, says the same.
    private func isEnforced(_ part: CheckPart) -> Bool {
        if let column = part.filledColumn.flatMap(new.column) { return refusesNull(column) }
        guard let types = part.types, new.isStrict, let column = new.column(types.column) else {
            return false
        }
        let type = column.declaredType.foldedASCII
        return types.types.contains(type == "int" ? "'integer'" : "'\(type)'")
            && (types.types.contains("'null'") || refusesNull(column))
    }

    /// Returns the CHECK that took the place of an earlier one: it has its name, stands with its column or is about the
    /// same columns.
    private func replacement(of check: CheckConstraint, _ own: Set<String>) -> CheckConstraint? {
        let kept = Set(old.checks.map(\.expression))
        let others = new.checks.filter { !kept.contains($0.expression) }
        let now = Set(own.compactMap { columns[$0]?.foldedASCII })
        let all = Set(new.columns.map(\.name.foldedASCII))
        func isSame(_ name: String?, _ other: String?) -> Bool {
            name.map { other?.isSameName(as: $0) ?? false } ?? false
        }
        return others.first { isSame($0.name, check.name) }
            ?? others.first { isSame($0.column, check.column.flatMap { columns[$0.foldedASCII] }) }
            ?? others.first { $0.expression.names.intersection(all) == now }
    }
}
