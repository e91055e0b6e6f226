import DatabaseEngine
import Foundation

/// The error of a request for which no report can be made, such as one that names a folder that does not exist. The
/// command line ends with status 2.
///
///     do {
///         let report = try await Verifier(engine: GRDBDriver()).run(request)
///         show(report)
///     } catch let error as RequestError {
///         switch error.reason {
///         case .databaseBusy: tryAgainLater()
///         case .formatAmbiguous: askForTheFormat(error.description)
///         case .notFound, .settingInvalid: showSettings(error.description)
///         default: show(error.description)
///         }
///     }
public struct RequestError: Error, CustomStringConvertible, Sendable, Codable {
    /// What prevents the report, for programs that act on it. Later versions may have more reasons, so a
    /// `switch` needs a `default`.
    public enum Reason: String, Sendable, Hashable, CaseIterable, Codable {
        /// What the request names does not exist: a folder, file, database, snapshot, migration, table or lock.
        case notFound
        /// A file or folder exists, but cannot be opened, or is not what the request takes it for.
        case unreadable
        /// A setting, an option or a declaration is not valid, or contradicts another.
        case settingInvalid
        /// No migration format has the name that the request gives.
        case formatUnknown
        /// The migrations can be read in several formats that differ in files or statements, or run differently where only
        /// one of them may run; the request must name one.
        case formatAmbiguous
        /// The migrations, or the files that a tool keeps with them, cannot be read or run.
        case migrationsInvalid
        /// The lock cannot be read, or belongs to other migrations.
        case lockInvalid
        /// A database, snapshot or dump is damaged, is not one at all, or cannot be read.
        case databaseUnreadable
        /// Other programs have locked the database, or write it all the time; the same request may succeed later.
        case databaseBusy
        /// There is too little free space.
        case diskFull
        /// A file or folder cannot be written, or exists and would be overwritten.
        case notWritable
        /// What is requested cannot be done, or not without the risk of a loss.
        case refused
        /// A limit on time or memory was reached before there was a report.
        case limitReached
        /// None of the above.
        case other
    }

    public var reason: Reason
    /// The fact, then what to do.
    public var description: String
    /// Lines below the description, such as a quoted line of SQL with a caret; usually empty.
    public var quote: String
    /// The file that is the cause, and the line in it, counted from 1; nil where the description does not name one.
    public var file: String?
    public var line: Int?
    /// The formats between which the request must choose, for ``Reason/formatAmbiguous``.
    public var choices: [Choice] = []

    /// A format that the migrations may have.
    public struct Choice: Sendable, Hashable, Codable {
        public var format: String
        /// The evidence for it, and how its tool would run them.
        public var reason: String

        public init(format: String, reason: String) { (self.format, self.reason) = (format, reason) }
    }

    public init(
        _ reason: Reason, _ description: String, quote: String = "", file: String? = nil, line: Int? = nil
    ) {
        (self.reason, self.description, self.quote) = (reason, description, quote)
        (self.file, self.line) = (file, line)
    }

    /// Creates an error with the reason ``Reason/other``.
    public init(_ description: String, quote: String = "") {
        self.init(.other, description, quote: quote)
    }
}

extension RequestError {
    /// Returns the error with another fact at the end of its description; the same where there is none.
    package func adding(_ fact: String?) -> RequestError {
        guard let fact else { return self }
        var error = self
        error.description += "; \(fact)"
        return error
    }
}

extension RequestError.Reason {
    /// The reason for which SQLite's failure ends a request.
    package init(_ error: EngineError) {
        switch error.code {
        case .busy, .locked: self = .databaseBusy
        case .outOfMemory, .interrupted, .tooBig: self = .limitReached
        case .notPermitted, .readOnly, .notAuthorized: self = .notWritable
        case .inputOutput, .corrupt, .cannotOpen, .notADatabase: self = .databaseUnreadable
        case .full: self = .diskFull
        default: self = .other
        }
    }

    /// The reason for which a file cannot be written, by the system's error number.
    package static func writing(_ code: Int32) -> Self {
        [ENOSPC, EDQUOT, EFBIG].contains(code) ? .diskFull : .notWritable
    }
}
