import Drydock
import DrydockReport
import Foundation

/// The service that runs the command, as far as it reads reports in a form of its own.
enum ContinuousIntegration: Sendable {
    /// GitHub Actions, and the services that run its workflows.
    case github
    case gitlab

    static var current: ContinuousIntegration? {
        let environment = ProcessInfo.processInfo.environment
        if !environment["GITHUB_ACTIONS", default: ""].isEmpty { return .github }
        if !environment["GITLAB_CI", default: ""].isEmpty { return .gitlab }
        return nil
    }

    /// The report of code quality that GitLab's documentation names, for `artifacts: reports: codequality:`.
    static let codeQuality = "gl-code-quality-report.json"

    /// The paths of the repository around the working folder: in GitLab that of the project, which may have others in it.
    static var paths: SourcePaths {
        let folder = FolderListing.realPath(FileManager.default.currentDirectoryPath)
        if let project = ProcessInfo.processInfo.environment["CI_PROJECT_DIR"], project.hasPrefix("/") {
            let root = FolderListing.realPath(project)
            if root != "/", folder == root || folder.hasPrefix(root + "/") {
                return SourcePaths(root: root, folder: folder)
            }
        }
        var root = folder
        while !FolderListing.exists(root + "/.git") {
            guard root != "/" else { return SourcePaths() }
            root = PathParts.folder(of: root)
        }
        return SourcePaths(root: root, folder: folder)
    }

    /// Appends the report to the summary of the step, if there is one to append to.
    /// - Throws: RequestError.
    static func addSummary(_ report: Report, _ options: RenderOptions) throws {
        try addSummary(MarkdownRenderer().render(report, options))
    }

    /// - Throws: RequestError.
    static func addSummary(_ text: String) throws {
        let path = ProcessInfo.processInfo.environment["GITHUB_STEP_SUMMARY", default: ""]
        guard !path.isEmpty else { return }
        let file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o644)
        guard file >= 0 else {
            throw RequestError(
                .notWritable,
                "the step summary '\(path)' cannot be written: \(FolderListing.describe(errno))")
        }
        let handle = FileHandle(fileDescriptor: file, closeOnDealloc: true)
        do {
            try handle.write(contentsOf: Data((text + "\n").utf8))
        } catch {
            throw RequestError(
                .notWritable, "the step summary '\(path)' cannot be written: \(FolderListing.describe(error))"
            )
        }
    }
}
