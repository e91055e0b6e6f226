import Drydock
import SQLiteSchema

/// The pages of a file in the order of the file, three times: by owner, by the order of the keys, by what is empty.
struct HTMLPageMap {
    private let file: DatabaseStatistics
    private let cells: [Cell]
    /// How many pages a cell stands for.
    private let pagesPerCell: Int
    /// The largest objects, which have a colour of their own.
    private let owners: [Int]
    /// Fewer for a small file, whose squares are then larger.
    private let columns: Int

    /// A cell's owner is that of the most of its pages; the rest are means.
    private struct Cell {
        var owner: Owner
        var order, empty: Double
    }

    private enum Owner: Hashable {
        case object(Int)
        case free, other
    }

    private static let cellLimit = 3200
    private static let colors = 7
    private static let levels = 8

    init?(_ file: DatabaseStatistics) {
        guard let pages = file.map?.pages, !pages.isEmpty else { return nil }
        self.file = file
        let ranked = file.objects.indices.sorted { file.objects[$1].tree.pages < file.objects[$0].tree.pages }
        owners = Array(ranked.prefix(Self.colors))
        let step = (pages.count + Self.cellLimit - 1) / Self.cellLimit
        pagesPerCell = step
        cells = stride(from: 0, to: pages.count, by: step).map { start in
            Self.cell(pages[start..<min(pages.count, start + step)])
        }
        columns = min(80, max(32, Int((Double(cells.count) * 2.5).squareRoot())))
    }

    private static func cell(_ pages: ArraySlice<PageMap.Page>) -> Cell {
        var counts: [Owner: Int] = [:]
        for page in pages { counts[owner(page), default: 0] += 1 }
        let owner = pages.map(owner).max { counts[$0, default: 0] < counts[$1, default: 0] } ?? .other
        let owned = pages.filter { self.owner($0) == owner }
        let count = Double(max(1, owned.count))
        return Cell(
            owner: owner, order: owned.reduce(0) { $0 + $1.order } / count,
            empty: pages.reduce(0) { $0 + $1.empty } / Double(max(1, pages.count)))
    }

    private static func owner(_ page: PageMap.Page) -> Owner {
        if let object = page.object { return .object(object) }
        return page.use == .freelistTrunk || page.use == .freelistLeaf ? .free : .other
    }

    var section: HTMLPage.Section {
        let unit = pagesPerCell == 1 ? "A square is a page" : "A square is \(pagesPerCell) pages"
        return HTMLPage.Section(
            id: "pages", title: "The pages of the file",
            content: [
                .element("p", ["class": "soft"], [.text("\(unit), in the order of the file.")]),
                .element("h3", [:], ["What they belong to"]), legend, grid("Pages by owner", style, name),
                .element("h3", [:], ["The order in which they are read"]),
                .element(
                    "p", ["class": "soft"],
                    [
                        "Pale is the first page of its table or index, strong the last: a table in order gets steadily stronger."
                    ]),
                grid("Pages by the order of the keys", order, { _ in nil }),
                .element("h3", [:], ["How full they are"]),
                .element("p", ["class": "soft"], ["Strong is full, pale is empty."]),
                grid("Pages by what they hold", fill, { _ in nil }),
            ])
    }

    // MARK: - Colours

    private func style(_ cell: Cell) -> String {
        switch cell.owner {
        case .free: return "free"
        case .other: return "none"
        case .object(let object): return owners.firstIndex(of: object).map { "o\($0)" } ?? "rest"
        }
    }

    private func order(_ cell: Cell) -> String {
        if case .object = cell.owner { Self.level(cell.order) } else { "none" }
    }

    private func fill(_ cell: Cell) -> String { cell.owner == .other ? "none" : Self.level(1 - cell.empty) }

    private static func level(_ part: Double) -> String {
        "v\(min(levels - 1, max(0, Int(part * Double(levels)))))"
    }

    private func name(_ cell: Cell) -> String? {
        switch cell.owner {
        case .free: "free"
        case .other: nil
        case .object(let object): file.objects[object].name
        }
    }

    private var legend: HTMLNode {
        var items = owners.enumerated().map { ("o\($0)", file.objects[$1].name) }
        if file.objects.count > owners.count { items.append(("rest", "others")) }
        items += [("free", "free pages"), ("none", "none of these")]
        return .element(
            "ul", ["class": "key"],
            items.map { style, name in
                .element(
                    "li", [:],
                    [.element("b", ["class": "dot \(style)"], ["\u{A0}"]), .text(VisibleText.line(name))])
            })
    }

    // MARK: - Drawing

    /// Draws equal neighbours in a row as one.
    private func grid(_ title: String, _ style: (Cell) -> String, _ name: (Cell) -> String?) -> HTMLNode {
        var nodes: [HTMLNode] = []
        var start = 0
        while start < cells.count {
            let (row, column) = (start / columns, start % columns)
            let (look, label) = (style(cells[start]), name(cells[start]))
            var end = start + 1
            while end < cells.count, end / columns == row, style(cells[end]) == look,
                name(cells[end]) == label
            {
                end += 1
            }
            nodes.append(
                .element(
                    "rect",
                    [
                        "x": "\(column * 10)", "y": "\(row * 10)", "width": "\((end - start) * 10 - 1)",
                        "height": "9", "class": look,
                    ], label.map { [.element("title", [:], [.text($0)])] } ?? []))
            start = end
        }
        let rows = (cells.count + columns - 1) / columns
        return .element(
            "svg",
            [
                "class": "pages", "viewBox": "0 0 \(columns * 10) \(rows * 10)", "role": "img",
                "aria-label": title,
            ], nodes)
    }
}
