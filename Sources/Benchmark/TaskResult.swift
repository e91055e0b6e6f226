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

    var task: String
    var summary: String
    var contenders: [Row]

    /// A table of the medians, their ratios to Drydock's, and the memory.
    var table: String {
        let own = contenders.first?.median ?? 1
        let rows = contenders.map { row in
            [
                row.name, String(format: "%.4f s", row.median), String(format: "%.2f x", row.median / own),
                row.privateBytes.map { String(format: "%.1f MB", Double($0) / 1_048_576) } ?? "",
            ]
        }
        let widths = (0..<4).map { column in rows.map { $0[column].count }.max() ?? 0 }
        let lines = rows.map { cells in
            "  "
                + zip(cells, widths).enumerated().map { column, cell in
                    let blanks = String(repeating: " ", count: cell.1 - cell.0.count)
                    return column == 0 ? cell.0 + blanks : blanks + cell.0
                }.joined(separator: "  ")
        }
        return "\(task): \(summary)\n" + lines.joined(separator: "\n") + "\n"
    }
}
