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

    /// Writes to standard output; ends the process with status 2 when that cannot be written, since a report
    /// that nobody gets is none.
    static func write(_ text: String) { write(Array(text.utf8)) }

    static func write(_ bytes: [UInt8]) {
        guard let code = put(bytes, to: STDOUT_FILENO) else { return }
        complain("standard output cannot be written: \(String(cString: strerror(code)))")
        exit(2)
    }

    /// Writes what people read: a name or value out of a database cannot steer their terminal.
    static func show(_ text: String) { show(Array(text.utf8)) }

    static func show(_ bytes: [UInt8]) { write(VisibleText.of(bytes, withColors: outputHasColor)) }

    static func writeError(_ text: String) {
        _ = put(Array(text.utf8), to: STDERR_FILENO)
    }

    static func show(error text: String) {
        _ = put(VisibleText.of(Array(text.utf8), withColors: false), to: STDERR_FILENO)
    }

    /// - Returns: the system's error, or nil when all was written.
    private static func put(_ bytes: [UInt8], to descriptor: Int32) -> Int32? {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { systemWrite(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return errno }
            rest = rest.dropFirst(count)
        }
        return nil
    }

    /// An error in one sentence, the way compilers put it.
    static func complain(_ message: String) {
        show(error: "drydock: error: \(message)\n")
    }
}

/// `write(2)`; inside ``Terminal`` its own function of that name hides it.
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}
