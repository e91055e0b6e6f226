import Foundation

/// The two streams, and what is at their other end.
enum Terminal {
    static var outputIsTerminal: Bool { isatty(STDOUT_FILENO) == 1 }
    static var errorIsTerminal: Bool { isatty(STDERR_FILENO) == 1 }

    /// Colours go to terminals that have them, unless NO_COLOR (https://no-color.org) is set.
    static var outputHasColor: Bool {
        let environment = ProcessInfo.processInfo.environment
        return outputIsTerminal && environment["NO_COLOR", default: ""].isEmpty
            && environment["TERM"] != "dumb"
    }

    static func write(_ text: String) {
        FileHandle.standardOutput.write(Data(text.utf8))
    }

    static func writeError(_ text: String) {
        FileHandle.standardError.write(Data(text.utf8))
    }

    /// An error in one sentence, the way compilers put it.
    static func complain(_ message: String) {
        writeError("drydock: error: \(message)\n")
    }
}
