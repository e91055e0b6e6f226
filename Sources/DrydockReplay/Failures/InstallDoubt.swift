import DatabaseEngine
import DrydockFindings
import DrydockMigrations
import SQLiteSchema

/// What keeps it from being known whether new users meet the failure of a fresh install: the app or its tool may have what
/// is missing here.
struct InstallDoubt {
    /// What is not known beyond SQLite's message, with its own punctuation; often nothing.
    var addition = ""

    /// - Parameters:
    ///   - index: the position of the migration that failed.
    ///   - error: why it failed.
    ///   - standIns: the modules that this SQLite lacks, folded.
    /// - Returns: nil where new users meet the failure.
    static func find(
        at index: Int, of set: MigrationSet, _ error: any Error, standIns: Set<String>
    ) -> InstallDoubt? {
        let migration = set.migrations[index]
        let message = InstallFailure.words(error)
        // No code makes SQLite understand a statement.
        if set.hasCode(upTo: migration),
            ![SQLiteMessage.syntaxError, .unrecognizedToken].contains(where: { $0.matches(message) })
        {
            return InstallDoubt(addition: "; code alongside the migrations was not run")
        }
        guard let failure = error as? StatementFailure, migration.statements.indices.contains(failure.index)
        else { return SQLiteMessage.isAboutMissingExtension(message) ? InstallDoubt() : nil }
        let earlier =
            set.migrations[..<index].flatMap(\.statements) + migration.statements[..<failure.index]
        return find(
            in: migration.statements[failure.index], failure.error, path: migration.path, set.format,
            earlier: earlier, standIns: standIns)
    }

    /// - Parameters:
    ///   - path: the statement's file.
    ///   - earlier: the statements that ran before.
    static func find(
        in statement: SQLStatement, _ error: EngineError, path: String, _ format: any MigrationFormat,
        earlier: [SQLStatement] = [], standIns: Set<String> = []
    ) -> InstallDoubt? {
        let message = error.message
        if SQLiteMessage.isAboutMissingExtension(message) { return InstallDoubt() }
        // Drydock refuses it, and not every program does.
        if error.code == .notAuthorized || statement.mentions("load_extension") { return InstallDoubt() }
        if let table = SQLiteMessage.noSuchTable.rest(of: message),
            isElsewhere(table, statement, format)
        {
            return InstallDoubt()
        }
        if let newer = NewerSQLite(
            statement, message: message, version: SQLiteLibrary.version, folder: PathParts.folder(of: path)),
            !newer.isTooNewForApp
        {
            return InstallDoubt(addition: "; \(newer.fact)")
        }
        if SQLiteMessage.unrecognizedToken.matches(message),
            ["{{", "<%"].contains(where: statement.text.contains)
        {
            return InstallDoubt(addition: "; something else is substituted for it before it runs")
        }
        // A stand-in has neither the columns nor the rows of its module's tables.
        let words = Set(message.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.map(String.init))
        for case .createVirtualTable(let name, let module) in earlier.map(\.action)
        where standIns.contains(module.foldedASCII) {
            guard statement.mentions(name.name) || words.contains(name.name) else { continue }
            return InstallDoubt(addition: "; the module \(quotedIfNeeded(module)) is missing here")
        }
        return nil
    }

    /// Whether a table that is missing may be that of the app or its tool, of another file, or of a module.
    private static func isElsewhere(
        _ name: String, _ statement: SQLStatement, _ format: any MigrationFormat
    ) -> Bool {
        let parts = name.foldedASCII.split(separator: ".", maxSplits: 1).map(String.init)
        if parts.count == 2, !["main", "temp"].contains(parts[0]) { return true }
        let last = parts.last ?? ""
        if (format.sharedTables + format.ownTables).contains(where: { $0.foldedASCII == last }) {
            return true
        }
        let (tokens, source) = (statement.tokens, statement.source)
        return tokens.indices.dropFirst().dropLast().contains { place in
            tokens[place].name(in: source)?.foldedASCII == last
                && tokens[place + 1].isSymbol("(", in: source)
                && (["from", "join"].contains { tokens[place - 1].isWord($0, in: source) }
                    || tokens[place - 1].isSymbol(",", in: source))
        }
    }
}
