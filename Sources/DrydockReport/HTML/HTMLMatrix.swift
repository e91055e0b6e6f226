import Drydock

/// The matrix of a replay on a page, and the list of its snapshots.
struct HTMLMatrix {
    private let matrix: ReplayMatrix
    private let replays: [ReplaySummary]

    /// How many columns one table has; the rest is folded.
    private static let width = 30
    /// With more columns a cell is only its symbol.
    private static let wideColumns = 7

    init(_ report: Report, _ groups: [FindingGroup]) {
        matrix = ReplayMatrix(report, groups)
        replays = report.replays
    }

    var sections: [HTMLPage.Section] {
        guard !replays.isEmpty else { return [] }
        var content: [HTMLNode] = [
            .element(
                "p", ["class": "soft"],
                [
                    .text(
                        "What each migration did to \(isOnGeneratedRows ? "generated rows" : "each snapshot"). Under its name: the longest that it took, and the most pages that it wrote."
                    )
                ])
        ]
        let columns = matrix.columns.sorted { Self.rank($0) < Self.rank($1) }
        for start in stride(from: 0, to: columns.count, by: Self.width) {
            let part = columns[start..<min(columns.count, start + Self.width)]
            let table = table(Array(part))
            content.append(
                start == 0
                    ? table
                    : .element(
                        "details", [:],
                        [
                            .element("summary", [:], ["\(counted(part.count, "more column"))"]), table,
                        ]))
        }
        content += [key, snapshots]
        return [HTMLPage.Section(id: "migrations", title: "Migrations", content: content)]
    }

    /// Columns with findings come first where not all can be seen at once.
    private static func rank(_ column: ReplayMatrix.Column) -> Int {
        let states = column.cells.map(\.state) + [column.end.state]
        return states.contains(.failed) ? 0 : states.contains(.warned) ? 1 : 2
    }

    // MARK: - The table

    private func table(_ columns: [ReplayMatrix.Column]) -> HTMLNode {
        let isTiny = columns.count > Self.wideColumns
        let top = matrix.costs.values.map(\.seconds).max() ?? 0
        let heads = columns.map { column -> HTMLNode in
            let (first, count) = (column.replays[0], column.replays.count)
            let start = first.isProbe ? "generated rows" : "from \(first.from ?? first.start.rawValue)"
            return .element(
                "th", ["scope": "col"],
                [
                    .text(first.name + (count > 1 ? " and \(count - 1) more" : "")), .span("soft", start),
                    column.gaps > 0 ? .span("warn", "? \(column.gaps) not checked") : .nothing,
                ])
        }
        var rows = matrix.migrations.enumerated().map { index, name -> HTMLNode in
            .element(
                "tr", [:],
                [head(name, top)]
                    + columns.map { cell($0.cells[index], isTiny ? nil : cost(of: name, in: $0)) })
        }
        rows.append(
            .element(
                "tr", ["class": "end"],
                [.element("th", ["scope": "row"], ["as a whole"])] + columns.map { cell($0.end, nil) }))
        return .element(
            "div",
            ["class": "wide", "tabindex": "0", "role": "region", "aria-label": "Migrations and snapshots"],
            [
                .element(
                    "table", ["class": isTiny ? "matrix tiny" : "matrix"],
                    [
                        .element(
                            "thead", [:],
                            [
                                .element(
                                    "tr", [:],
                                    [.element("th", ["scope": "col", "class": "flat"], ["migration"])] + heads
                                )
                            ]), .element("tbody", [:], rows),
                    ])
            ])
    }

    private func head(_ name: String, _ top: Double) -> HTMLNode {
        guard let cost = matrix.costs[name] else { return .element("th", ["scope": "row"], [.text(name)]) }
        let share = top > 0 ? Int((100 * cost.seconds / top).rounded()) : 0
        let words = "\(elapsed(cost.seconds)), \(counted(cost.pages, "page"))"
        return .element(
            "th", ["scope": "row"],
            [
                .text(name), .element("small", [:], [.text(words)]),
                .element("i", ["style": "--w: \(share)%"]),
            ])
    }

    private func cell(_ cell: ReplayMatrix.Cell, _ cost: String?) -> HTMLNode {
        let look = Self.look(cell.state)
        let symbol = look.symbol + (cell.count > 1 ? " \(cell.count)" : "")
        let content: [HTMLNode] = [
            .element("b", ["aria-label": look.words], [.text(symbol)]),
            cost.map { .element("small", [:], [.text($0)]) } ?? .nothing,
        ]
        guard let first = cell.first else {
            // By far the most cells of a large matrix.
            return cost == nil
                ? .element("td", ["class": look.style], [.text(symbol)])
                : .element("td", ["class": look.style], content)
        }
        return .element(
            "td", ["class": look.style], [.element("a", ["href": "#f\(first)"], content)])
    }

    private func cost(of migration: String, in column: ReplayMatrix.Column) -> String? {
        let steps = column.replays.compactMap { $0.steps.first { $0.migration == migration } }
        guard let seconds = steps.map(\.seconds).max(), let pages = steps.map(\.pagesWritten).max() else {
            return nil
        }
        return "\(elapsed(seconds)) · \(pages) p"
    }

    private static func look(_ state: ReplayMatrix.State) -> (style: String, symbol: String, words: String) {
        switch state {
        case .passed: ("p", "✓", "nothing found")
        case .warned: ("w", "!", "warnings")
        case .failed: ("e", "✗", "errors")
        case .notRun: ("n", "–", "not run")
        case .notChecked: ("n", "?", "not checked in full")
        case .applied: ("a", "·", "applied before")
        }
    }

    private var key: HTMLNode {
        let states: [ReplayMatrix.State] = [.passed, .warned, .failed, .notRun, .notChecked, .applied]
        return .element(
            "ul", ["class": "key"],
            states.map { state in
                let look = Self.look(state)
                return .element(
                    "li", [:],
                    [.element("b", ["class": look.style], [.text(look.symbol)]), .text(look.words)])
            } + [.element("li", [:], ["p: pages written"])])
    }

    // MARK: - The snapshots

    private var isOnGeneratedRows: Bool { replays.allSatisfy(\.isProbe) }

    private var snapshots: HTMLNode {
        let heads = ["snapshot", "from", "to", "steps", "rows compared", "tables untouched", "time"]
        let ends = Dictionary(
            matrix.columns.flatMap { column in column.replays.map { ($0.snapshot, column.end.state) } },
            uniquingKeysWith: { first, _ in first })
        let rows = replays.map { replay -> HTMLNode in
            let mark = Self.look(ends[replay.snapshot] ?? .notRun).symbol
            let steps =
                replay.pendingCount > 0
                ? "\(replay.steps.count) of \(replay.steps.count + replay.pendingCount)"
                : "\(replay.steps.count)"
            let cells = [
                "\(mark) \(replay.name)", replay.from ?? replay.start.rawValue, replay.to ?? "nothing", steps,
                StatisticsRenderer.grouped(replay.rowsCompared), "\(replay.tablesUntouched)",
                elapsed(replay.seconds),
            ]
            return HTMLTable.row(cells, heads, numbersFrom: 3)
        }
        return .element(
            "details", [:],
            [
                .element(
                    "summary", [:],
                    ["\(counted(replays.count, isOnGeneratedRows ? "replay" : "snapshot")), one by one"]),
                HTMLTable.table(heads, rows, numbersFrom: 3),
            ])
    }
}
