import DatabaseEngine
import Drydock
import SQLiteSchema

/// A project with open files, and the last run of lint.
struct OpenProject: Sendable {
    let project: LintProject
    /// The migration folder without links, to recognise its files.
    let realFolder: String
    let cache = LintCache()
    /// Rises with each change, so that an older run is known to be old.
    var generation = 0
    var task: Task<Void, Never>?
    var stop = StopFlag()
    /// The last finished run.
    var result: LintResult?
    /// Files for which diagnostics are shown, beside those of open documents.
    var published: Set<String> = []

    init(_ project: LintProject) {
        self.project = project
        realFolder = FolderListing.realPath(project.request.migrations.folder)
    }

    /// Returns a path in the migration folder as lint names it; nil for a file elsewhere.
    func name(of path: String) -> String? {
        let folder = FolderListing.realPath(PathParts.folder(of: path))
        let name = PathParts.name(of: path)
        if folder == realFolder { return project.request.migrations.folder + "/" + name }
        guard folder.hasPrefix(realFolder + "/") else { return nil }
        return project.request.migrations.folder + folder.dropFirst(realFolder.count) + "/" + name
    }

    /// Returns a linter that ends when it is stopped, or at the project's limit.
    func linter(stop: StopFlag) -> Linter {
        project.setLimits()
        let deadline = project.timeLimit.map { ContinuousClock.now + $0 }
        return Linter(
            engine: BoundedEngine(project.engine) {
                stop.value || deadline.map { ContinuousClock.now >= $0 } ?? false
            })
    }
}

/// What a run of lint found.
struct LintResult: Sendable {
    let generation: Int
    let outcome: Result<LintOutcome, RequestError>
}
