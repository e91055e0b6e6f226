import ArgumentParser
import DatabaseEngine
import Drydock
import DrydockReport
import Foundation
import Synchronization

/// What a command writes where it can make no report: the error on standard error, and in the formats of its reports
/// wherever these would have gone, as far as they can say it.
final class FailureOutput: Sendable {
    private struct Outputs {
        var format: OutputFormat
        var files: [ReportFile] = []
    }

    private let command: String
    private let outputs: Mutex<Outputs>

    /// - Parameter format: the format of standard output, as the command line says it.
    init(_ command: any ParsableCommand.Type, _ format: OutputFormat) {
        self.command = command._commandName
        outputs = Mutex(Outputs(format: format))
        Terminal.onFailure { [self] in write($0) }
    }

    /// Of a command that has no findings, and is not for a service of continuous integration.
    convenience init(_ command: any ParsableCommand.Type, format: String? = nil) {
        self.init(command, OutputFormat(format ?? "human"))
    }

    /// Notes the format of standard output, when drydock.yml is read.
    func prints(_ format: OutputFormat) {
        outputs.withLock { $0.format = format }
    }

    /// Notes the files for reports before they can be checked. A failure goes to those that can only hold an old report,
    /// which would be taken for this run's.
    func expects(_ files: [ReportFile]) {
        let arguments = Array(CommandLine.arguments.dropFirst())
        let old = files.filter { $0.mayHoldReport && !$0.isNamedOtherwise(in: arguments) }
        outputs.withLock { $0.files = old }
    }

    /// Checks the files for reports: a failure then goes to all of them. If one of them is what the command reads, it goes
    /// to none; if one cannot be written, or two are the same, to those that can only hold an old report.
    /// - Returns: what the check returns.
    /// - Throws: what the check throws, and RequestError where two reports would be written to one file.
    func writes<Value>(_ files: [ReportFile], _ check: () throws -> Value) throws -> Value {
        // Those of before are replaced with this failure, too.
        try files.checkDistinct()
        let old = outputs.withLock { outputs in
            defer { outputs.files = [] }
            return outputs.files
        }
        do {
            let value = try check()
            writes(files)
            return value
        } catch let error as RequestError where error.reason == .notWritable {
            writes(old)
            throw error
        }
    }

    /// Notes the files for reports, which have been checked.
    func writes(_ files: [ReportFile]) {
        outputs.withLock { $0.files = files }
    }

    /// Reads drydock.yml.
    /// - Parameter files: the files for reports that the command line and drydock.yml name.
    /// - Throws: RequestError.
    func config(_ path: String?, writing files: (ConfigFile) -> [ReportFile]) throws -> ConfigFile {
        expects(files(.empty))
        let config = try ConfigFile.load(path)
        expects(files(config))
        return config
    }

    /// Runs a command's work.
    /// - Throws: `ExitCode` 2 for an error for which there is no report, and the other errors of `body`.
    func run(_ body: () async throws -> Void) async throws {
        do {
            try await body()
        } catch let error as RequestError {
            throw end(error)
        } catch let error as EngineError {
            throw end(RequestError(.init(error), error.description))
        }
    }

    /// Writes the error.
    /// - Returns: the exit status.
    func end(_ error: RequestError) -> ExitCode {
        // A report that was begun, or is there already, is not followed by another document.
        if !Terminal.hasOutput {
            write(error)
            outputs.withLock { $0.format }.writeFailure(error, of: command)
        }
        Terminal.complain(error.description, help: error.quote)
        return ExitCode(2)
    }

    /// Writes the error only to the files, but does not replace a report that this run has written.
    /// - Parameter text: returns the document of a format; nil for the usual one.
    func write(_ error: RequestError, _ text: (ReportFile) -> String? = { _ in nil }) {
        for file in outputs.withLock({ $0.files }) where !file.isWritten {
            let usual = ReportRenderers.named(file.format)?.renderFailure(
                error, of: command, .forOutput().forFile)
            if let text = text(file) ?? usual { try? file.write(text) }
        }
    }
}
