/// What was done to databases, for the message that the report of it, or the record of it, cannot be written.
package enum WorkDone {
    /// Returns that the database is `migrated`, or how many of several are; nil if none is.
    package static func text(_ count: Int, of all: Int, _ what: String) -> String? {
        guard count > 0 else { return nil }
        if all == 1 { return "the database is \(what) all the same" }
        return "\(count) of \(counted(all, "database")) \(count == 1 ? "is" : "are") \(what) all the same"
    }
}

extension Report {
    /// What was done to databases; nil if each of them is unchanged.
    package var workDone: String? {
        switch body {
        case .migrate(let migrate):
            switch migrate.outcome {
            case .applied: WorkDone.text(1, of: 1, "migrated")
            case .damaged: "the database was written, but does not read back as written: the disk is failing"
            case .upToDate, .pending, .rehearsed, .refused: nil
            }
        case .rollOut(let rollOut):
            WorkDone.text(
                rollOut.count(.applied) + rollOut.count(.damaged), of: rollOut.databases.count, "migrated")
        case .vacuum(let vacuum):
            switch vacuum.method {
            case .installed, .inPlace, .incremental: WorkDone.text(1, of: 1, "vacuumed")
            case .into: "the copy is written all the same"
            case .forecast, .untouched: nil
            }
        case .vacuums(let vacuums):
            WorkDone.text(
                vacuums.done.count { $0.method != .forecast }, of: vacuums.databases.count, "vacuumed")
        case .verify, .lint, .lock, .health, .diff: nil
        }
    }
}
