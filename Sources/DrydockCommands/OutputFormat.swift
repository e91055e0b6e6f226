import ArgumentParser
import Drydock
import DrydockReport
import Foundation

/// The format of standard output: that of a renderer, or `auto`, which is text for people and, in continuous integration,
/// what the service reads besides.
struct OutputFormat: Sendable, Equatable {
    let name: String
    /// Whether it was requested, and is not only the default.
    let isNamed: Bool

    static let auto = "auto"

    /// - Parameter name: the one of the command line or drydock.yml.
    init(_ name: String?) {
        self.name = name ?? (VerifySettings.isCI ? Self.auto : "human")
        isNamed = name != nil
    }

    /// What counts if nothing is said.
    static let standard = "human; auto where CI is set"

    /// What `--format` means.
    /// - Parameter more: what is to be added.
    static func meaning(_ names: [String], _ more: String = "") -> String {
        "The output, such as json or html; one of: " + names.joined(separator: ", ")
            + (more.isEmpty ? "." : "; \(more).")
    }

    /// The help of the option of a command.
    static func help(_ names: [String], _ more: String = "") -> ArgumentHelp {
        ArgumentHelp(meaning(names, more), default: standard, valueName: "format")
    }

    static let humanOrJSON = ArgumentHelp("human or json.", default: "human")

    /// The names for `--format`.
    static func names(_ renderers: [any ReportRenderer]) -> [String] { [auto] + renderers.names }

    /// Whether standard output is text for people, line by line as the work goes on.
    var isHuman: Bool { name == "human" || name == Self.auto }

    /// The service that gets what it reads.
    private var service: ContinuousIntegration? { name == Self.auto ? ContinuousIntegration.current : nil }

    /// The files that the service looks for, besides those that were requested.
    func files(besides files: [ReportFile]) -> [ReportFile] {
        guard service == .gitlab, !files.contains(where: { $0.format == "gitlab" }) else { return [] }
        return ReportFile(argument: "gitlab=\(ContinuousIntegration.codeQuality)").map { [$0] } ?? []
    }

    /// Prints the report.
    /// - Parameter text: the text for people; nil for the report's own.
    /// - Throws: RequestError.
    func write(
        _ report: Report, _ options: RenderOptions,
        among renderers: [any ReportRenderer] = ReportRenderers.all,
        text: String? = nil
    ) throws {
        guard !isHuman, let renderer = renderers.named(name) else {
            Terminal.show(text ?? HumanRenderer().render(report, options))
            return try writeForService(report, options)
        }
        let text = renderer.render(report, options.dated)
        if renderer.isForPeople { Terminal.show(text) } else { Terminal.write(text) }
        if renderer is GitHubRenderer { try ContinuousIntegration.addSummary(report, options) }
    }

    private func writeForService(_ report: Report, _ options: RenderOptions) throws {
        guard service == .github else { return }
        // A file gets only the text, unless this is what was requested.
        if isNamed || Terminal.outputIsLog { Terminal.write(GitHubRenderer().annotations(report, options)) }
        try ContinuousIntegration.addSummary(report, options)
    }

    /// Prints that there is no report.
    func writeFailure(_ error: RequestError, of command: String) {
        let options = RenderOptions.forOutput().dated
        if isHuman {
            guard service == .github else { return }
            if isNamed || Terminal.outputIsLog {
                Terminal.write(GitHubRenderer().renderFailure(error, of: command, options) ?? "")
            }
        } else if let text = ReportRenderers.named(name)?.renderFailure(error, of: command, options) {
            Terminal.write(text)
        }
        if service == .github || name == GitHubRenderer().name {
            try? ContinuousIntegration.addSummary(
                MarkdownRenderer().renderFailure(error, of: command, options) ?? "")
        }
    }
}
