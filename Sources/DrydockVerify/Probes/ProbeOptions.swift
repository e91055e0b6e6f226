import DrydockProbes
import DrydockReplay
import SQLiteSchema

/// When probes are replayed, and what they hold. A probe is a database that Drydock fills with generated rows.
public struct ProbeOptions: Sendable {
    public enum Use: Sendable {
        /// Where no snapshot is named and none is found.
        case whereNoSnapshot
        /// Beside snapshots as well.
        case always
        case never
    }

    public var use = Use.whereNoSnapshot
    /// The least number of rows for each table.
    public var rowCount = 3
    /// What ``rowCount`` may be.
    package static let rowCounts = 1...10_000
    /// The same seed gives the same rows.
    public var seed: UInt64 = 1
    /// Whether migrations that the lock has as released are checked as well.
    public var includesReleased = false

    /// The most that one step may do with the rows, in instructions of SQLite's virtual machine: some ten seconds.
    package var instructionLimit = 5_000_000_000
    /// The same for the unusual rows that are tried at once; nil for what the time limit allows.
    package var edgeInstructionLimit: Int?
    /// The most unusual rows that are tried at once; nil for no limit but that one.
    package var edgeRowLimit: Int?

    public init() {}
}

/// What fills the tables of probes, and how.
struct ProbeSource: Sendable {
    let generator: RowMaker
    let options: ProbeOptions
    /// The statements of all migrations.
    let statements: [SQLStatement]
}
