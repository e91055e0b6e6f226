import DatabaseEngine
import DrydockFindings
import OverlayVFS

/// The limit on what a migration may write. SQLite reports only that a write failed, as on a full disk.
struct WrittenLimit {
    private let fault: OverlayError?

    init(_ overlay: Overlay) { fault = overlay.fault }

    /// Returns whether the limit is why something failed.
    func isCause(of error: any Error) -> Bool {
        if case .writtenTooMuch? = fault { Self.isOfFullDisk(error) } else { false }
    }

    /// Returns the finding of a failed migration, with the limit as the cause if it is.
    func explaining(_ finding: Finding, _ error: any Error) -> Finding {
        guard isCause(of: error), let fault else { return finding }
        var finding = finding
        finding.message =
            "\(finding.migration ?? "the migration") was stopped: it writes more than --memory allows"
        finding.redactedMessage = nil
        finding.tags = finding.tags.filter { $0 != .dataDependent } + [.notChecked]
        finding.advice = Self.help(fault)
        return finding
    }

    /// Returns the help of every finding that names the limit.
    static func help(_ fault: OverlayError) -> Help { Help("\(fault)") }

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
