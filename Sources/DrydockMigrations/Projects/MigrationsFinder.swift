import DrydockFiles
import DrydockFindings

/// Decides where a project's migrations are.
package struct MigrationsFinder: Sendable {
    /// The folder that is used.
    package struct Place: Sendable, Hashable {
        package var path: String
        /// Whether a search found it, rather than a user naming it.
        package var wasFound: Bool

        /// The path if a search found it.
        package var found: String? { wasFound ? path : nil }

        package init(path: String, wasFound: Bool) { (self.path, self.wasFound) = (path, wasFound) }
    }

    /// The usual folder, which is used where there is one.
    package static let usual = "Migrations"

    // MARK: - Where no folder is named

    /// Returns the folder of migrations in or below a folder.
    /// - Throws: ``RequestError`` if there is none, or more than one, or no folder can be read.
    package static func find(in root: String) throws -> Place {
        try FolderListing.searching(root.isEmpty ? "." : root) { try search(in: root) }
    }

    private static func search(in root: String) throws -> Place {
        let usual = ProjectFolders.path(usual, in: root)
        // Where names do not differ in case only, another folder may have the name.
        let names = FolderListing.entries(in: root.isEmpty ? "." : root) ?? []
        let isThere = names.contains { $0.name == Self.usual } && FolderListing.isFolder(usual)
        if isThere, MigrationsSurvey.sign(of: usual) != nil { return Place(path: usual, wasFound: false) }
        let survey = MigrationsSurvey(root)
        switch survey.candidates.count {
        case 1 where survey.isWhole:
            return Place(path: ProjectFolders.path(survey.candidates[0].path, in: root), wasFound: true)
        case 0 where isThere && survey.code.isEmpty:
            return Place(path: usual, wasFound: false)
        case 0: throw nothing(survey, root)
        default: throw several(survey, root)
        }
    }

    private static func several(_ survey: MigrationsSurvey, _ root: String) -> RequestError {
        let count = survey.candidates.count
        let fact =
            survey.isWhole
            ? "there are \(count) folders of migrations; name one:"
            : "\(limit); name the folder of migrations:"
        return RequestError(.notFound, fact, quote: list(survey.candidates, root))
    }

    private static let limit = "the project has too many folders or files, and not all were searched"

    /// The longest list of folders that is shown.
    private static let listLimit = 20

    /// Returns what to write for each folder.
    private static func list(_ candidates: [MigrationsSurvey.Candidate], _ root: String) -> String {
        let lines = candidates.prefix(listLimit).map { candidate in
            let path = ProjectFolders.path(candidate.path, in: root)
            return "  --migrations \(PathParts.inShell(path))  (\(candidate.sign))"
        }
        let more = candidates.count - lines.count
        return (lines + (more > 0 ? ["  and \(more) more"] : [])).joined(separator: "\n")
    }

    private static func nothing(_ survey: MigrationsSurvey, _ root: String) -> RequestError {
        let here = root.isEmpty || root == "." ? "here" : "in '\(root)'"
        if let code = survey.code.first { return self.code(code, root) }
        if let unknown = survey.unknown.first {
            let path = ProjectFolders.path(unknown, in: root)
            return RequestError(
                .notFound,
                "most of the SQL in '\(path)' is in its subfolders, which no format reads; describe it under 'custom:' in "
                    + "drydock.yml, or name a folder with --migrations")
        }
        if let other = survey.others.first {
            let path = ProjectFolders.path(other.path, in: root)
            return RequestError(
                .notFound,
                "the only migrations \(here) are for a database other than SQLite: '\(path)'; if they are for SQLite, name "
                    + "them with --migrations \(PathParts.inShell(path))")
        }
        let limit = survey.isWhole ? "" : "; \(limit)"
        return RequestError(
            .notFound,
            "there are no migrations \(here): neither a folder 'Migrations' nor, within \(SearchLimits.levels) levels below, "
                + "what a migration tool leaves (such as prisma/migrations, drizzle/meta/_journal.json, db/migrations, "
                + "src/main/resources/db/migration, src/main/sqldelight); --migrations names the folder.\(limit)"
        )
    }

    private static func code(_ code: MigrationsSurvey.Code, _ root: String) -> RequestError {
        let path = ProjectFolders.path(code.path, in: root)
        let place = path == "." ? "here" : "in '\(path)'"
        return RequestError(
            .notFound,
            "the migrations \(place) are \(code.tool.name)'s, which are code: Drydock reads SQL",
            quote: code.tool.help)
    }

    // MARK: - Where a folder is named

    /// Refuses a folder that is too high or too low, with the one that is meant.
    /// - Parameter format: the format that the user names; nil for none.
    /// - Throws: ``RequestError``.
    package static func check(named folder: String, format: String?) throws {
        guard FolderListing.exists(folder) else { return }
        guard FolderListing.isFolder(folder) else {
            let parent = PathParts.folder(of: folder)
            guard MigrationsSurvey.sign(of: parent) != nil else { return }
            throw RequestError(
                .unreadable,
                "'\(folder)' is a file, not a folder; write --migrations \(PathParts.inShell(parent))")
        }
        guard format == nil, let summary = FolderSummary(folder, isForMigrations: true) else { return }
        if let parent = tooLow(folder, summary) {
            throw RequestError(
                .notFound,
                "'\(folder)' is a part of the migrations in '\(parent)'; write --migrations \(PathParts.inShell(parent))"
            )
        }
        // Any file that a format would take is a sign that it is meant.
        guard FoundTrace.first(in: summary) == nil, let files = try? FolderFiles(folder) else { return }
        let readers = MigrationFormats.all.filter { $0.name != DrydockFormat().name }
        guard !readers.contains(where: { $0.evidence(in: files) != nil }) else { return }
        let survey = MigrationsSurvey(folder)
        if !survey.candidates.isEmpty {
            throw RequestError(
                .notFound,
                "the migrations are not in '\(folder)' itself, but in "
                    + (survey.candidates.count == 1 ? "a folder in it:" : "folders in it; name one:"),
                quote: list(survey.candidates, folder))
        }
        if let code = survey.code.first { throw self.code(code, folder) }
    }

    /// Returns the folder of which this one is a single migration, or what its tool keeps beside them.
    private static func tooLow(_ folder: String, _ summary: FolderSummary) -> String? {
        let parent = FolderListing.realPath(folder + "/..")
        let trimmed = trimmed(folder)
        let shown = trimmed == "." ? ".." : PathParts.folder(of: trimmed)
        let scripts = Set(summary.files.filter { $0.lowercased().hasSuffix(".sql") })
        let traces = FoundTrace.all.map(\.trace)
        let isStep =
            summary.folders.isEmpty && !scripts.isEmpty
            && traces.contains { scripts.isSubset(of: $0.stepFiles) }
        let isJournal = traces.contains { $0.innerFile.map(summary.files.contains) ?? false }
        guard isStep || isJournal, MigrationsSurvey.sign(of: parent) != nil else { return nil }
        return shown
    }

    private static func trimmed(_ path: String) -> String {
        var path = path[...]
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        return String(path)
    }
}
