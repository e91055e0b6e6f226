import DatabaseEngine
import DrydockFindings
import DrydockMigrations
import DrydockReplay
import SQLiteSchema

/// What to do where a statement does not run on another SQLite library, from its message.
struct LibraryAdvice {
    let library: SQLiteBuild

    /// Parts of SQLite that a build may lack, by the beginnings of their functions' names.
    private static let parts = [
        ("json", "JSON"), ("fts3", "FTS3"), ("fts5", "FTS5"), ("rtree", "RTREE"), ("soundex", "SOUNDEX"),
    ]

    /// - Parameter compiles: whether the statement compiles there, and failed because of rows.
    func help(_ message: String, compiles: Bool = false) -> Help {
        guard !compiles else { return Help() }
        if let module = SQLiteMessage.noSuchModule.rest(of: message) {
            return lacks(module.uppercased())
        }
        let function =
            SQLiteMessage.noSuchFunction.rest(of: message) ?? SQLiteMessage.unknownFunction.rest(of: message)
        if let name = function?.foldedASCII.split(separator: "(").first.map(String.init) {
            guard let since = SQLiteFeatureTable.functions[name] else {
                return
                    "\(name)() is not one of SQLite's own functions: the program that opens the database there must register it."
            }
            if isOlder(than: since) { return lint }
            return lacks(since == SQLiteVersion(35) ? "MATH_FUNCTIONS" : Self.part(of: name))
        }
        if let table = SQLiteMessage.noSuchTable.rest(of: message)?.foldedASCII {
            let name = table.split(separator: ".").last.map(String.init) ?? table
            return SQLiteFeatureTable.tables[name].map(isOlder) ?? false ? lint : Help()
        }
        guard !SQLiteMessage.isAboutNames(message) else { return Help() }
        if SQLiteVersion(SQLiteLibrary.version).map(isOlder) ?? false { return lint }
        let omitted = library.options.filter { $0.hasPrefix("OMIT_") }.joined(separator: ", ")
        return omitted.isEmpty ? Help() : "It was built with \(omitted)."
    }

    private func isOlder(than version: SQLiteVersion) -> Bool { library.number.map { $0 < version } ?? false }

    private static func part(of function: String) -> String {
        parts.first { function.hasPrefix($0.0) }?.1 ?? "\(function)()"
    }

    private var lint: Help {
        .init(
            "'drydock lint --sqlite \(library.version)' reports what is newer than that version, and what works there instead."
        )
    }

    private func lacks(_ part: String) -> Help {
        .init(
            "It was built without \(part), which no version adds: 'drydock libraries' shows what a build has. Do without "
                + "it there, or have the app include a SQLite that has it."
        )
    }
}
