/// Boxes with lines between them, before they have a place.
struct DiagramGraph {
    /// A line between two boxes. It starts and ends at a height within them, counted from their top.
    struct Link {
        /// The box that is placed further to the left, unless lines form a circle.
        var from: Int
        var fromY: Int
        var to: Int
        var toY: Int
        /// Lines that start together and look alike share a trunk.
        var style = 0
    }

    var sizes: [(width: Int, height: Int)]
    var links: [Link]
}

/// Places for boxes, and ways for the lines between them that run over no box. The same graph always has the same
/// layout.
struct DiagramLayout {
    struct Frame: Equatable {
        var x, y, width, height: Int

        var maxX: Int { x + width }
        var maxY: Int { y + height }
    }

    struct Point: Equatable {
        var x, y: Int
    }

    private(set) var frames: [Frame]
    /// The corners of each line, from one box to the other.
    private(set) var routes: [[Point]]
    private(set) var width = 0
    private(set) var height = 0

    private static let gap = 36

    /// - Parameter width: the width to stay within, if the lines allow it.
    init(_ graph: DiagramGraph, width limit: Int) {
        frames = graph.sizes.map { Frame(x: 0, y: 0, width: $0.width, height: $0.height) }
        routes = Array(repeating: [], count: graph.links.count)
        let parts = Self.parts(graph).map { part in
            (part, LayeredLayout(graph, boxes: part.boxes, links: part.links, width: limit))
        }
        place(parts, limit)
    }

    /// Puts the parts side by side and below each other, those with most boxes first.
    private mutating func place(_ parts: [(Part, LayeredLayout)], _ limit: Int) {
        var (x, y, shelf) = (0, 0, 0)
        let order = parts.sorted {
            ($1.0.boxes.count, $1.1.height, $0.0.boxes[0]) < ($0.0.boxes.count, $0.1.height, $1.0.boxes[0])
        }
        for (part, layout) in order {
            if x > 0, x + layout.width > limit { (x, y, shelf) = (0, y + shelf + Self.gap, 0) }
            for (box, frame) in zip(part.boxes, layout.frames) {
                frames[box] = Frame(x: x + frame.x, y: y + frame.y, width: frame.width, height: frame.height)
            }
            for (link, route) in zip(part.links, layout.routes) {
                routes[link] = route.map { Point(x: x + $0.x, y: y + $0.y) }
            }
            width = max(width, x + layout.width)
            height = max(height, y + layout.height)
            (x, shelf) = (x + layout.width + Self.gap, max(shelf, layout.height))
        }
    }

    /// Boxes that lines connect, directly or through others.
    private struct Part {
        var boxes: [Int] = []
        var links: [Int] = []
    }

    private static func parts(_ graph: DiagramGraph) -> [Part] {
        var leaders = Array(graph.sizes.indices)
        func leader(_ box: Int) -> Int {
            var box = box
            while leaders[box] != box { box = leaders[box] }
            return box
        }
        for link in graph.links {
            let (a, b) = (leader(link.from), leader(link.to))
            leaders[max(a, b)] = min(a, b)
        }
        var parts: [Int: Part] = [:]
        for box in graph.sizes.indices { parts[leader(box), default: Part()].boxes.append(box) }
        for (index, link) in graph.links.enumerated() {
            parts[leader(link.from), default: Part()].links.append(index)
        }
        return parts.sorted { $0.key < $1.key }.map(\.value)
    }
}
