import TestTools
import SQLiteSchema

@testable import DrydockTestSupport

/// Random statements on tables whose one row says where each value came from: SQLite itself moves the values, so that
/// names can be compared with them.
struct RandomAlterations {
    /// Names that fold into others, and names that must be quoted.
    private static let tables = ["t", "U", "x y", "ä", "Ä", "a\"\u{301}b"]
    private static let columns = ["a", "B", "c d", "é", "É", "\"\u{301}"]

    private var random: SeededGenerator
    let schema: String
    /// The folded names of the first tables.
    let origins: [String]

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        let names = Self.tables.shuffled(using: &random).prefix(1 + random.below(4))
        origins = names.map(\.foldedASCII)
        var schema = ""
        for (index, name) in names.enumerated() {
            let columns = Self.columns.shuffled(using: &random).prefix(1 + random.below(4))
            // The key cannot be dropped: its value is the table's number.
            let definitions = ["id INTEGER PRIMARY KEY"] + columns.map(RandomSchema.quoted)
            let values = ["\(index)"] + columns.map { "'\($0.foldedASCII)'" }
            schema += """
                CREATE TABLE \(RandomSchema.quoted(name))(\(definitions.joined(separator: ", ")));
                INSERT INTO \(RandomSchema.quoted(name)) VALUES (\(values.joined(separator: ", ")));

                """
        }
        self.schema = schema
    }

    /// Returns a statement, which SQLite may refuse.
    mutating func alteration() -> String {
        let table = random.pick(["", "", "", "", "main.", "temp."]) + name(Self.tables)
        switch random.below(8) {
        case 0...3:
            return "ALTER TABLE \(table) RENAME \(random.pick(["COLUMN ", ""]))\(column()) TO \(column())"
        case 4: return "ALTER TABLE \(table) ADD COLUMN \(name(Self.columns))"
        case 5: return "ALTER TABLE \(table) DROP COLUMN \(column())"
        default: return "ALTER TABLE \(table) RENAME TO \(name(Self.tables))"
        }
    }

    /// Returns a statement that alters, creates or drops a table, or begins, ends or undoes something.
    mutating func statement() -> String {
        switch random.below(16) {
        case 0: "DROP TABLE \(random.pick(["", "IF EXISTS ", "main."]))\(name(Self.tables))"
        case 1: "CREATE TABLE \(random.pick(["", "IF NOT EXISTS "]))\(name(Self.tables))(\(column()))"
        case 2: "CREATE TEMP TABLE \(name(Self.tables))(\(column()))"
        case 3: "SAVEPOINT \(name(["s", "q r"]))"
        case 4: "ROLLBACK TO \(name(["s", "q r"]))"
        case 5: "RELEASE \(name(["s", "q r"]))"
        case 6: random.pick(["BEGIN", "COMMIT", "END", "ROLLBACK"])
        default: alteration()
        }
    }

    private mutating func column() -> String { name(Self.columns + ["id"]) }

    /// Returns one of the names, its ASCII letters in any case, quoted in any way.
    private mutating func name(_ names: [String]) -> String {
        let name = random.pick(names)
        let spelled = String(
            name.map { letter in
                guard letter.isASCII else { return letter }
                return random.chance(50) ? Character(letter.lowercased()) : Character(letter.uppercased())
            })
        switch random.below(3) {
        case 0: return "[\(spelled)]"
        case 1: return "`\(spelled)`"
        default: return RandomSchema.quoted(spelled)
        }
    }
}
