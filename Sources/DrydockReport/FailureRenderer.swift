import Drydock

/// Renders as JSON that a command could make no report: the envelope of every report, with the error.
package enum FailureRenderer {
    package static func json(_ error: RequestError, of command: String, isIndented: Bool = true) -> String {
        jsonText(
            JSONEnvelope(command: command, hasFailed: true, Failed(error: .init(error))),
            isIndented: isIndented)
    }
}

/// Why there is no report.
struct JSONFailure: Encodable {
    var reason, message: String
    var help, file: String?
    var line: Int?

    init(_ error: RequestError) {
        (reason, message) = (error.reason.rawValue, error.description)
        help = error.quote.isEmpty ? nil : error.quote
        (file, line) = (error.file, error.line)
    }
}

private struct Failed: Encodable {
    var error: JSONFailure
}
