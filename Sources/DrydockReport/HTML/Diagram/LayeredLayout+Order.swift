/// The order of the boxes and lanes of a column, and how far down each stands.
extension LayeredLayout {
    private static let sweeps = 12

    /// Orders each column by the mean place of what its items are connected with, back and forth, and keeps the order with
    /// the fewest crossings.
    mutating func order() {
        guard layers.count > 1 else { return }
        let (lefts, rights) = neighbours
        var best = (layers, crossings)
        for sweep in 0..<Self.sweeps where best.1 > 0 {
            let isForward = sweep.isMultiple(of: 2)
            for layer in isForward ? Array(layers.indices.dropFirst()) : layers.indices.dropLast().reversed()
            {
                sort(layer, by: isForward ? lefts : rights)
            }
            let count = crossings
            if count < best.1 { best = (layers, count) }
        }
        layers = best.0
    }

    /// The hops to the left and to the right of each item.
    private var neighbours: (lefts: [[Int]], rights: [[Int]]) {
        var lefts = Array(repeating: [Int](), count: items.count)
        var rights = lefts
        for (index, hop) in hops.enumerated() {
            rights[hop.left].append(index)
            lefts[hop.right].append(index)
        }
        return (lefts, rights)
    }

    private var places: [Int] {
        var places = Array(repeating: 0, count: items.count)
        for layer in layers { for (place, item) in layer.enumerated() { places[item] = place } }
        return places
    }

    private mutating func sort(_ layer: Int, by ends: [[Int]]) {
        let places = places
        let keyed = layers[layer].enumerated().map { place, item -> (key: Double, place: Int, item: Int) in
            let found = ends[item].map { index -> Double in
                let hop = hops[index]
                let (other, y) = hop.left == item ? (hop.right, hop.rightY) : (hop.left, hop.leftY)
                return Double(places[other]) + Double(y) / Double(items[other].height + 1)
            }
            let key = found.isEmpty ? Double(place) : found.reduce(0, +) / Double(found.count)
            return (key, place, item)
        }
        layers[layer] = keyed.sorted { ($0.key, $0.place) < ($1.key, $1.place) }.map(\.item)
    }

    /// The number of pairs of lines that must cross between two columns.
    var crossings: Int {
        let places = places
        func key(_ item: Int, _ y: Int) -> Int { places[item] << 20 + y }
        var count = 0
        for (_, hops) in Dictionary(grouping: hops, by: { items[$0.left].layer }) {
            let ends = hops.map { (key($0.left, $0.leftY), key($0.right, $0.rightY)) }
                .sorted { $0 < $1 }.map(\.1)
            for index in ends.indices {
                for other in ends[..<index] where other > ends[index] { count += 1 }
            }
        }
        return count
    }

    // MARK: - Heights

    /// Moves each item towards the lines that lead to it, as far as the order of its column allows. Where that makes a
    /// staircase of a long chain, columns are also drawn towards the middle.
    mutating func align() {
        let stacked = stack()
        let tallest = items.indices.map { stacked[$0] + items[$0].height }.max() ?? 0
        settle(stacked, pull: 0.001)
        if (items.map { $0.y + $0.height }.max() ?? 0) > tallest * 3 / 2 { settle(stacked, pull: 0.5) }
    }

    /// Returns the places of items that stand close together, each column in the middle of the tallest.
    private func stack() -> [Int] {
        var places = Array(repeating: 0, count: items.count)
        var heights = Array(repeating: 0, count: layers.count)
        for (index, layer) in layers.enumerated() {
            for (place, item) in layer.enumerated() {
                if place > 0 { heights[index] += gap(layer[place - 1], item) }
                places[item] = heights[index]
                heights[index] += items[item].height
            }
        }
        let tallest = heights.max() ?? 0
        for (layer, height) in zip(layers, heights) {
            for item in layer { places[item] += (tallest - height) / 2 }
        }
        return places
    }

    private mutating func settle(_ stacked: [Int], pull: Double) {
        for item in items.indices { items[item].y = stacked[item] }
        let (lefts, rights) = neighbours
        for round in 0..<6 {
            for layer in layers.indices { settle(layer, by: [lefts], stacked, pull) }
            for layer in layers.indices.reversed() {
                settle(layer, by: round < 5 ? [rights] : [lefts, rights], stacked, pull)
            }
        }
        let top = items.map(\.y).min() ?? 0
        for item in items.indices { items[item].y -= top }
    }

    private func gap(_ a: Int, _ b: Int) -> Int {
        items[a].isLane && items[b].isLane ? 4 : items[a].isLane || items[b].isLane ? 14 : 26
    }

    /// Gives the items of a column the places that are nearest to the wanted ones, by least squares: wherever two would
    /// overlap, they become one block that moves as a whole.
    private mutating func settle(_ layer: Int, by ends: [[[Int]]], _ stacked: [Int], _ pull: Double) {
        struct Block { var sum, weight: Double; var count: Int }
        var blocks: [Block] = []
        var offsets: [Int] = []
        var offset = 0
        for (place, item) in layers[layer].enumerated() {
            if place > 0 {
                let last = layers[layer][place - 1]
                offset += items[last].height + gap(last, item)
            }
            offsets.append(offset)
            var (sum, weight) = (Double(stacked[item]) * pull, pull)
            for index in ends.flatMap({ $0[item] }) {
                let hop = hops[index]
                let (own, other) = hop.left == item ? (hop.leftY, hop.right) : (hop.rightY, hop.left)
                let y = items[other].y + (hop.left == item ? hop.rightY : hop.leftY)
                // Long lines are straight first.
                let strength = items[item].isLane ? (items[other].isLane ? 8.0 : 2) : 1
                (sum, weight) = (sum + strength * Double(y - own), weight + strength)
            }
            blocks.append(Block(sum: sum - weight * Double(offset), weight: weight, count: 1))
            while blocks.count > 1,
                blocks[blocks.count - 2].sum / blocks[blocks.count - 2].weight
                    >= blocks[blocks.count - 1].sum / blocks[blocks.count - 1].weight
            {
                let last = blocks.removeLast()
                blocks[blocks.count - 1].sum += last.sum
                blocks[blocks.count - 1].weight += last.weight
                blocks[blocks.count - 1].count += last.count
            }
        }
        var place = 0
        for block in blocks {
            let y = Int((block.sum / block.weight).rounded())
            for _ in 0..<block.count {
                items[layers[layer][place]].y = y + offsets[place]
                place += 1
            }
        }
    }
}
