/// How a figure is spread over many databases. A percentile is a value that occurs: the nearest rank
/// (https://en.wikipedia.org/wiki/Percentile#The_nearest-rank_method).
public struct Spread: Sendable, Hashable, Codable {
    public var least, median, percentile90, percentile99, most, sum: Double

    /// Returns nil if there is no value.
    public init?(_ values: some Sequence<Double>) {
        let sorted = values.sorted()
        guard let first = sorted.first, let last = sorted.last else { return nil }
        func rank(_ percent: Int) -> Double { sorted[(sorted.count * percent + 99) / 100 - 1] }
        (least, most, sum) = (first, last, sorted.reduce(0, +))
        (median, percentile90, percentile99) = (rank(50), rank(90), rank(99))
    }
}
