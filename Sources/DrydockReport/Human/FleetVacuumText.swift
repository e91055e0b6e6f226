import Drydock
import SQLiteSchema

/// What `drydock vacuum` prints of several databases. It fits a screen or two, however many there are.
package struct FleetVacuumText {
    let options: RenderOptions

    package init(options: RenderOptions) { self.options = options }

    /// How many databases have a line each.
    package static let lineLimit = ReplayLines.limit
    /// How many have one where there are more.
    private static let shown = 10

    func text(_ vacuums: VacuumFleetSummary, seconds: Double) -> String {
        lines(of: vacuums) + ending(vacuums, seconds: seconds)
    }

    /// Returns what came of each database; of many only where something was not done, and where most was won.
    private func lines(of vacuums: VacuumFleetSummary) -> String {
        let databases = vacuums.databases
        if options.isVerbose || databases.count <= Self.lineLimit, !options.isQuiet {
            return databases.map { line($0) }.joined()
        }
        let paint = options.paint
        let troubled = databases.filter { $0.trouble != nil }
        let best = options.isQuiet ? [] : Self.best(of: databases)
        let left = troubled.count - Self.shown
        let more = left > 0 ? paint.dim("… and \(left) more that were not done (-v shows them)") + "\n" : ""
        return troubled.prefix(Self.shown).map { line($0) }.joined() + more
            + (best.isEmpty ? "" : paint.dim("where VACUUM gives back most:") + "\n")
            + best.map { line($0) }.joined()
    }

    /// Returns what came of one database.
    package func line(_ database: VacuumFleetSummary.Database) -> String {
        let paint = options.paint
        var text =
            database.vacuum.map { VacuumText(vacuum: $0, seconds: database.seconds, options: options).text }
            ?? ""
        if let trouble = database.trouble {
            text += "\(paint.red("✗")) \(VisibleText.line(trouble.description))\n"
            if !trouble.quote.isEmpty { text += VisibleText.lines(trouble.quote) + "\n" }
        }
        return text
    }

    /// Returns the totals of all databases; nothing if all is well and only problems are shown.
    package func ending(_ vacuums: VacuumFleetSummary, seconds: Double) -> String {
        guard !options.isQuiet || vacuums.hasTrouble else { return "" }
        let (before, after) = (vacuums.bytesBefore, vacuums.bytesAfter)
        let size = StatisticsRenderer.size
        var text =
            options.paint.bold("\(StatisticsRenderer.grouped(vacuums.databases.count)) databases")
            + ": \(vacuums.result), \(size(before)) -> "
        text += (vacuums.done.contains { $0.method == .forecast } ? "about " : "") + size(after)
        if before > 0, after <= before { text += ", \(100 - after * 100 / before) % smaller" }
        return text + ", \(elapsed(seconds))\n"
    }

    /// Returns the databases that give back most, the most first.
    private static func best(of databases: [VacuumFleetSummary.Database]) -> [VacuumFleetSummary.Database] {
        let gains = databases.enumerated().compactMap { index, database in
            database.vacuum.map { (gain: $0.forecast.bytes - $0.bytesAfter, index: index) }
        }
        return gains.filter { $0.gain > 0 }.sorted { ($1.gain, $0.index) < ($0.gain, $1.index) }
            .prefix(shown).map { databases[$0.index] }
    }
}

extension VacuumFleetSummary {
    /// What was done, with how many databases: the beginning of the summary.
    var result: String {
        let forecasts = done.count { $0.method == .forecast }
        let counts = [
            (done.count - forecasts, "vacuumed"), (forecasts, "examined, nothing was written"),
            (databases.count - done.count, "not done"),
        ]
        let words = counts.filter { $0.0 > 0 }.map { "\(StatisticsRenderer.grouped($0.0)) \($0.1)" }
        return words.isEmpty ? "no database" : words.joined(separator: "; ")
    }
}
