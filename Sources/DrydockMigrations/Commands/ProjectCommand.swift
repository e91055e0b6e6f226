import DrydockFindings

/// The project's own command that migrates a database, as drydock.yml describes it under `migrate:`.
///
/// It is the project's code, and reads what the user may read: nothing but `drydock verify` starts it.
public struct ProjectCommand: Sendable, Hashable {
    /// What `/bin/sh -c` runs.
    public var command: String
    /// The folder in which it runs.
    public var folder = "."
    /// The variables that it gets beside those of the user and its own.
    public var environment: [String: String] = [:]
    /// How the path of the database is given to it, beside ``databaseVariable``; nil for nothing else.
    public var database: Passing?
    /// The command that prints the names of the migrations, one per line; nil if all run at once.
    public var list: String?
    /// The files and folders that it may write beside the copy of the database, where the system limits that.
    public var writable: [String] = []
    /// Where a database says which migrations it has applied; nil to recognise it.
    public var history: CommandHistory?

    public init(command: String) { self.command = command }

    /// The path of the database that is to be migrated.
    public static let databaseVariable = "DRYDOCK_DATABASE"
    /// The name of the migration that is to be applied; not set if all of them are.
    public static let migrationVariable = "DRYDOCK_MIGRATION"
    /// The number of the step, from 1; not set where ``migrationVariable`` is not.
    public static let stepVariable = "DRYDOCK_STEP"

    /// How a project takes the path of its database.
    public struct Passing: Sendable, Hashable {
        public var variable: String
        /// The value, with `$DRYDOCK_DATABASE` for the path.
        public var value: String

        /// Reads `$NAME`, `NAME`, or a URL with `$DRYDOCK_DATABASE` in it, which goes into DATABASE_URL.
        /// - Returns: nil for anything else.
        public init?(_ text: String) {
            let name = text.wholeMatch(of: /\$\{(\w+)\}|\$?(\w+)/).map { String($0.1 ?? $0.2 ?? "") }
            if let name, name.first?.isNumber == false {
                (variable, value) = (name, "$" + ProjectCommand.databaseVariable)
            } else if ProjectCommand.filled(text, [ProjectCommand.databaseVariable: ""]) != text {
                (variable, value) = ("DATABASE_URL", text)
            } else {
                return nil
            }
        }
    }

    /// Returns the variables that the command gets beside those of the user.
    /// - Parameters:
    ///   - database: the absolute path of the database.
    ///   - migration: the one to be applied, and its position from 1; nil for all.
    public func variables(
        database path: String, migration: (name: String, step: Int)?
    ) -> [String: String] {
        var own = [Self.databaseVariable: path]
        if let migration {
            own[Self.migrationVariable] = migration.name
            own[Self.stepVariable] = String(migration.step)
        }
        var all = environment.mapValues { Self.filled($0, own) }
        if let database { all[database.variable] = Self.filled(database.value, own) }
        return all.merging(own) { $1 }
    }

    /// Returns a text with values in place of `$NAME` and `${NAME}`; others stay as they are written.
    private static func filled(_ text: String, _ values: [String: String]) -> String {
        text.replacing(/\$\{(\w+)\}|\$(\w+)/) { match in
            values[String(match.1 ?? match.2 ?? "")] ?? String(match.0)
        }
    }

    /// Returns the names that ``list`` printed: what a tool puts before a name to show that it is applied, such as `[X]`,
    /// is left out.
    /// - Throws: ``RequestError`` if there is none, or one is there twice.
    public static func names(in output: String) throws -> [String] {
        var names: [String] = []
        var seen: Set<String> = []
        for line in output.split(whereSeparator: \.isNewline) {
            let text = line.trimmingPrefix(/\s*\[.\]\s+/)
            let name = String(text.trimmingPrefix(while: \.isWhitespace).reversed())
                .trimmingPrefix(while: \.isWhitespace).reversed()
            guard !name.isEmpty else { continue }
            guard seen.insert(String(name)).inserted else {
                throw RequestError(
                    .migrationsInvalid, "'migrate: list' printed the migration '\(String(name))' twice")
            }
            names.append(String(name))
        }
        guard !names.isEmpty else {
            throw RequestError(
                .migrationsInvalid,
                "'migrate: list' printed nothing; it must print the names of the migrations in their order, one per line"
            )
        }
        return names
    }
}
