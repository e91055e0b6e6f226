/// The space between two columns, in which lines turn. Each net gets a track, a place from left to right where all of its
/// lines go up or down, so that no two nets share a stretch.
struct DiagramChannel {
    struct Line {
        var hop: Int
        var net: Int
        /// The heights at which it enters on the left and leaves on the right.
        var left, right: Int
    }

    /// How far right of the column each hop that turns does so.
    private(set) var tracks: [Int: Int] = [:]
    private(set) var width = 0

    private static let (margin, pitch, end) = (22, 9, 18)

    private struct Net {
        var lines: [Line]
        var left: Int
        var low, high: Int

        init(_ lines: [Line]) {
            self.lines = lines
            left = lines[0].left
            low = lines.reduce(left) { min($0, $1.right) }
            high = lines.reduce(left) { max($0, $1.right) }
        }

        var isStraight: Bool { low == high }
        /// Whether its lines go down more than up.
        var goesDown: Bool { high - left >= left - low }

        func overlaps(_ other: Net) -> Bool { low <= other.high + 6 && other.low <= high + 6 }

        /// Whether it must turn before another, which leaves on the right where it enters.
        func precedes(_ other: Net) -> Bool { other.lines.contains { abs($0.right - left) < 3 } }
    }

    init(_ lines: [Line]) {
        guard !lines.isEmpty else { return }
        let groups = Dictionary(grouping: lines, by: \.net).sorted { $0.key < $1.key }
        var left = groups.map { Net($0.value) }.filter { !$0.isStraight }
        // Of two that go down, the upper one turns further right, so that they do not cross; and so on.
        left.sort { a, b in
            a.goesDown != b.goesDown ? a.goesDown : a.goesDown ? a.left > b.left : a.left < b.left
        }
        var placed: [(net: Net, track: Int)] = []
        while !left.isEmpty {
            let next =
                left.indices.first { index in
                    !left.indices.contains { $0 != index && left[$0].precedes(left[index]) }
                } ?? 0
            let net = left.remove(at: next)
            let track =
                placed.filter { $0.net.overlaps(net) || $0.net.precedes(net) }.map { $0.track + 1 }.max() ?? 0
            placed.append((net, track))
            for line in net.lines { tracks[line.hop] = Self.margin + track * Self.pitch }
        }
        width = Self.margin + (placed.map(\.track).max() ?? 0) * Self.pitch + Self.end
    }
}
