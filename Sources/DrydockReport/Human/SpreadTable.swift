import Drydock

/// A table of percentiles: the sizes of many databases, and how much of each is free.
struct SpreadTable {
    let size: Spread?
    let ratio: Spread?

    func text(_ paint: Paint) -> String {
        func row(_ name: String, _ cells: [String]) -> String {
            "  \(StatisticsRenderer.padded(name, 6))"
                + cells.map { StatisticsRenderer.leading($0, 12) }.joined() + "\n"
        }
        var rows: [String] = []
        if let size {
            let bytes = [
                size.least, size.median, size.percentile90, size.percentile99, size.most, size.sum,
            ]
            rows.append(row("size", bytes.map { StatisticsRenderer.size(Int($0)) }))
        }
        if let ratio {
            let parts = [ratio.least, ratio.median, ratio.percentile90, ratio.percentile99, ratio.most]
            rows.append(row("free", parts.map { "\(($0 * 1000).rounded() / 10) %" }))
        }
        guard !rows.isEmpty else { return "" }
        let head = row("", ["least", "median", "90 %", "99 %", "most"] + (size == nil ? [] : ["sum"]))
        return "\n" + paint.dim(head) + rows.joined()
    }
}
