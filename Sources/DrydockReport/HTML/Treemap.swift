/// Divides a rectangle among parts by their sizes, each as close to a square as it can be: the squarified treemap of
/// Bruls, Huizing and van Wijk (https://vanwijk.win.tue.nl/stm.pdf).
enum Treemap {
    struct Tile: Equatable {
        var x, y, width, height: Double
    }

    /// - Parameter sizes: positive, the largest first.
    static func tiles(of sizes: [Double], width: Double, height: Double) -> [Tile] {
        let total = sizes.reduce(0, +)
        guard total > 0, width > 0, height > 0 else { return [] }
        let areas = sizes.map { $0 * width * height / total }
        var tiles: [Tile] = []
        var free = Tile(x: 0, y: 0, width: width, height: height)
        var start = 0
        while start < areas.count {
            let side = min(free.width, free.height)
            var (end, sum) = (start + 1, areas[start])
            while end < areas.count,
                worst(areas[start], areas[end], sum + areas[end], side)
                    <= worst(areas[start], areas[end - 1], sum, side)
            {
                sum += areas[end]
                end += 1
            }
            let depth = side > 0 ? sum / side : 0
            var place = 0.0
            for area in areas[start..<end] {
                let length = depth > 0 ? area / depth : 0
                tiles.append(
                    free.width >= free.height
                        ? Tile(x: free.x, y: free.y + place, width: depth, height: length)
                        : Tile(x: free.x + place, y: free.y, width: length, height: depth))
                place += length
            }
            if free.width >= free.height {
                (free.x, free.width) = (free.x + depth, max(0, free.width - depth))
            } else {
                (free.y, free.height) = (free.y + depth, max(0, free.height - depth))
            }
            start = end
        }
        return tiles
    }

    /// Returns the worst ratio of the sides in a row.
    private static func worst(_ largest: Double, _ smallest: Double, _ sum: Double, _ side: Double) -> Double
    {
        let (side2, sum2) = (side * side, sum * sum)
        return max(side2 * largest / sum2, sum2 / (side2 * smallest))
    }
}
