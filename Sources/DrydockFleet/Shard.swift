import DrydockFindings

/// One of several equal parts of a list of databases: `2/8` is the second of eight.
///
///     let shard = try Shard("2/8")
///     let mine = shard.indices(of: weights)
public struct Shard: Sendable, Hashable, Codable {
    /// Which one, from 1.
    public let number: Int
    public let count: Int

    public init(number: Int, of count: Int) throws(ShardFault) {
        guard count >= 1, (1...count).contains(number) else {
            throw ShardFault(
                "there is no shard \(number) of \(count); the first is 1, and the last is the number of shards"
            )
        }
        (self.number, self.count) = (number, count)
    }

    /// Reads `2/8`.
    public init(_ text: String) throws(ShardFault) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).map { Int($0) }
        guard parts.count == 2, let number = parts[0], let count = parts[1] else {
            throw ShardFault("'\(text)' is not a shard; write 2/8 for the second of eight, or auto")
        }
        try self.init(number: number, of: count)
    }

    /// Returns the places of the shard's databases in the list, in ascending order. Every place is in one shard. Heavy
    /// databases are dealt out first, each to the shard that has least so far, so that shards take about the same time.
    /// - Parameter weights: what each database costs, in any unit; equal weights deal the list out in turn.
    public func indices(of weights: [Double]) -> [Int] {
        let heaviestFirst = weights.indices.sorted { (weights[$0], $1) > (weights[$1], $0) }
        var loads = Heap(count: count)
        var mine: [Int] = []
        for index in heaviestFirst where loads.add(weights[index]) == number - 1 { mine.append(index) }
        return mine.sorted()
    }

    /// The loads of the shards, the least on top; of equal loads the shard with the lowest number.
    private struct Heap {
        private var items: [(load: Double, shard: Int)]

        init(count: Int) { items = (0..<count).map { (0, $0) } }

        /// Adds a weight to the least loaded shard, and returns that shard.
        mutating func add(_ weight: Double) -> Int {
            let shard = items[0].shard
            items[0].load += weight
            var place = 0
            while true {
                let children = [2 * place + 1, 2 * place + 2].filter { $0 < items.count }
                guard let least = children.min(by: { items[$0] < items[$1] }), items[least] < items[place]
                else {
                    return shard
                }
                items.swapAt(least, place)
                place = least
            }
        }
    }
}

/// Why there is no such shard: bad usage.
public struct ShardFault: Error, Sendable, Equatable, CustomStringConvertible {
    public let description: String

    init(_ description: String) { self.description = description }
}
