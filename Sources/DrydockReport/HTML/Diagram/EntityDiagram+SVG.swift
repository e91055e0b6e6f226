import Drydock
import SQLiteSchema

/// Draws a diagram as SVG within the page.
extension EntityDiagram {
    private static let (head, line, foot) = (28, 19, 7)
    private static let (nameLimit, typeLimit, headLimit) = (24, 13, 28)

    /// The number of lines of text, to limit how large a page becomes.
    var size: Int { boxes.reduce(0) { $0 + 2 + $1.rows.count } + edges.count }

    /// Returns the drawing, in a box that scrolls if the page is narrower.
    /// - Parameters:
    ///   - title: what it shows.
    ///   - width: the width to stay within, if possible.
    func node(_ title: String, width: Int = 1020) -> HTMLNode {
        guard !boxes.isEmpty else { return .nothing }
        let layout = self.layout(width: width)
        let (pad, label) = (2, "\(title): \(words)")
        let box = "\(-pad) \(-pad) \(layout.width + 2 * pad) \(layout.height + 2 * pad)"
        let lines = zip(edges, layout.routes).map(Self.edge)
        let drawn = zip(boxes, layout.frames).map(Self.box)
        return .element(
            "div", ["class": "wide diagram", "tabindex": "0", "role": "group", "aria-label": title],
            [
                .element(
                    "svg",
                    [
                        "viewBox": box, "width": "\(layout.width + 2 * pad)",
                        "height": "\(layout.height + 2 * pad)",
                        // Beyond this it scrolls, since nobody could read it.
                        "style": "min-width:\(layout.width * 4 / 5)px", "role": "img", "aria-label": label,
                    ], lines + drawn),
                leftOut > 0
                    ? .element(
                        "p", ["class": "more"],
                        [.text("\(counted(leftOut, "more table")) \(leftOut == 1 ? "is" : "are") not drawn.")]
                    )
                    : .nothing,
            ])
    }

    func layout(width: Int) -> DiagramLayout {
        DiagramLayout(
            DiagramGraph(
                sizes: boxes.map { (Self.width($0), Self.height($0)) },
                links: edges.map { edge in
                    DiagramGraph.Link(
                        from: edge.parent, fromY: Self.port(boxes[edge.parent], edge.parentColumn),
                        to: edge.child, toY: Self.port(boxes[edge.child], edge.childColumn),
                        style: edge.mark.order)
                }), width: width)
    }

    /// The same in words, for those who do not see it.
    private var words: String {
        let tables = boxes.prefix(40).map { box in box.name + (box.mark.word.map { " (\($0))" } ?? "") }
        var sentences = [listed(tables + (boxes.count > 40 ? ["\(boxes.count - 40) more"] : []))]
        sentences += edges.prefix(40).map(\.about)
        return sentences.joined(separator: "; ")
    }

    // MARK: - Sizes

    private static func height(_ box: Box) -> Int {
        head + (box.rows.isEmpty ? 0 : box.rows.count * line + foot)
    }

    private static func width(_ box: Box) -> Int {
        var characters =
            min(headLimit, VisibleText.line(box.name).columns)
            + (box.module.map { 2 + min(12, $0.columns) } ?? 0)
        var width = characters * 15 / 2 + (box.mark.symbol == nil ? 22 : 36)
        for row in box.rows {
            characters = min(
                row.column == nil ? headLimit + 6 : nameLimit, VisibleText.line(row.name).columns)
            let type = min(typeLimit, VisibleText.line(row.type).columns)
            let text =
                row.column == nil
                ? characters * 13 / 2 : characters * 29 / 4 + (type == 0 ? 0 : 16 + type * 27 / 4)
            width = max(width, nameX(box, row) + text + 12)
        }
        return max(118, width)
    }

    /// Signs have a column if one row has one; keys too.
    private static func keyX(_ box: Box) -> Int {
        box.rows.contains { $0.mark.symbol != nil } ? 24 : 10
    }

    private static func nameX(_ box: Box, _ row: Row) -> Int {
        // An index and the like stands where the keys are.
        if row.column == nil { return keyX(box) }
        let key = box.rows.map(\.key.count).max() ?? 0
        return keyX(box) + (key == 0 ? 0 : key > 2 ? 38 : 22)
    }

