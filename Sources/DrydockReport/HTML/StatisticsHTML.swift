import Drydock
import SQLiteSchema

/// Renders page statistics as one page: a treemap of tables and indexes, and their figures.
package enum StatisticsHTML {
    private static let (width, height) = (1000.0, 420.0)

    package static func render(_ file: DatabaseStatistics) -> String {
        let size = StatisticsRenderer.size
        var page = HTMLPage(
            title: "drydock stats \(file.path)", brand: "drydock stats",
            verdict: .init(symbol: "", words: VisibleText.line(file.path)))
        page.lead = [
            .text("\(size(file.byteCount)). VACUUM gives back about \(size(file.reclaimableByteCount)).")
        ]
        page.facts = [
            ("pages", StatisticsRenderer.grouped(file.pageCount)),
            ("bytes a page", StatisticsRenderer.grouped(file.pageSize)),
            ("tables", "\(file.objects.dropFirst().count { !$0.isIndex })"),
            ("indexes", "\(file.objects.count(where: \.isIndex))"),
            ("free pages", StatisticsRenderer.grouped(file.freelistPages)),
            ("encoding", file.encoding.rawValue),
        ]
        page.sections = [
            .init(id: "map", title: "Where the space is", content: [map(file), key])
        ]
        if let map = HTMLPageMap(file) { page.sections.append(map.section) }
        page.sections += [
            .init(id: "objects", title: "Tables and indexes", content: [table(file)])
        ]
        return page.text
    }

    /// Renders the statistics of several databases, whose number does not make the page longer.
    package static func render(_ fleet: FleetStatistics) -> String {
        var page = HTMLPage(
            title: "drydock stats", brand: "drydock stats",
            verdict: .init(
                symbol: fleet.hasTrouble ? "!" : "",
                words: "\(StatisticsRenderer.grouped(fleet.databases.count)) databases",
                style: fleet.hasTrouble ? "warn" : nil))
        if fleet.hasTrouble {
            page.lead = [.text("\(fleet.databases.count - fleet.read.count) could not be read.")]
        }
        page.sections = [
            .init(
                id: "figures", title: "Where the space is",
                content: [
                    .element("pre", [:], [.lines(StatisticsRenderer.render(fleet, RenderOptions()))])
                ])
        ]
        return page.text
    }

    // MARK: - The treemap

    private struct Part {
        var name, label, style: String
        var pages: Int
        /// The part of its pages that is empty.
        var unused: Double
    }

    private static func parts(_ file: DatabaseStatistics) -> [Part] {
        var parts = file.objects.map { object in
            let bytes = max(1, object.tree.pages * file.pageSize)
            return Part(
                name: object.name, label: object.isIndex ? "index of \(object.table)" : "table",
                style: object.isIndex ? "t1" : "t0", pages: object.tree.pages,
                unused: Double(object.tree.unused) / Double(bytes))
        }
        parts += [
            ("freelist", file.freelistPages), ("pointer map", file.pointerMapPages),
            ("lost pages", file.lostPages),
        ].map { Part(name: $0, label: "no table", style: "free", pages: $1, unused: 0) }
        return parts.filter { $0.pages > 0 }.sorted { ($1.pages, $0.name) < ($0.pages, $1.name) }
    }

    private static func map(_ file: DatabaseStatistics) -> HTMLNode {
        let parts = parts(file)
        let tiles = Treemap.tiles(of: parts.map { Double($0.pages) }, width: width, height: height)
        let drawn = zip(parts, tiles).map { part, tile in
            HTMLNode.element("g", [:], draw(part, tile, file))
        }
        return .element(
            "svg",
            [
                "class": "map", "viewBox": "0 0 \(Int(width)) \(Int(height))", "role": "img",
                "aria-label": "Tables and indexes by size; the table below has the figures",
            ], drawn)
    }

    private static func draw(_ part: Part, _ tile: Treemap.Tile, _ file: DatabaseStatistics) -> [HTMLNode] {
        let name = VisibleText.line(part.name)
        let size = StatisticsRenderer.size(part.pages * file.pageSize)
        var nodes: [HTMLNode] = [
            .element("title", [:], [.text("\(name), \(VisibleText.line(part.label)): \(size)")]),
            rectangle(tile, part.style),
        ]
        // What is empty within the pages, from the bottom up.
        let empty = tile.height * min(1, part.unused)
        if empty >= 1 {
            nodes.append(
                rectangle(
                    .init(x: tile.x, y: tile.y + tile.height - empty, width: tile.width, height: empty),
                    "empty"))
        }
        let room = Int((tile.width - 14) / 7.2)
        guard tile.height >= 22, room >= 4 else { return nodes }
        func line(_ text: String, _ row: Double, _ style: String?) -> HTMLNode {
            let cut = text.count > room ? text.prefix(room - 1) + "…" : text
            return .element(
                "text", ["x": number(tile.x + 8), "y": number(tile.y + 18 + row * 16), "class": style],
                [.text(String(cut))])
        }
        nodes.append(line(name, 0, nil))
        if tile.height >= 40 { nodes.append(line(size, 1, "soft")) }
        return nodes
    }

    private static func rectangle(_ tile: Treemap.Tile, _ style: String) -> HTMLNode {
        .element(
            "rect",
            [
                "x": number(tile.x), "y": number(tile.y), "width": number(tile.width),
                "height": number(tile.height), "class": style, "rx": "3",
            ])
    }

    private static func number(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }

    private static var key: HTMLNode {
        .element(
            "p", ["class": "soft"],
            [
                "Strong: tables. Pale: indexes. Faded, from the bottom up: unused space within the pages. Amber: pages that belong to no table."
            ])
    }

    // MARK: - The figures

    private static func table(_ file: DatabaseStatistics) -> HTMLNode {
        let heads = ["name", "of", "size", "share", "rows", "empty", "jumps"]
        let ranked = file.objects.sorted { ($1.tree.pages, $0.name) < ($0.tree.pages, $1.name) }
        let rows = ranked.map { object -> HTMLNode in
            let bytes = object.tree.pages * file.pageSize
            let cells = [
                VisibleText.line(object.name), object.isIndex ? VisibleText.line(object.table) : "table",
                StatisticsRenderer.size(bytes), percent(object.tree.pages, of: file.pageCount),
                StatisticsRenderer.grouped(object.entries), percent(object.tree.unused, of: bytes),
                percent(object.tree.scatteredLeaves, of: object.tree.leafPages - 1),
            ]
            return HTMLTable.row(cells, heads, numbersFrom: 2, values: [2: bytes])
        }
        return .element("div", ["class": "wide"], [HTMLTable.table(heads, rows, numbersFrom: 2)])
    }

    private static func percent(_ part: Int, of whole: Int) -> String {
        whole > 0 ? "\((Double(part) / Double(whole) * 1000).rounded() / 10) %" : "0 %"
    }
}
