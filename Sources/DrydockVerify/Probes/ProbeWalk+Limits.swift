import DrydockFindings
import DrydockMigrations
import DrydockReplay
import SQLiteSchema

extension ProbeWalk {
    /// Notes statements that choose rows by a number which there are not enough rows for: `LIMIT 1000` of three rows
    /// leaves nothing out.
    mutating func noteLimits(of migrations: [Migration], in schema: Schema) {
        let count = parent.source.options.rowCount
        for migration in migrations {
            for statement in migration.statements {
                guard let limit = statement.rowLimit, limit.number >= count,
                    statement.chooses(from: schema)
                else { continue }
                let remedy =
                    limit.number < ProbeOptions.rowCounts.upperBound
                    ? "--probe-rows \(limit.number + 1) generates enough" : "a snapshot may have enough"
                record.notChecked(
                    .rowsLost,
                    .undecided(
                        "\(migration.identifier): \(limit.text) is more than a table has generated rows, so what lies "
                            + "beyond it was not checked; \(remedy)"))
            }
        }
    }
}

extension SQLStatement {
    /// The largest number after LIMIT or OFFSET, and the clause as it is written.
    fileprivate var rowLimit: (number: Int, text: String)? {
        var found: (number: Int, text: String)?
        for (index, token) in tokens.enumerated() {
            guard token.isWord("limit", in: source) || token.isWord("offset", in: source) else { continue }
            var numbers = tokens[(index + 1)...].prefix(3)
            if numbers.count < 3 || !numbers[index + 2].isSymbol(",", in: source) {
                numbers = numbers.prefix(1)
            }
            guard let value = numbers.compactMap({ Int($0.text(in: source)) }).max(),
                value > found?.number ?? 0, let end = numbers.last?.range.upperBound
            else { continue }
            found = (value, source.text(in: token.range.lowerBound..<end))
        }
        return found
    }

    /// Whether it changes rows, and reads those of a table for it.
    fileprivate func chooses(from schema: Schema) -> Bool {
        guard dependsOnRows else { return false }
        var tables = StepTables([self], in: schema).named
        if case .insert(let target, _, _) = action { tables.remove(target.name.foldedASCII) }
        return !tables.isEmpty
    }
}