    /// Returns how far below its top a line reaches a box.
    private static func port(_ box: Box, _ column: String?) -> Int {
        guard let column, let row = box.rows.firstIndex(where: { $0.column == column }) else {
            return head / 2
        }
        return head + row * line + line / 2 + 3
    }

    // MARK: - Drawing

    private static func box(_ box: Box, _ frame: DiagramLayout.Frame) -> HTMLNode {
        var nodes: [HTMLNode] = []
        if let about = title(box) { nodes.append(.element("title", [:], [.text(about)])) }
        nodes.append(rectangle(0, frame.width, frame.height, "f"))
        nodes.append(
            .element(
                "path",
                ["class": "h", "d": headOutline(frame.width, isAlone: box.rows.isEmpty)], []))
        let symbol = box.mark.symbol
        var head: [HTMLNode] = []
        if let symbol { head.append(span(10, "g", symbol)) }
        head.append(span(symbol == nil ? 10 : 24, nil, VisibleText.line(box.name).cut(to: headLimit)))
        if let module = box.module {
            head.append(span(frame.width - 10, "y", VisibleText.line(module).cut(to: 12)))
        }
        nodes.append(.element("text", ["class": "n", "y": "19"], head))
        for (index, row) in box.rows.enumerated() { nodes.append(self.row(row, index, box, frame)) }
        return .element(
            "g", ["class": "t \(box.mark.style)", "transform": "translate(\(frame.x) \(frame.y))"], nodes)
    }

    /// Returns what the tooltip of a box says: what does not fit in it.
    private static func title(_ box: Box) -> String? {
        let name = VisibleText.line(box.name)
        let isCut = name.columns > headLimit || box.rows.contains(where: isCut)
        guard isCut || box.about != nil || box.mark.word != nil else { return nil }
        return name + (box.mark.word.map { ", \($0)" } ?? "") + (box.about.map { ": \($0)" } ?? "")
    }

    private static func isCut(_ row: Row) -> Bool {
        VisibleText.line(row.name).columns > (row.column == nil ? headLimit + 6 : nameLimit)
            || VisibleText.line(row.type).columns > typeLimit
    }

    private static func row(_ row: Row, _ index: Int, _ box: Box, _ frame: DiagramLayout.Frame) -> HTMLNode {
        let top = head + index * line + 3
        var spans: [HTMLNode] = []
        if let symbol = row.mark.symbol { spans.append(span(10, "g", symbol)) }
        if !row.key.isEmpty { spans.append(span(keyX(box), "k", row.key)) }
        let isColumn = row.column != nil
        let name = VisibleText.line(row.name).cut(to: isColumn ? nameLimit : headLimit + 6)
        spans.append(span(nameX(box, row), isColumn ? nil : "o", name))
        if !row.type.isEmpty {
            spans.append(span(frame.width - 10, "y", VisibleText.line(row.type).cut(to: typeLimit)))
        }
        let text = HTMLNode.element("text", ["y": "\(top + 14)"], spans)
        let isMarked = row.mark.symbol != nil
        guard isMarked || isCut(row) else { return text }
        let words = [
            row.name, row.type, row.mark.word == row.about ? nil : row.about, row.mark.word,
        ].compactMap(\.self).filter { !$0.isEmpty }.joined(separator: ", ")
        return .element(
            "g", ["class": isMarked ? row.mark.style : nil],
            [
                .element("title", [:], [.text(words)]),
                isMarked ? rectangle(top, frame.width, line, "r") : .nothing, text,
            ])
    }

    private static func span(_ x: Int, _ style: StaticString?, _ text: String) -> HTMLNode {
        .element("tspan", ["x": "\(x)", "class": style.map { "\($0)" }], [.text(text)])
    }

    private static func rectangle(_ y: Int, _ width: Int, _ height: Int, _ style: String) -> HTMLNode {
        let inset = style == "r" ? 1 : 0
        return .element(
            "rect",
            [
                "class": style, "x": inset == 0 ? nil : "1", "y": y == 0 ? nil : "\(y)",
                "width": "\(width - 2 * inset)", "height": "\(height)", "rx": inset == 0 ? "5" : nil,
            ], [])
    }

