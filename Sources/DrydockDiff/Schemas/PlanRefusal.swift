import DrydockMigrations
import DrydockReplay
import DatabaseEngine
import SQLiteSchema

/// Why a plan is not given.
public struct PlanRefusal: Sendable, Hashable {
    /// The fact, a sentence without its full stop.
    public var message: String
    /// How to fix it; empty if no remedy is known.
    public var help: String

    /// The fact, then the remedy.
    public var text: String { help.isEmpty ? message : "\(message)\n\(help)" }

    init(_ message: String, _ help: String = "") {
        self.message = message
        self.help = help
    }
}

extension PlanRefusal {
    /// Describes why the plan does not run on the rows of the old database, with a remedy if they violate a constraint
    /// of the new schema.
    init(_ error: any Error, _ migration: Migration) {
        guard let failure = error as? StatementFailure else {
            self.init("the plan does not run: \(error)")
            return
        }
        let statement = migration.statements[failure.index]
        let message = failure.error.message
        let help = Self.help(message, statement)
        self.init(
            "the plan does not run on the old database: \(message)",
            "  " + statement.text.replacing("\n", with: "\n  ") + (help.isEmpty ? "" : "\n" + help))
    }

    private static func help(_ message: String, _ statement: SQLStatement) -> String {
        let constraints: [SQLiteMessage: String] = [
            .notNullFailed: """
            Give the column a DEFAULT, which rows that are there then take; or give them values first, with UPDATE.
            """,
            .uniqueFailed: "Rows of the old database are alike there: tell them apart first.",
            .checkFailed: "Rows of the old database do not satisfy it: change them first.",
            .cannotStore: "A STRICT table takes no such value: convert the values first.",
        ]
        return constraints.first { $0.key.matches(message) }?.value ?? ""
    }
}
