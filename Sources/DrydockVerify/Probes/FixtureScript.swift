import DatabaseEngine
import DrydockFindings
import DrydockMigrations
import DrydockProbes
import DrydockReplay
import SQLiteSchema

extension StepScript {
    package init(_ fixture: StepFixture) {
        self.init(statements: fixture.context.command == nil ? Self.statements(of: fixture.migrations) : [])
    }

    /// Returns the line for a shell that runs the project's own command on a database in the current folder.
    static func commandLine(_ fixture: StepFixture) -> String? {
        guard let format = fixture.context.command?.format, let migration = fixture.migrations.first else {
            return nil
        }
        let step = (fixture.context.set.index(of: migration.identifier) ?? 0) + 1
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
    package func text(_ encoding: TextEncoding) -> String {
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
