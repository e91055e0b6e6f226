import DatabaseEngine
import DrydockFindings
import OverlayVFS

/// Why an overlay took no more pages: the limit on what a migration may write, or a folder for temporary files that is
/// full or cannot be written. SQLite reports both as a full disk, and neither says that the migration is wrong.
package struct WriteObstacle {
    private let fault: OverlayError?

    package init(_ overlay: Overlay) { fault = overlay.fault }

    /// Returns why something failed, or nil if it failed for a reason of its own.
    package func cause(of error: any Error) -> String? {
        guard Self.isOfFullDisk(error) else { return nil }
        return switch fault {
        case .writtenTooMuch: "it writes more than --memory allows"
        case .spillFailed(let folder, _): "what it writes cannot be stored in '\(folder)'"
        default: nil
        }
    }

    /// Returns the finding of a failed migration, with the obstacle as the cause if it is.
    package func explaining(_ finding: Finding, _ error: any Error) -> Finding {
        guard let cause = cause(of: error), let fault else { return finding }
        var finding = finding
        finding.sentence = "\(finding.migration ?? "the migration") was stopped: \(cause)"
        finding.tags = finding.tags.filter { $0 != .dataDependent } + [.notChecked]
        finding.advice = Self.help(fault)
        return finding
    }

    /// Returns the help of every finding that names the obstacle.
    package static func help(_ fault: OverlayError) -> Help { Help("\(fault)") }

    private static func isOfFullDisk(_ error: any Error) -> Bool {
        switch error {
        case let error as EngineError: error.isFullDisk
        case let failure as StatementFailure: failure.error.isFullDisk
        case let failure as BatchFailure: isOfFullDisk(failure.error)
        case let failure as RunnerFailure: isOfFullDisk(failure.error)
        default: false
        }
    }
}
