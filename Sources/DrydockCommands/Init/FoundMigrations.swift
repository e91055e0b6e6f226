import Drydock
import GRDBEngine

/// What `drydock init` finds of a project's migrations.
enum FoundMigrations {
    /// One folder, and the formats in which it can be read, of which the first is used.
    case folder(String, formats: [RequestError.Choice])
    /// One folder that every command refuses: its formats read other statements, or a file in it cannot be read.
    case refused(String, RequestError)
    case several([MigrationsSurvey.Candidate])
    /// Migrations in code.
    case code(path: String, CodeMigrations)
    /// Why there are none, with what to do.
    case nothing(RequestError)

    /// Looks in and below the working folder.
    /// - Parameters:
    ///   - named: the folder that the user names; nil to search.
    ///   - format: the format that the user names.
    /// - Throws: RequestError for a folder that is named and is not there, too high or too low.
    init(named: String?, format: String?) async throws {
        if let named {
            guard FolderListing.exists(named) else {
                throw RequestError(
                    .notFound, "there is no folder '\(named)'; --migrations names one that exists")
            }
            try MigrationsFinder.check(named: named, format: format)
            self = try await Self.read(named, format)
            return
        }
        do {
            self = try await Self.read(try MigrationsFinder.find(in: "").path, format)
        } catch let error as RequestError where format == nil || error.reason == .notFound {
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

    /// Reads a folder as `drydock verify` does with what is written.
    /// - Throws: RequestError for a format that is named and cannot be used.
    private static func read(_ folder: String, _ named: String?) async throws -> FoundMigrations {
        var request = VerifyRequest()
        (request.migrations.folder, request.migrations.format) = (folder, named)
        if FolderListing.exists(Lock.defaultPath) { request.lock = Lock.defaultPath }
        do {
            return .folder(folder, formats: try await Verifier(engine: GRDBDriver()).formats(request))
        } catch let error as RequestError where named == nil {
            return .refused(folder, error)
        }
    }

    /// Whether nothing is left for the user to say.
    var isDecided: Bool {
        if case .folder = self { true } else { false }
    }

    /// The folder, where there is one.
    var path: String? {
        switch self {
        case .folder(let path, _), .refused(let path, _): path
        case .several, .code, .nothing: nil
        }
    }
}
