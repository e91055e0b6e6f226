import TestTools
import Testing

@testable import DrydockReport

/// What must hold for the layout of any graph: boxes and lines are where a reader can follow them.
@Suite struct DiagramLayoutTests {
    @Test(arguments: seeds(20, of: 59)) func `any graph`(seed: Int) {
        var random = Generator(state: UInt64(seed) &* 0x9E37_79B9 &+ 1)
        check(random.graph(boxes: 1 + Int(random.next() % 24)), "seed \(seed)")
    }

    @Test func `three hundred tables`() {
        var random = Generator(state: 7)
        check(random.graph(boxes: 300), "300")
    }

    @Test func `one table`() {
        let graph = DiagramGraph(sizes: [(120, 60)], links: [])
        check(graph, "one")
        let layout = DiagramLayout(graph, width: 1000)
        #expect(layout.frames == [.init(x: 0, y: 0, width: 120, height: 60)])
        #expect(layout.width == 120 && layout.height == 60)
    }

    @Test func `nothing`() {
        let layout = DiagramLayout(DiagramGraph(sizes: [], links: []), width: 1000)
        #expect(layout.width == 0 && layout.height == 0 && layout.frames.isEmpty)
    }

    @Test func `circles, references to itself and parallel lines`() {
        let sizes = Array(repeating: (width: 120, height: 80), count: 4)
        let links = [(0, 1), (1, 2), (2, 0), (3, 3), (0, 1), (1, 0), (0, 0)].enumerated().map {
            DiagramGraph.Link(from: $1.0, fromY: 20, to: $1.1, toY: 40 + $0 % 3 * 12, style: $0 % 2)
        }
        check(DiagramGraph(sizes: sizes, links: links), "circles")
    }

    @Test func `what is referenced stands on the left`() {
        let sizes = Array(repeating: (width: 100, height: 60), count: 3)
        let links = [(2, 1), (1, 0)].map {
            DiagramGraph.Link(from: $0.0, fromY: 10, to: $0.1, toY: 30)
        }
        let frames = DiagramLayout(DiagramGraph(sizes: sizes, links: links), width: 1000).frames
        #expect(frames[2].maxX < frames[1].x && frames[1].maxX < frames[0].x)
    }

    @Test func `many children of one table do not make a tower`() {
        let sizes = Array(repeating: (width: 200, height: 90), count: 61)
        let links = (1...60).map { DiagramGraph.Link(from: 0, fromY: 20, to: $0, toY: 40) }
        let graph = DiagramGraph(sizes: sizes, links: links)
        check(graph, "hub")
        let layout = DiagramLayout(graph, width: 1000)
        #expect(layout.height < 60 * (90 + 26) / 2, "\(layout.height)")
    }

    @Test func `a long chain makes no staircase`() {
        let sizes = Array(repeating: (width: 120, height: 160), count: 30)
        let links = (1..<30).map { DiagramGraph.Link(from: $0 - 1, fromY: 40, to: $0, toY: 140) }
        let graph = DiagramGraph(sizes: sizes, links: links)
        check(graph, "chain")
        let layout = DiagramLayout(graph, width: 1000)
        #expect(layout.height < 1000, "\(layout.height)")
    }

    @Test func `lines that need not cross do not`() {
        // Two parents whose children are listed crosswise.
        let sizes = Array(repeating: (width: 100, height: 40), count: 6)
        let links = [(0, 3), (0, 5), (1, 2), (1, 4), (0, 2)].map {
            DiagramGraph.Link(from: $0.0, fromY: 20, to: $0.1, toY: 20)
        }
        let layout = LayeredLayout(
            DiagramGraph(sizes: sizes, links: links), boxes: Array(0..<6), links: Array(0..<5), width: 1000)
        #expect(layout.crossings == 0)
    }

    private func check(_ graph: DiagramGraph, _ name: String) {
        let layout = DiagramLayout(graph, width: 1000)
        let again = DiagramLayout(graph, width: 1000)
        #expect(layout.frames == again.frames && layout.routes == again.routes, "\(name)")
        for (size, frame) in zip(graph.sizes, layout.frames) {
            #expect(size == (frame.width, frame.height), "\(name)")
            #expect(frame.x >= 0 && frame.y >= 0 && frame.maxX <= layout.width, "\(name)")
            #expect(frame.maxY <= layout.height, "\(name)")
        }
        for (index, frame) in layout.frames.enumerated() {
            for other in layout.frames[..<index] {
                let isApart =
                    frame.maxX < other.x || other.maxX < frame.x || frame.maxY < other.y
                    || other.maxY < frame.y
                #expect(isApart, "\(name): \(frame) \(other)")
            }
        }
        for (link, route) in zip(graph.links, layout.routes) {
            let (from, to) = (layout.frames[link.from], layout.frames[link.to])
            guard let first = route.first, let last = route.last, route.count > 1 else {
                Issue.record("\(name): no route")
                continue
            }
            #expect(first.y == from.y + link.fromY && [from.x, from.maxX].contains(first.x), "\(name)")
            #expect(last.y == to.y + link.toY && [to.x, to.maxX].contains(last.x), "\(name)")
            for (a, b) in zip(route, route.dropFirst()) {
                #expect(a.x == b.x || a.y == b.y, "\(name): a slanted line \(route)")
                #expect([a, b].allSatisfy { $0.x >= 0 && $0.y >= 0 }, "\(name)")
                #expect(
                    [a, b].allSatisfy {
                        $0.x < layout.width && $0.y < layout.height
                            || layout.frames.contains { $0.maxX == layout.width }
                    }, "\(name)")
                for frame in layout.frames {
                    let isOutside =
                        max(a.x, b.x) <= frame.x || min(a.x, b.x) >= frame.maxX || max(a.y, b.y) <= frame.y
                        || min(a.y, b.y) >= frame.maxY
                    #expect(isOutside, "\(name): \(a) \(b) runs over \(frame)")
                }
            }
        }
    }
}

/// A linear congruential generator, the same everywhere.
private struct Generator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state >> 20
    }

    mutating func graph(boxes count: Int) -> DiagramGraph {
        let sizes = (0..<count).map { _ in (width: 80 + Int(next() % 160), height: 30 + Int(next() % 220)) }
        let links = (0..<Int(next() % UInt64(count * 2 + 1))).map { _ in
            let (from, to) = (Int(next() % UInt64(count)), Int(next() % UInt64(count)))
            return DiagramGraph.Link(
                from: from, fromY: 5 + Int(next() % 20), to: to, toY: 5 + Int(next() % 20),
                style: Int(next() % 3))
        }
        return DiagramGraph(sizes: sizes, links: links)
    }
}
