import TestTools

@testable import DrydockTestSupport

/// Generates values as users leave them in a column.
struct ValueMaker {
    var random: SeededGenerator
    /// The number of generated values: most are unique.
    var count: Int

    mutating func value(for column: ModelColumn, in table: ModelTable) -> String {
        count += 1
        let isKey = table.keyColumns.contains(column.id)
        if case .integer(column.id, _) = table.key {
            return random.chance(10) ? "NULL" : "\(random.below(40) + 1)"
        }
        if !isKey && !column.isNotNull && random.chance(18) { return "NULL" }
        if table.isStrict {
            switch column.type.uppercased() {
            case "INT", "INTEGER": return integer()
            case "REAL": return real()
            case "TEXT": return text()
            case "BLOB": return blob()
            default: break
            }
        }
        switch column.type.uppercased() {
        case "INT", "INTEGER": return random.chance(80) ? integer() : any()
        case "REAL": return random.chance(80) ? real() : any()
        case "TEXT": return random.chance(80) ? text() : any()
        case "BLOB": return random.chance(60) ? blob() : any()
        default: return any()
        }
    }

    private mutating func integer() -> String {
        random.chance(60)
            ? "\(1000 + count)"
            : random.pick(["0", "1", "2", "-1", "9007199254740993", "9223372036854775807"])
    }

    private mutating func real() -> String {
        random.chance(60)
            ? "\(count).25" : random.pick(["0.0", "1.0", "2.5", "0.1", "1e300", "-3.0", "9e18"])
    }

    private mutating func text() -> String {
        random.chance(60)
            ? "'v\(count)'"
            : random.pick([
                "''", "'a'", "'A'", "'a '", "'1'", "'1.0'", "'01'", "' 5'", "'{\"a\": \(count)}'",
                "'x' || char(0) || 'y'",
                "'it''s'", "'é'", "'1e3'",
            ])
    }

    private mutating func blob() -> String {
        random.chance(50)
            ? "CAST('b\(count)' AS BLOB)"
            : random.pick(["x''", "x'00'", "x'31'", "x'ff00ff'", "zeroblob(700)"])
    }

    private mutating func any() -> String {
        switch random.below(4) {
        case 0: integer()
        case 1: real()
        case 2: text()
        default: blob()
        }
    }
}
