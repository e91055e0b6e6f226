import SQLiteSchema

/// All that Drydock knows of a migration tool, as plain data in the tool's file.
///
/// How the tool runs migrations is its ``MigrationFormat``. A tool is registered in ``all``, and nowhere else.
package struct ToolProfile: Sendable {
    /// The name of its format; of a tool without one, the name that messages use.
    let name: String
    /// How its folder of SQL is read; nil if its migrations are only code.
    let format: (any MigrationFormat)?
    /// What it leaves in a folder of migrations, as far as a summary shows it.
    let traces: [FolderTrace]
    /// What a project's files say if they name it.
    let signs: [ProjectSign]
    /// Its tables, and of each the columns that say nothing about people, which is all that a tool needs to know what is
    /// applied: versions, names of files, checksums and times.
    ///
    /// What else a table of history has is a person's or unknown: Flyway's `installed_by`, Prisma's `logs` (the errors of a
    /// migration, with values), or a column of an app's own table that has a tool's name.
    let tables: [String: Set<String>]
    /// The history as its own command leaves it; nil where Drydock does not run that.
    let history: CommandHistory?
    /// Its migrations in code; nil if it has none that Drydock recognises.
    let code: CodeMigrations?
    /// Where its folders are, if a search would not find them.
    let places: [MigrationsPlace]

    /// Creates the profile of a tool whose folder of SQL Drydock reads.
    init(
        _ format: any MigrationFormat, leaves traces: [FolderTrace], namedBy signs: [ProjectSign],
        tables: [String: Set<String>], history: CommandHistory? = nil, code: CodeMigrations? = nil,
        places: [MigrationsPlace] = []
    ) {
        (name, self.format, self.traces, self.signs) = (format.name, format, traces, signs)
        (self.tables, self.history, self.code, self.places) = (tables, history, code, places)
    }

    /// Creates the profile of a tool whose migrations are code.
    init(
        _ code: CodeMigrations, namedBy signs: [ProjectSign], tables: [String: Set<String>],
        history: CommandHistory?
    ) {
        (name, format, traces, self.signs) = (code.name, nil, [], signs)
        (self.tables, self.history, self.code, places) = (tables, history, code, [])
    }
}

/// A place where a tool keeps its migrations, which the general search for folders does not look at.
enum MigrationsPlace: Sendable {
    /// A folder that has another name than folders of migrations have.
    case named(String)
    /// A folder below the one that has `src`, deeper than a search goes.
    case below(String)
    /// A folder in every source set, such as `src/commonMain/sqldelight`; packages are folders in it.
    case inSourceSets(String)
}

extension ToolProfile {
    /// The tables of all tools.
    package static let tables = all.flatMap(\.tables.keys)

    /// The columns of all tools that use the name, by folded table.
    private static let columns = all.flatMap(\.tables).reduce(into: [String: Set<String>]()) {
        $0[$1.key.foldedASCII, default: []].formUnion($1.value)
    }

    /// Returns which columns of a history table are the tool's, folded. Under a name that its project chose, a table is
    /// recognised by having all columns of a tool's.
    package static func ownColumns(of table: String, _ columns: [String]) -> Set<String> {
        let own = Set(columns.map(\.foldedASCII))
        if let known = Self.columns[table.foldedASCII] { return known.intersection(own) }
        return Self.columns.values.filter { $0.count > 1 && $0.isSubset(of: own) }.reduce(into: []) {
            $0.formUnion($1)
        }
    }
}
