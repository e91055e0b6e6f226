import DrydockFindings
import DatabaseEngine
import SQLiteSchema

/// Tries masks on the chosen rows before they are written: SQLite says whether a masked row still satisfies the CHECKs of its
/// table. Where it does not, columns get masks that suit the CHECK: by values that it names, or within the range of their
/// own.
struct MaskTrial {
    let connection: any Connection
    let source: SubsetSource

    /// - Throws: ``RequestError`` where no mask satisfies a CHECK.
    func settle(_ plan: inout MaskPlan) throws {
        for table in source.tables {
            guard let model = source.schema.table(table.name), !table.isKeyless else { continue }
            for check in model.checks {
                let used = table.columns.filter {
                    check.expression.names.contains($0.foldedASCII) && plan.isMasked($0, in: table)
                }
                guard !used.isEmpty else { continue }
                try settle(check, of: table, used, &plan)
            }
        }
    }

    private func settle(
        _ check: CheckConstraint, of table: SubsetTable, _ used: [String], _ plan: inout MaskPlan
    ) throws {
        var broken = try broken(check, in: table, plan)
        for column in used where broken > 0 {
            let place = MaskPlan.Place(table: table.folded, column: column.foldedASCII)
            for style in try styles(for: column, in: table, check) where broken > 0 {
                let before = plan
                plan.change(place, to: style)
                let now = try self.broken(check, in: table, plan)
                if now < broken { broken = now } else { plan = before }
            }
        }
        guard broken > 0 else { return }
        let names = used.map { quotedIfNeeded($0) }
        throw RequestError(
            .refused,
            "the masks of \(quotedIfNeeded(table.name)).\(listed(names)) break CHECK (\(VisibleText.line(check.expression.description))) "
                + "in \(counted(broken, "row")); nothing was written. Leave \(names.count == 1 ? "this column" : "one of these columns") "
                + "out of the masks (--unmasked does so for --mask-auto), or its rows with --where")
    }

    /// Returns how many more chosen rows break the CHECK with masks than without.
    private func broken(_ check: CheckConstraint, in table: SubsetTable, _ plan: MaskPlan) throws -> Int {
        let all = source.catalog.tables[table.folded]?.columns.map(\.name) ?? table.columns
        func count(_ value: (String) -> String) throws -> Int {
            let values = all.map { "\(value($0)) AS \(quotedName($0))" }.joined(separator: ", ")
            return try connection.firstRow(
                "SELECT count(*) FROM (SELECT \(values) FROM \(table.chosenRows)) AS \(quotedName(table.name)) "
                    + "WHERE NOT (\(check.expression.description))"
            ) { Int($0.integer(0)) } ?? 0
        }
        let masked = try count { plan.value(of: $0, in: table) }
        return masked == 0 ? 0 : max(0, try masked - count { "c.\(quotedName($0))" })
    }

    /// Returns the masks that a CHECK may allow.
    private func styles(
        for column: String, in table: SubsetTable, _ check: CheckConstraint
    ) throws -> [MaskStyle] {
        var styles: [MaskStyle] = []
        let value = "c.\(quotedName(column))"
        let literals = check.expression.items.compactMap { item -> String? in
            if case .literal(let text) = item { text } else { nil }
        }
        if !literals.isEmpty {
            let list = literals.joined(separator: ", ")
            let values = try connection.rows(
                "SELECT DISTINCT \(value) FROM \(table.chosenRows) WHERE \(value) IN (\(list)) ORDER BY 1"
            ) { row in Self.utf8(row) }
            if values.count > 1 { styles.append(.among(values)) }
        }
        let range = try connection.firstRow(
            "SELECT min(\(value)), max(\(value)) FROM \(table.chosenRows) WHERE typeof(\(value)) = 'integer'"
        ) { $0.isNull(0) ? nil : ($0.integer(0), $0.integer(1)) }
        if let range = range.flatMap(\.self), range.0 < range.1 { styles.append(.within(range.0, range.1)) }
        return styles + [.ordered]
    }

    private static func utf8(_ row: any PreparedStatement) -> SQLValue {
        row.storage(0) == .text ? SQLValue(row.string(0)) : row.value(0)
    }
}
