import DatabaseEngine
import Drydock

/// A project as its settings describe it.
package struct LintProject: Sendable {
    /// The options of lint, with absolute paths.
    package var request: LintRequest
    package var engine: any Engine
    /// How long one run may take; nil for no limit.
    package var timeLimit: Duration?
    /// Sets the limits on memory. They hold for the whole process, in which projects with others may be open.
    package var setLimits: @Sendable () -> Void

    package init(
        request: LintRequest, engine: any Engine, timeLimit: Duration?,
        setLimits: @escaping @Sendable () -> Void = {}
    ) {
        (self.request, self.engine, self.timeLimit, self.setLimits) = (request, engine, timeLimit, setLimits)
    }
}

/// Finds the project of a file. Reading drydock.yml is the command layer's.
package protocol ProjectFinder: Sendable {
    /// Returns the project whose migrations may include files of a folder; nil if there are no migrations.
    /// - Throws: RequestError if its settings are not valid, or do not say which migrations are meant.
    func project(ofFolder folder: String, workspaces: [String]) throws -> LintProject?
}
