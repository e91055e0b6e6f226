import Drydock

/// What `drydock init` finds of a project's migrations.
enum FoundMigrations {
    /// One folder, and the formats in which it can be read, of which the first is used; none if they read different
    /// statements, so that every command would refuse it.
    case folder(String, formats: [String])
    case several([MigrationsSurvey.Candidate])
    /// Migrations in code.
    case code(path: String, ForeignTool)
    /// Why there are none, with what to do.
    case nothing(RequestError)

    /// Looks in and below the working folder.
    /// - Parameters:
    ///   - named: the folder that the user names; nil to search.
    ///   - format: the format that the user names.
    /// - Throws: RequestError for a folder that is named and is not there, too high or too low.
    init(named: String?, format: String?) throws {
        if let named {
            guard FolderListing.exists(named) else {
                throw RequestError(
                    .notFound, "there is no folder '\(named)'; --migrations names one that exists")
            }
            try MigrationsFinder.check(named: named, format: format)
            self = .folder(named, formats: try Self.formats(of: named, format))
            return
        }
        do {
            let path = try MigrationsFinder.find(in: "").path
            self = .folder(path, formats: (try? Self.formats(of: path, format)) ?? [])
        } catch let error as RequestError {
            let survey = MigrationsSurvey("")
            if survey.candidates.count > 1 {
                self = .several(survey.candidates)
            } else if survey.candidates.isEmpty, let code = survey.code.first {
                self = .code(path: code.path, code.tool)
            } else {
                self = .nothing(error)
            }
        }
    }

    /// Returns the formats whose tools would read a folder; several where only the user can tell.
    private static func formats(of folder: String, _ named: String?) throws -> [String] {
        if let named { return [named] }
        let choice = try FormatChoice(folder: folder, named: nil, options: FormatOptions())
        var names: [String] = []
        for reading in try choice.readings([]) where !names.contains(reading.set.format.name) {
            names.append(reading.set.format.name)
        }
        return names
    }

    /// Whether nothing is left for the user to say.
    var isDecided: Bool {
        if case .folder(_, let formats) = self { !formats.isEmpty } else { false }
    }
}
