/// Numbers from zero, evenly spread where there are more than wanted.
package struct EvenSelection: Sequence, IteratorProtocol {
    private let count: Int
    private let wanted: Int
    private var index = 0

    package init(of count: Int, _ wanted: Int) {
        (self.count, self.wanted) = (count, Swift.min(count, wanted))
    }

    package mutating func next() -> Int? {
        guard index < wanted else { return nil }
        defer { index += 1 }
        return index * count / wanted
    }
}
