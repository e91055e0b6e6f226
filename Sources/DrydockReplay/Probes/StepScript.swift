import DrydockFindings
import DrydockMigrations
import DatabaseEngine
import SQLiteSchema

/// A step as a script for SQLite's own shell: its statements, in the transaction and with the foreign keys of its tool.
struct StepScript {
    let statements: [String]

    init(_ scene: StepScene) {
        guard scene.context.command == nil else {
            statements = []
            return
        }
        statements = Self.statements(of: scene.migrations)
    }

    static func statements(of migrations: [Migration]) -> [String] {
        var batches: [[Migration]] = []
        for migration in migrations where migrations.count == 1 || !migration.statements.isEmpty {
            if migration.transaction == .all, batches.last?.last?.transaction == .all {
                batches[batches.count - 1].append(migration)
            } else {
                batches.append([migration])
            }
        }
        return batches.flatMap(script)
    }

    /// Returns migrations that share a transaction, or one that has its own or none.
    private static func script(_ batch: [Migration]) -> [String] {
        let first = batch.first
        let opens = first?.transaction != ToolPolicy.Transaction.none
        let enforces = first?.enforcesForeignKeys ?? true
        var script = ["PRAGMA foreign_keys = \(enforces ? "ON" : "OFF")"]
        if opens { script.append("BEGIN") }
        script += batch.flatMap(\.statements).map(\.text)
        // GRDB checks all keys before it commits, instead of each as it is written.
        if first?.isDeferred == true, !enforces { script.append("PRAGMA foreign_key_check") }
        if opens { script.append("COMMIT") }
        return script
    }

    /// Returns the line for a shell that runs the project's own command on a database in the current folder.
    static func commandLine(_ scene: StepScene) -> String? {
        guard let format = scene.context.command?.format, let migration = scene.migrations.first else {
            return nil
        }
        let step = (scene.context.set.index(of: migration.identifier) ?? 0) + 1
        let variables = format.command.variables(
            database: "$PWD/\(Counterexample.databaseName)",
            migration: format.isStepped ? (migration.identifier, step) : nil)
        let settings = variables.sorted { $0.key < $1.key }.map { "\($0.key)=\(inShell($0.value))" }
        let folder = format.command.folder
        return
            "(\(settings.map { "export \($0); " }.joined())cd \(inShell(folder)) && \(format.command.command))"
    }

    /// Returns a value in double quotes, in which only `$PWD` has a meaning.
    private static func inShell(_ value: String) -> String {
        let quoted = value.replacing(/["\\`]/) { "\\\($0.0)" }.replacing(/\$(?!PWD\/)/, with: "\\$")
        return "\"\(quoted)\""
    }
}

extension GeneratedRow {
    /// The INSERT with its values, as it can be pasted.
    func text(_ encoding: TextEncoding) -> String {
        let name = SQLName.printed(table)
        guard !columns.isEmpty else { return "INSERT INTO \(name) DEFAULT VALUES" }
        let names = columns.map(SQLName.printed).joined(separator: ", ")
        let literals = values.map { $0.readableLiteral(encoding) }.joined(separator: ", ")
        return "INSERT INTO \(name) (\(names)) VALUES (\(literals))"
    }
}

extension SQLValue {
    /// An SQL expression that gives exactly this value; text as a quoted string where all of it can be read.
    func readableLiteral(_ encoding: TextEncoding) -> String {
        guard case .text(let bytes) = self, let text = encoding.readable(bytes) else { return literal }
        return quotedText(text)
    }
}

extension TextEncoding {
    /// Returns stored text if it is valid and every character of it shows.
    fileprivate func readable(_ bytes: [UInt8]) -> String? {
        guard let text = exactText(bytes), !text.unicodeScalars.contains(where: VisibleText.isHidden) else {
            return nil
        }
        return text
    }
}
