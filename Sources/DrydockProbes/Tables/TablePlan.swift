import DatabaseEngine
import SQLiteSchema

/// All that is known of a table's rows before the first one: read once, from its definition, those that later
/// migrations give it, and the statements.
struct TablePlan: Sendable {
    /// A constraint with its ways to be satisfied.
    struct Check: Sendable {
        var alternatives: Alternatives
        /// Its text.
        var text = ""
        /// Its name and its text, folded: SQLite's message has one of them.
        var labels: Set<String> = []
        /// What must not be false.
        var expression: Expression?
        /// Whether it holds in every row by ``TablePlan/domains``.
        var isSettled = false
    }

    /// Columns in which two rows always differ.
    struct Key: Sendable {
        var columns: [Int]
        /// Whether the columns ignore the case of ASCII.
        var foldsCase: [Bool]
        /// Whether the present schema demands it.
        var isPresent: Bool
        var isPrimary = false
    }

    /// A foreign key, or columns that hold the keys of another table without one.
    struct Reference: Sendable {
        var columns: [Int]
        /// The folded name.
        var parent: String
        var parentColumns: [String]
        /// Whether SQLite would refuse other values.
        var isPresent: Bool
        /// Whether it would do so only at the end of the transaction.
        var isDeferred = false
        /// Whether only NULL is accepted: SQLite finds no rowid by a value of a REAL column.
        var isImpossible = false
        /// Whether the parent's keys are an enumeration, so that each is referred to.
        var isEnumerated = false
        /// Whether a later definition makes it a foreign key; NULL satisfies it where there is no parent yet.
        var isLater = false
        /// Whether only statements join the tables by it: any value is allowed, and ordinary rows have partners.
        var isJoined = false
        /// Whether some ordinary rows have no partner either.
        var isOuter = false
        /// Whether each parent has a partner.
        var isCovering = false
    }

    var name: String
    var folded: String
    /// A number that no other table of the schema has, and that hardly changes from schema to schema.
    var number: Int
    var columns: [ColumnPlan] = []
    /// What holds in every row.
    var domains: [Domain] = []
    /// Constraints of which one of several ways must hold.
    var checks: [Check] = []
    /// What later migrations demand, in the order in which they do.
    var laterChecks: [Check] = []
    /// Pairs of columns that are compared, in every row.
    var orders: [Order] = []
    var keys: [Key] = []
    var references: [Reference] = []
    /// Columns by which rows of other tables look for partners here, with those of these rows that may be there already.
    var lookups: [Reference] = []
    /// The literals that migrations insert into the table.
    var reserved: Set<SQLValue> = []
    /// The values of keys that migrations insert, by column; for unusual rows those that fail where a row has them.
    var taken: [Int: Set<SQLValue>] = [:]
    var takenPlainly: [Int: Set<SQLValue>] = [:]
    /// Columns in which later migrations refuse NULL.
    var laterNotNull: Set<Int> = []
    /// Whether a row can be left out without an error: ON CONFLICT IGNORE, RAISE(IGNORE).
    var mayIgnore = false
    /// Why no row can be made, if that is known.
    var obstacle: String?

    struct Order: Sendable {
        var a: Int
        var comparison: Condition.Comparison
        var b: Int
    }

    /// The expressions of generated columns, by folded name, on columns that are stored.
    var generated: [String: Expression] = [:]
    /// What statements ask of the rows: there are rows that meet each of these, and rows that do not.
    var conditions: [StatedCondition.Local] = []
    /// Columns that some way to satisfy the constraints leaves NULL.
    var mustBeNull: Set<Int> = []
    /// Whether a constraint asks for storage classes.
    var hasTypeChecks = false

    var places: [String: Int] = [:]
    var insertion: String {
        "INSERT INTO main.\(quoted(name)) (\(columns.map { quoted($0.name) }.joined(separator: ", "))) VALUES (\(columns.map { _ in "?" }.joined(separator: ", ")))"
    }

    /// What every row must satisfy.
    /// - Parameter keepsLater: whether what later migrations demand counts.
    func constraints(keepsLater: Bool) -> [Constraint] {
        (checks + (keepsLater ? laterChecks : [])).compactMap { check in
            check.expression.map { Constraint(expression: $0, allowsNull: true) }
        }
    }

    func isUnique(_ columns: [Int]) -> Bool { keys.contains { $0.columns == columns } }

    private func quoted(_ name: String) -> String { name.enclosed(in: UInt8(ascii: "\"")) }
}
