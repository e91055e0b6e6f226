import Drydock

/// Turns a report into text. A renderer is one file, registered in ``ReportRenderers``; it does no I/O.
package protocol ReportRenderer: Sendable {
    /// The name for `--format` and `--report`.
    var name: String { get }
    func render(_ report: Report, _ options: RenderOptions) -> String
}

package enum ReportRenderers {
    /// Those of every command with a report.
    package static let all: [any ReportRenderer] = [HumanRenderer(), JSONRenderer(), HTMLRenderer()]
    /// Those of `drydock health`.
    package static let ofHealth: [any ReportRenderer] = all + [NagiosRenderer(), PrometheusRenderer()]

    /// Those of `drydock diff`.
    package static let ofDiff: [any ReportRenderer] = all + [MarkdownRenderer()]

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

    package init(
        usesColor: Bool = false, redacts: Bool = false, isQuiet: Bool = false, isVerbose: Bool = false
    ) {
        self.usesColor = usesColor
        self.redacts = redacts
        self.isQuiet = isQuiet
        self.isVerbose = isVerbose
    }
}

extension Evidence.Sample {
    package func text(_ options: RenderOptions) -> String { options.redacts ? shape : literal }
}

extension Finding {
    package func message(_ options: RenderOptions) -> String {
        options.redacts ? redactedMessage ?? message : message
    }
}
