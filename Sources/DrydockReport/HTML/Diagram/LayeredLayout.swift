/// Connected boxes in columns, so that lines go from left to right, after Sugiyama, Tagawa and Toda
/// (https://doi.org/10.1109/TSMC.1981.4308636): circles are broken, boxes get columns, a line that passes a column gets a
/// lane there, columns are ordered for few crossings, boxes are moved towards what they are connected with, and lines turn
/// in the channels between columns.
struct LayeredLayout {
    typealias Frame = DiagramLayout.Frame
    typealias Point = DiagramLayout.Point

    /// The boxes and lines that were given, in that order.
    private(set) var frames: [Frame] = []
    private(set) var routes: [[Point]] = []
    private(set) var width = 0
    private(set) var height = 0

    /// A box, or the lane of a line that passes a column.
    struct Item {
        var layer: Int
        var height: Int
        var isLane: Bool
        var y = 0
    }

    /// The part of a line between two neighbouring columns.
    struct Hop {
        var left: Int
        var leftY: Int
        var right: Int
        var rightY: Int
        /// Lines that start together share a net, which turns once for all in a channel.
        var net: Int
    }

    var items: [Item] = []
    var hops: [Hop] = []
    /// The items of each column, from top to bottom.
    var layers: [[Int]] = []
    /// The hops of each line from left to right; none for a line from a box to itself.
    private var paths: [[Int]] = []

    private static let loop = 12

    init(_ graph: DiagramGraph, boxes: [Int], links: [Int], width limit: Int) {
        let places = Dictionary(uniqueKeysWithValues: boxes.enumerated().map { ($1, $0) })
        let sizes = boxes.map { graph.sizes[$0] }
        let local = links.map { index -> DiagramGraph.Link in
            var link = graph.links[index]
            (link.from, link.to) = (places[link.from] ?? 0, places[link.to] ?? 0)
            return link
        }
        let columns = BoxColumns(sizes, local, width: limit)
        items = zip(sizes, columns.layers).map { Item(layer: $1, height: $0.height, isLane: false) }
        connect(local, columns.isTurned)
        layers = Array(repeating: [], count: (columns.layers.max() ?? 0) + 1)
        for item in items.indices { layers[items[item].layer].append(item) }
        order()
        align()
        draw(sizes, local, columns.isTurned)
    }

    /// Makes the hops and lanes of all lines.
    private mutating func connect(_ links: [DiagramGraph.Link], _ isTurned: [Bool]) {
        struct Lane: Hashable { var net, layer: Int }
        var nets: [[Int]: Int] = [:]
        var lanes: [Lane: Int] = [:]
        for (link, isTurned) in zip(links, isTurned) {
            guard link.from != link.to else {
                paths.append([])
                continue
            }
            let (start, startY) = isTurned ? (link.to, link.toY) : (link.from, link.fromY)
            let (end, endY) = isTurned ? (link.from, link.fromY) : (link.to, link.toY)
            let key = [start, startY, link.style]
            let net = nets[key] ?? nets.count
            nets[key] = net
            var path: [Int] = []
            var (left, leftY) = (start, startY)
            for layer in items[start].layer + 1..<max(items[start].layer + 1, items[end].layer) {
                let lane = lanes[Lane(net: net, layer: layer)] ?? items.count
                if lane == items.count {
                    items.append(Item(layer: layer, height: 8, isLane: true))
                    lanes[Lane(net: net, layer: layer)] = lane
                }
                path.append(hop(Hop(left: left, leftY: leftY, right: lane, rightY: 4, net: net)))
                (left, leftY) = (lane, 4)
            }
            path.append(hop(Hop(left: left, leftY: leftY, right: end, rightY: endY, net: net)))
            paths.append(path)
        }
    }

    private mutating func hop(_ hop: Hop) -> Int {
        hops.append(hop)
        return hops.count - 1
    }

    // MARK: - Drawing

    private mutating func draw(
        _ sizes: [(width: Int, height: Int)], _ links: [DiagramGraph.Link], _ isTurned: [Bool]
    ) {
        let channels = layers.indices.map { layer in
            DiagramChannel(hops.indices.filter { items[hops[$0].left].layer == layer }.map(channelLine))
        }
        frames = sizes.map { Frame(x: 0, y: 0, width: $0.width, height: $0.height) }
        var tracks: [Int: Int] = [:]
        var x = 0
        for (layer, channel) in zip(layers, channels) {
            let boxes = layer.filter { !items[$0].isLane }
            for box in boxes { (frames[box].x, frames[box].y) = (x, items[box].y) }
            x += boxes.map { sizes[$0].width }.max() ?? 0
            for (hop, track) in channel.tracks { tracks[hop] = x + track }
            x += channel.width
        }
        for (index, link) in links.enumerated() {
            guard link.from != link.to else {
                let frame = frames[link.from]
                routes.append(
                    [(frame.maxX, link.fromY), (frame.maxX + Self.loop, link.fromY)].map {
                        Point(x: $0.0, y: frame.y + $0.1)
                    }
                        + [(frame.maxX + Self.loop, link.toY), (frame.maxX, link.toY)].map {
                            Point(x: $0.0, y: frame.y + $0.1)
                        })
                continue
            }
            let route = route(paths[index], tracks)
            routes.append(isTurned[index] ? route.reversed() : route)
        }
        width = max(frames.map(\.maxX).max() ?? 0, routes.flatMap { $0 }.map { $0.x + 1 }.max() ?? 0)
        height = max(frames.map(\.maxY).max() ?? 0, routes.flatMap { $0 }.map { $0.y + 1 }.max() ?? 0)
    }

    private func channelLine(_ index: Int) -> DiagramChannel.Line {
        let hop = hops[index]
        return DiagramChannel.Line(
            hop: index, net: hop.net, left: items[hop.left].y + hop.leftY,
            right: items[hop.right].y + hop.rightY)
    }

    private func route(_ path: [Int], _ tracks: [Int: Int]) -> [Point] {
        guard let first = path.first, let last = path.last else { return [] }
        var points = [Point(x: frames[hops[first].left].maxX, y: channelLine(first).left)]
        for index in path {
            let line = channelLine(index)
            if line.left != line.right, let track = tracks[index] {
                points += [Point(x: track, y: line.left), Point(x: track, y: line.right)]
            }
        }
        return points + [Point(x: frames[hops[last].right].x, y: channelLine(last).right)]
    }
}
