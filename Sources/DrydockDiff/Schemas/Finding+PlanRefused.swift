import DrydockFindings
import DrydockMigrations
import DrydockReplay
import DatabaseEngine
import SQLiteSchema

extension Finding {
    /// Says why a plan is not given.
    static func planRefused(_ message: String, help: String = "") -> Finding {
        Finding(.planRefused, message, help: help)
    }

    /// Describes why the plan does not run on the rows of the old database, with a remedy if they violate a constraint
    /// of the new schema.
    static func planRefused(_ error: any Error, _ migration: Migration) -> Finding {
        guard let failure = error as? StatementFailure else {
            return planRefused("the plan does not run: \(error)")
        }
        let statement = migration.statements[failure.index]
        let message = failure.error.message
        let help = remedy(message, statement)
        return planRefused(
            "the plan does not run on the old database: \(message)",
            help: "  " + statement.text.replacing("\n", with: "\n  ") + (help.isEmpty ? "" : "\n" + help))
    }

    private static func remedy(_ message: String, _ statement: SQLStatement) -> String {
        let constraints: [SQLiteMessage: String] = [
            .notNullFailed: """
            Give the column a DEFAULT, which existing rows then get; or give them values first, with UPDATE.
            """,
            .uniqueFailed: "Rows of the old database share these values: make them different first.",
            .checkFailed: "Rows of the old database do not satisfy it: change them first.",
            .cannotStore: "A STRICT table does not accept such a value: convert the values first.",
        ]
        return constraints.first { $0.key.matches(message) }?.value ?? ""
    }
}
