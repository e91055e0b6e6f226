/// Which column each box stands in, and which lines go from right to left there, since they are part of a circle.
struct BoxColumns {
    private(set) var layers: [Int]
    private(set) var isTurned: [Bool]

    /// - Parameter width: a column gets as many boxes as are needed for all columns to fit, by their area.
    init(_ sizes: [(width: Int, height: Int)], _ links: [DiagramGraph.Link], width: Int) {
        layers = Array(repeating: 0, count: sizes.count)
        isTurned = Self.turned(sizes.count, links)
        var parents = Array(repeating: [Int](), count: sizes.count)
        var children = parents
        for (link, isTurned) in zip(links, isTurned) where link.from != link.to {
            let (from, to) = isTurned ? (link.to, link.from) : (link.from, link.to)
            parents[to].append(from)
            children[from].append(to)
        }
        let ranks = Self.ranks(parents, children)
        let area = sizes.reduce(0) { $0 + ($1.width + 60) * ($1.height + 26) }
        let limit = max(480, area * 6 / 5 / max(1, width))
        var used: [Int: Int] = [:]
        for box in sizes.indices.sorted(by: { (ranks[$0], $0) < (ranks[$1], $1) }) {
            var layer = parents[box].map { layers[$0] + 1 }.max() ?? ranks[box]
            while let height = used[layer], height + sizes[box].height > limit { layer += 1 }
            layers[box] = layer
            used[layer, default: 0] += sizes[box].height + 26
        }
        // A column may have been left empty.
        let places = Dictionary(
            uniqueKeysWithValues: Set(layers).sorted().enumerated().map { ($1, $0) })
        layers = layers.map { places[$0] ?? 0 }
    }

    /// Returns how far each box is from one without a parent, at most. A box without a parent moves beside the nearest of
    /// its children.
    private static func ranks(_ parents: [[Int]], _ children: [[Int]]) -> [Int] {
        var ranks = Array(repeating: 0, count: parents.count)
        var open = parents.map(\.count)
        var ready = open.indices.filter { open[$0] == 0 }
        var next = 0
        while next < ready.count {
            let box = ready[next]
            next += 1
            for child in children[box] {
                ranks[child] = max(ranks[child], ranks[box] + 1)
                open[child] -= 1
                if open[child] == 0 { ready.append(child) }
            }
        }
        for box in parents.indices where parents[box].isEmpty {
            if let nearest = children[box].map({ ranks[$0] }).min() { ranks[box] = nearest - 1 }
        }
        return ranks
    }

    /// Returns which lines must be turned round so that no circle remains: those that lead back to a box on the way to
    /// which they were found.
    private static func turned(_ count: Int, _ links: [DiagramGraph.Link]) -> [Bool] {
        var isTurned = Array(repeating: false, count: links.count)
        var leaving = Array(repeating: [Int](), count: count)
        var isReached = Array(repeating: false, count: count)
        for (index, link) in links.enumerated() where link.from != link.to {
            leaving[link.from].append(index)
            isReached[link.to] = true
        }
        enum Visit { case never, open, done }
        var visits = Array(repeating: Visit.never, count: count)
        let starts = (0..<count).filter { !isReached[$0] } + (0..<count).filter { isReached[$0] }
        for start in starts where visits[start] == .never {
            visits[start] = .open
            var stack = [(box: start, next: 0)]
            while let top = stack.last {
                guard top.next < leaving[top.box].count else {
                    visits[top.box] = .done
                    stack.removeLast()
                    continue
                }
                stack[stack.count - 1].next += 1
                let link = leaving[top.box][top.next]
                switch visits[links[link].to] {
                case .never:
                    visits[links[link].to] = .open
                    stack.append((links[link].to, 0))
                case .open: isTurned[link] = true
                case .done: break
                }
            }
        }
        return isTurned
    }
}
