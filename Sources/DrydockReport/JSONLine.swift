import Drydock

/// Renders a report as one line of JSON, for output that goes on.
package enum JSONLine {
    package static func of(_ report: Report, _ options: RenderOptions) -> String {
        line(JSONRenderer().render(report, options))
    }

    package static func of(_ error: RequestError, command: String) -> String {
        line(JSONRenderer().renderFailure(error, of: command) ?? "{}")
    }

    /// Returns a document without its line breaks, none of which is in a string, since those are escaped there.
    private static func line(_ document: String) -> String {
        document.split(separator: "\n").map { $0.drop { $0 == " " } }.joined() + "\n"
    }
}
