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
    }

    /// Of a command that has no findings, and is not for a service of continuous integration.
    convenience init(_ command: any ParsableCommand.Type, format: String? = nil) {
        self.init(command, OutputFormat(format ?? "human"))
    }

    /// Notes the format of standard output, when drydock.yml is read.
    func prints(_ format: OutputFormat) {
        outputs.withLock { $0.format = format }
    }

    /// Notes the files for reports. They must have been checked: none is what the command reads.
    func writes(_ files: [ReportFile]) {
        outputs.withLock { $0.files = files }
    }

    /// Reads drydock.yml. If that fails, the files of the command line get the failure, since an old report in one of them
    /// would be taken for this run's.
    /// - Throws: RequestError.
    func config(_ path: String?, writing files: [ReportFile]) throws -> ConfigFile {
        writes(files.filter(\.mayHoldReport))
        let config = try ConfigFile.load(path)
        writes([])
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
            let outputs = outputs.withLock { $0 }
            for file in outputs.files {
                guard let renderer = ReportRenderers.named(file.format),
                    let text = renderer.renderFailure(error, of: command, at: Date().timeIntervalSince1970)
                else { continue }
                try? file.write(text)
            }
            outputs.format.writeFailure(error, of: command)
        }
        Terminal.complain(error.description, help: error.quote)
        return ExitCode(2)
    }
}
