import Foundation

/// The figures of one task.
struct TaskResult: Encodable {
    struct Row: Encodable {
        var name: String
        var seconds: [Double]
        var median: Double
        var privateBytes: Int?

        init(name: String, seconds: [Double], privateBytes: Int?) {
            self.name = name
            self.seconds = seconds
            median = seconds.sorted()[seconds.count / 2]
            self.privateBytes = privateBytes
        }
    }

    /// A goal, and what was measured.
    struct Outcome: Encodable {
        var goal: String
        var measured: String
        var isMet: Bool
    }

    var task: String
    var summary: String
    var contenders: [Row]
    var goals: [Outcome] = []

    /// A table of the medians, their ratios to Drydock's, and the memory; then the goals.
    var text: String {
        let rows = contenders.map(cells)
        let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        let lines = rows.map { cells in
            "  "
                + zip(cells, widths).enumerated().map { column, cell in
                    let blanks = String(repeating: " ", count: cell.1 - cell.0.count)
                    return column == 0 ? cell.0 + blanks : blanks + cell.0
                }.joined(separator: "  ")
        }
        let goals = goals.map { "  \($0.isMet ? "met" : "MISSED"): \($0.goal): \($0.measured)" }
        return ([task + ": " + summary] + lines + goals).joined(separator: "\n") + "\n"
    }

    /// The same for a page.
    var markdown: String {
        var text = "## \(task)\n\n\(summary.prefix(1).uppercased())\(summary.dropFirst()).\n\n"
        text +=
            "| | median | fastest to slowest | times the first | private memory |\n|---|---|---|---|---|\n"
        for row in contenders {
            text += "| \(cells(row).joined(separator: " | ")) |\n"
        }
        text += "\n"
        for goal in goals {
            text += "- \(goal.isMet ? "Met" : "**Missed**"): \(goal.goal): \(goal.measured).\n"
        }
        return text + (goals.isEmpty ? "" : "\n")
    }

    private func cells(_ row: Row) -> [String] {
        let own = contenders.first?.median ?? 1
        return [
            row.name, "\(Self.format(row.median)) s",
            "\(Self.format(row.seconds.min() ?? 0)) to \(Self.format(row.seconds.max() ?? 0)) s",
            String(format: "%.2f", row.median / own),
            row.privateBytes.map { String(format: "%.1f MB", Double($0) / 1_048_576) } ?? "",
        ]
    }

    static func format(_ seconds: Double) -> String {
        String(format: seconds < 1 ? "%.3f" : "%.2f", seconds)
    }
}

/// What a task should cost.
struct Goal {
    enum Limit {
        /// The time of a contender, as a multiple of another's.
        case times(Double, of: String)
        /// The same the other way round.
        case faster(Double, than: String)
        case seconds(Double)
        case privateMegabytes(Int)
    }

    var contender: String
    var limit: Limit

    init(_ contender: String, _ limit: Limit) { (self.contender, self.limit) = (contender, limit) }

    func outcome(_ rows: [TaskResult.Row]) -> TaskResult.Outcome? {
        guard let own = rows.first(where: { $0.name == contender }) else { return nil }
        func ratio(to name: String) -> Double? {
            rows.first { $0.name == name }.map { own.median / $0.median }
        }
        switch limit {
        case .times(let factor, let name):
            guard let ratio = ratio(to: name) else { return nil }
            return .init(
                goal: "\(contender) takes at most \(Self.text(factor)) times as long as \(name)",
                measured: String(format: "%.2f", ratio), isMet: ratio <= factor)
        case .faster(let factor, let name):
            guard let ratio = ratio(to: name).map({ 1 / $0 }) else { return nil }
            return .init(
                goal: "\(contender) is at least \(Self.text(factor)) times as fast as \(name)",
                measured: String(format: "%.1f", ratio), isMet: ratio >= factor)
        case .seconds(let limit):
            return .init(
                goal: "\(contender) takes at most \(Self.text(limit)) s",
                measured: "\(TaskResult.format(own.median)) s", isMet: own.median <= limit)
        case .privateMegabytes(let limit):
            guard let bytes = own.privateBytes else { return nil }
            let megabytes = Double(bytes) / 1_048_576
            return .init(
                goal: "\(contender) takes at most \(limit) MB of private memory",
                measured: String(format: "%.0f MB", megabytes), isMet: megabytes <= Double(limit))
        }
    }

    private static func text(_ number: Double) -> String {
        number == number.rounded() ? String(Int(number)) : String(format: "%g", number)
    }
}
