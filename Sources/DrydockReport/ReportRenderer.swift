import Drydock

/// Turns a report into text. A renderer is one file, registered in ``ReportRenderers``; it does no I/O.
package protocol ReportRenderer: Sendable {
    /// The name for `--format` and `--report`.
    var name: String { get }
    /// Whether people read the text as it is; a program's format has its own escapes.
    var isForPeople: Bool { get }
    func render(_ report: Report, _ options: RenderOptions) -> String
    /// Renders that a command could make no report; nil if the format cannot say so.
    func renderFailure(_ error: RequestError, of command: String, _ options: RenderOptions) -> String?
}

extension ReportRenderer {
    package var isForPeople: Bool { false }
    package func renderFailure(_ error: RequestError, of command: String, _ options: RenderOptions) -> String?
    { nil }
}

package enum ReportRenderers {
    /// Those of every command with a report.
    package static let all: [any ReportRenderer] = [
        HumanRenderer(),
        JSONRenderer(),
        JUnitRenderer(),
        SARIFRenderer(),
        GitHubRenderer(),
        GitLabRenderer(),
        TAPRenderer(),
        MarkdownRenderer(),
        HTMLRenderer(),
    ]
    /// Those of `drydock health`.
    package static let ofHealth: [any ReportRenderer] = all + [NagiosRenderer(), PrometheusRenderer()]

    package static func named(_ name: String) -> (any ReportRenderer)? { all.named(name) }
}

extension [any ReportRenderer] {
    package var names: [String] { map(\.name) }

    package func named(_ name: String) -> (any ReportRenderer)? { first { $0.name == name } }
}

package struct RenderOptions: Sendable {
    package var usesColor = false
    /// Whether values are shown by class and size only; keys are still shown.
    package var redacts = false
    /// Whether only what is wrong is shown.
    package var isQuiet = false
    /// Whether steps and notes are shown too.
    package var isVerbose = false
    /// The columns of the terminal, for text that is wrapped; nil where it is not shown on one.
    package var width: Int?
    /// How the paths of files are written for services that show them beside the code.
    package var paths = SourcePaths()
    /// When the run began, in seconds since 1970, for formats that want a time.
    package var time: Double?

    package init(
        usesColor: Bool = false, redacts: Bool = false, isQuiet: Bool = false, isVerbose: Bool = false
    ) {
        self.usesColor = usesColor
        self.redacts = redacts
        self.isQuiet = isQuiet
        self.isVerbose = isVerbose
    }

    /// The same without colours.
    var plain: RenderOptions {
        var options = self
        (options.usesColor, options.width) = (false, nil)
        return options
    }
}

extension Evidence.Sample {
    package func text(_ options: RenderOptions) -> String { options.redacts ? shape : literal }
}

extension Finding {
    package func message(_ options: RenderOptions) -> String {
        options.redacts ? sentence.withoutValues : message
    }
}
