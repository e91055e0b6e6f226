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

    /// Compares the goal with what was measured. What was not counts as missed.
    func outcome(_ rows: [TaskResult.Row]) -> TaskResult.Outcome {
        let own = rows.first { $0.name == contender }
        func ratio(to name: String) -> Double? {
            guard let own, let other = rows.first(where: { $0.name == name }) else { return nil }
            return own.median / other.median
        }
        switch limit {
        case .times(let factor, let name):
            return outcome(
                "takes at most \(Self.text(factor)) times as long as \(name)", ratio(to: name), "%.2f"
            ) { $0 <= factor }
        case .faster(let factor, let name):
            return outcome(
                "is at least \(Self.text(factor)) times as fast as \(name)", ratio(to: name).map { 1 / $0 },
                "%.1f"
            ) { $0 >= factor }
        case .seconds(let limit):
            return outcome("takes at most \(Self.text(limit)) s", own?.median, "%.3f s") { $0 <= limit }
        case .privateMegabytes(let limit):
            let megabytes = own?.privateBytes.map { Double($0) / 1_048_576 }
            return outcome("takes at most \(limit) MB of private memory", megabytes, "%.0f MB") {
                $0 <= Double(limit)
            }
        }
    }

    private func outcome(
        _ goal: String, _ value: Double?, _ format: String, _ isMet: (Double) -> Bool
    ) -> TaskResult.Outcome {
        TaskResult.Outcome(
            goal: "\(contender) \(goal)",
            measured: value.map { String(format: format, $0) } ?? "not measured",
            isMet: value.map(isMet) ?? false)
    }

    private static func text(_ number: Double) -> String {
        number == number.rounded() ? String(Int(number)) : String(format: "%g", number)
    }
}
