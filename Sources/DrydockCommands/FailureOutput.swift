import ArgumentParser
import DatabaseEngine
import Drydock
import DrydockReport
import Synchronization

/// What a command writes where it can make no report: the error on standard error, and as JSON wherever its report would
/// have gone as JSON.
final class FailureOutput: Sendable {
    private struct Outputs {
        var printsJSON: Bool
        var files: [ReportFile] = []
    }

    private let command: String
    private let outputs: Mutex<Outputs>

    /// - Parameter format: the format of standard output, as the command line says it.
    init(_ command: any ParsableCommand.Type, format: String? = nil) {
        self.command = command._commandName
        outputs = Mutex(Outputs(printsJSON: format == "json"))
    }

    /// Notes the format of standard output, when drydock.yml is read.
    func prints(_ format: String) {
        outputs.withLock { $0.printsJSON = format == "json" }
    }

    /// Notes the files for reports. They must have been checked: none is what the command reads.
    func writes(_ files: [ReportFile]) {
        outputs.withLock { $0.files = files.filter { $0.format == "json" } }
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
            let text = FailureRenderer.json(error, of: command)
            for file in outputs.files { try? file.write(text) }
            if outputs.printsJSON { Terminal.write(text) }
        }
        Terminal.complain(error.description, help: error.quote)
        return ExitCode(2)
    }
}
