import DrydockFiles
import DrydockFindings
import DrydockMigrate

/// The options of `drydock migrate` for many databases.
public struct RollOutRequest: Sendable {
    public var databases: [String]
    /// How each is migrated; its path is ignored.
    public var migrate: MigrateRequest
    /// How many databases are migrated first: one of each schema and version, then the smallest.
    public var canary = 0
    /// After which shares of all databases the roll-out waits until those before are done.
    public var waves: [RollOutWave] = [RollOutWave(percent: 100)]
    /// The roll-out stops at so many failures. What has begun is finished.
    public var maxFailures = 1
    /// The number of databases that are migrated at once.
    public var jobs = 1
    /// The file that says what was done; nil for none.
    public var log: String?
    /// The results of earlier runs, and where those of this one are kept; nil for neither.
    package var kept: KeptResults?
    /// Whether what is kept has no values of rows.
    package var redactsKept = false

    public init(databases: [String], migrate: MigrateRequest) {
        (self.databases, self.migrate) = (databases, migrate)
    }
}

/// A part of all databases, counted from the first.
public struct RollOutWave: Sendable, Equatable {
    public var percent: Double

    public init(percent: Double) { self.percent = percent }

    /// The text on a command line, such as `10%`.
    public var text: String {
        let rounded = percent.rounded()
        return (rounded == percent ? "\(Int(rounded))" : "\(percent)") + "%"
    }

    /// Returns how many of a number of databases it has.
    func count(of total: Int) -> Int { min(total, Int((Double(total) * percent / 100).rounded(.up))) }

    /// Reads a list such as `1%,10%,100%`: rising, and at the end all.
    public static func list(_ text: String) throws(RequestError) -> [RollOutWave] {
        var waves: [RollOutWave] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            guard part.hasSuffix("%"), let percent = Double(part.dropLast()), percent > 0, percent <= 100,
                percent > waves.last?.percent ?? 0
            else {
                throw RequestError(
                    .settingInvalid,
                    "'\(text)' is not a list of rising shares; write --wave 1%,10%,100%")
            }
            waves.append(RollOutWave(percent: percent))
        }
        if waves.last?.percent != 100 { waves.append(RollOutWave(percent: 100)) }
        return waves
    }
}