    private static func headOutline(_ width: Int, isAlone: Bool) -> String {
        let top = "M0 \(head - (isAlone ? 5 : 0))V5Q0 0 5 0H\(width - 5)Q\(width) 0 \(width) 5V"
        return isAlone
            ? top + "\(head - 5)Q\(width) \(head) \(width - 5) \(head)H5Q0 \(head) 0 \(head - 5)Z"
            : top + "\(head)Z"
    }

    /// Draws a line with round corners, an arrow at the referenced table and a dot at the referencing column.
    private static func edge(_ edge: Edge, _ route: [DiagramLayout.Point]) -> HTMLNode {
        guard let first = route.first, let last = route.last, route.count > 1 else { return .nothing }
        let isLeft = route[1].x >= first.x
        let arrow = isLeft ? "l7-4v8z" : "l-7-4v8z"
        return .element(
            "g", ["class": "e \(edge.mark.style)"],
            [
                .element("title", [:], [.text(edge.about)]),
                .element("path", ["d": path(route)], []),
                .element("path", ["class": "a", "d": "M\(first.x) \(first.y)\(arrow)"], []),
                .element("circle", ["cx": "\(last.x)", "cy": "\(last.y)", "r": "2.5"], []),
            ])
    }

    private static func path(_ route: [DiagramLayout.Point]) -> String {
        var text = "M\(route[0].x) \(route[0].y)"
        for index in route.indices.dropFirst() {
            let point = route[index]
            guard index + 1 < route.count else {
                text += "L\(point.x) \(point.y)"
                break
            }
            let (before, after) = (route[index - 1], route[index + 1])
            let round = min(6, distance(before, point) / 2, distance(point, after) / 2)
            let (a, b) = (toward(before, from: point, round), toward(after, from: point, round))
            text += "L\(a.x) \(a.y)Q\(point.x) \(point.y) \(b.x) \(b.y)"
        }
        return text
    }

    private static func distance(_ a: DiagramLayout.Point, _ b: DiagramLayout.Point) -> Int {
        abs(a.x - b.x) + abs(a.y - b.y)
    }

    private static func toward(
        _ goal: DiagramLayout.Point, from point: DiagramLayout.Point, _ step: Int
    ) -> DiagramLayout.Point {
        .init(
            x: point.x + (goal.x - point.x).signum() * step, y: point.y + (goal.y - point.y).signum() * step)
    }
}

extension EntityDiagram.Mark {
    fileprivate var style: String {
        switch self {
        case .added: "add"
        case .dropped: "del"
        case .changed: "mod"
        case .missing: "mis"
        case .beside: "bes"
        case .plain: "pla"
        }
    }

    /// Lines of different marks share no trunk.
    fileprivate var order: Int {
        switch self {
        case .plain: 0
        case .added: 1
        case .dropped: 2
        case .changed: 3
        case .beside: 4
        case .missing: 5
        }
    }
}

extension String {
    /// How many columns of a fixed-width font the text takes, roughly.
    var columns: Int { unicodeScalars.reduce(0) { $0 + $1.columns } }

    /// Returns the text, or its beginning and an ellipsis.
    func cut(to limit: Int) -> String {
        guard columns > limit else { return self }
        var (text, count) = ("", 0)
        for character in self {
            let width = character.unicodeScalars.reduce(0) { $0 + $1.columns }
            guard count + width < limit else { break }
            (text, count) = (text + String(character), count + width)
        }
        return text + "…"
    }
}

extension Unicode.Scalar {
    /// East Asian characters and emoji take two columns (https://www.unicode.org/reports/tr11/), marks none.
    fileprivate var columns: Int {
        guard value >= 0x300 else { return 1 }
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        default: break
        }
        switch value {
        case 0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
            0xFF00...0xFF60,
            0xFFE0...0xFFE6, 0x1F300...0x1FAFF, 0x20000...0x3FFFD:
            return 2
        default: return 1
        }
    }
}
