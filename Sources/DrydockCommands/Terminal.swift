import Drydock
import DrydockReport
import Foundation
import SQLiteSchema
import Synchronization

/// Standard output and standard error, and what is at their other end.
enum Terminal {
    static var outputIsTerminal: Bool { isatty(STDOUT_FILENO) == 1 }
    /// Whether standard error is a terminal on which a line can be replaced.
    static var errorIsTerminal: Bool { isatty(STDERR_FILENO) == 1 && !isDumb }

    /// Whether standard output is a terminal on which text can be replaced.
    static var outputIsScreen: Bool { outputIsTerminal && !isDumb }

    private static var isDumb: Bool {
        ProcessInfo.processInfo.environment["TERM", default: "dumb"] == "dumb"
    }

    private static let began = Latch()
    private static let failureAction = Mutex<(@Sendable (RequestError) -> Void)?>(nil)
    private static let workDone = Mutex<String?>(nil)

    /// Sets what is done before the process ends because standard output cannot be written.
    static func onFailure(_ action: (@Sendable (RequestError) -> Void)?) {
        failureAction.withLock { $0 = action }
    }

    /// Notes what was done to databases, which is said too if standard output cannot be written.
    static func note(done: String?) { workDone.withLock { $0 = done } }

    /// Whether anything was written to standard output.
    static var hasOutput: Bool { began.value }

    /// Colours go to terminals that have them, unless NO_COLOR (https://no-color.org) is set. FORCE_COLOR
    /// (https://force-color.org) asks for them anywhere; with 0 or false, nowhere.
    static var outputHasColor: Bool {
        hasColor(ProcessInfo.processInfo.environment, isTerminal: outputIsTerminal)
    }

    static func hasColor(_ environment: [String: String], isTerminal: Bool) -> Bool {
        let forced = environment["FORCE_COLOR", default: ""]
        if !forced.isEmpty { return forced != "0" && forced.lowercased() != "false" }
        return isTerminal && environment["NO_COLOR", default: ""].isEmpty && environment["TERM"] != "dumb"
    }

    /// The columns of the terminal that standard output is; nil if it is none, or does not say.
    static var outputWidth: Int? { extent(\.ws_col, or: "COLUMNS") }

    /// The lines of that terminal.
    static var outputHeight: Int? { extent(\.ws_row, or: "LINES") }

    private static func extent(_ part: KeyPath<winsize, UInt16>, or variable: String) -> Int? {
        guard outputIsTerminal else { return nil }
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size[keyPath: part] > 0 else {
            return ProcessInfo.processInfo.environment[variable].flatMap { Int($0) }
        }
        return Int(size[keyPath: part])
    }

    /// Writes to standard output. Ends the process with status 2 if that fails, since a report that nobody gets is
    /// not a report.
    static func write(_ text: String) { write(Array(text.utf8)) }

    static func write(_ bytes: [UInt8]) { bytes.withUnsafeBytes { write($0) } }

    static func write(_ bytes: UnsafeRawBufferPointer) {
        began.set()
        guard let code = put(bytes, to: STDOUT_FILENO) else { return }
        let error = RequestError(
            .notWritable, "standard output cannot be written: \(FolderListing.describe(code))"
        ).adding(workDone.withLock { $0 })
        failureAction.withLock { $0 }?(error)
        if code == EPIPE { endWithoutReader() }
        complain(error.description)
        exit(2)
    }

    /// Ends the process as one ends that writes to a pipe which nobody reads, without a word.
    static func endWithoutReader() {
        signal(SIGPIPE, SIG_DFL)
        raise(SIGPIPE)
    }

    /// Writes text for people: a name or value from a database cannot steer their terminal.
    static func show(_ text: String) { show(Array(text.utf8)) }

    static func show(_ bytes: [UInt8]) { write(TerminalText.of(bytes, withColors: outputHasColor)) }

    /// Shows the progress in place of the previous one; shows nothing if the text is empty.
    static func progress(_ text: String) { writeError("\r\u{1b}[K" + VisibleText.line(text)) }

    static func writeError(_ text: String) {
        _ = put(Array(text.utf8), to: STDERR_FILENO)
    }

    static func show(error text: String) {
        _ = put(TerminalText.of(Array(text.utf8), withColors: false), to: STDERR_FILENO)
    }

    /// - Returns: the system's error, or nil if everything was written.
    private static func put(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int32? {
        var rest = bytes
        while !rest.isEmpty {
            let count = systemWrite(descriptor, rest.baseAddress, rest.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return errno }
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
        }
        return nil
    }

    private static func put(_ bytes: [UInt8], to descriptor: Int32) -> Int32? {
        bytes.withUnsafeBytes { put($0, to: descriptor) }
    }

    /// Writes SQL, which keeps every character of a name, since it is meant to be run; on a terminal people read it.
    /// SQL has no other way to quote a name: if a line of it would be a command to the continuous integration that
    /// keeps the output as its log, nothing is written at all.
    static func write(sql: String) {
        if outputIsTerminal { return show(sql) }
        var isLineStart = true
        write(sql: Array(sql.utf8), &isLineStart)
    }

    /// Writes a part of a script in the same way.
    /// - Parameter isLineStart: whether the part begins a line; kept from part to part.
    static func write(sql: [UInt8], _ isLineStart: inout Bool) {
        if outputIsLog, TerminalText.holdsCommand(sql, &isLineStart) {
            complain(
                "the SQL contains a name or value with a line that this continuous integration would run as a command",
                help: "  help: Write it to a file: > migration.sql")
            exit(2)
        }
        write(sql)
    }

    /// Whether the output may end in a log that is read for commands: the runners of GitHub, Azure and TeamCity set
    /// these variables. Output to a file does not end there.
    static var outputIsLog: Bool {
        let environment = ProcessInfo.processInfo.environment
        let names = ["GITHUB_ACTIONS", "TF_BUILD", "TEAMCITY_VERSION", "GITEA_ACTIONS", "FORGEJO_ACTIONS"]
        guard names.contains(where: { !environment[$0, default: ""].isEmpty }) else { return false }
        var status = stat()
        return fstat(STDOUT_FILENO, &status) != 0 || status.st_mode & S_IFMT != S_IFREG
    }

    /// Prints an error in one sentence, as compilers do, with its remedy in lines below.
    static func complain(_ message: String, help: String = "") {
        show(error: "drydock: error: \(VisibleText.line(message))\n" + (help.isEmpty ? "" : help + "\n"))
    }

    static func note(_ text: String) { show(error: "drydock: note: \(VisibleText.line(text))\n") }
}

/// Calls `write(2)`, which a function of the same name hides inside ``Terminal``.
func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}
