import DrydockFindings
import DrydockReplay

/// What happens while a project is watched, in this order in each round.
public enum WatchEvent: Sendable {
    /// A round begins; the paths are those that have changed since the last one, none in the first.
    case began(changed: [String])
    /// The settings cannot be used. They are read again when they change.
    case stopped(RequestError)
    /// What linting has found, or why there is no report.
    case linted(Result<Report, RequestError>)
    /// How far verifying has come.
    case verifying(VerifyEvent)
    /// What verifying has found, or why there is no report.
    case verified(Result<Report, RequestError>)
    /// The round has ended: nothing happens until a file changes.
    case ended
}
