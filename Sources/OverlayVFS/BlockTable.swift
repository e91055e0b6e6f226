/// The written blocks of a file by their number.
///
/// They are in groups, which copies share until one of them changes: the next state of a file costs what was written, and
/// not what the file has.
struct BlockTable: Sendable {
    typealias Element = (number: Int, block: Block)

    private static let groupSize = 128

    /// Groups without a block are empty arrays.
    private var groups: [[Block?]] = []

    subscript(number: Int) -> Block? {
        get {
            let (group, place) = number.quotientAndRemainder(dividingBy: Self.groupSize)
            guard group < groups.count, !groups[group].isEmpty else { return nil }
            return groups[group][place]
        }
        set {
            let (group, place) = number.quotientAndRemainder(dividingBy: Self.groupSize)
            if group >= groups.count { groups += repeatElement([], count: group + 1 - groups.count) }
            if groups[group].isEmpty { groups[group] = Array(repeating: nil, count: Self.groupSize) }
            groups[group][place] = newValue
        }
    }

    /// Removes the blocks from a number on.
    mutating func removeAll(from end: Int) {
        let (whole, rest) = end.quotientAndRemainder(dividingBy: Self.groupSize)
        guard whole < groups.count else { return }
        groups.removeLast(groups.count - whole - (rest > 0 ? 1 : 0))
        guard rest > 0, !groups[whole].isEmpty else { return }
        for place in rest..<Self.groupSize { groups[whole][place] = nil }
    }

    /// The blocks, in the order of their numbers.
    var all: [Element] {
        var result: [Element] = []
        for (group, blocks) in groups.enumerated() {
            for (place, block) in blocks.enumerated() {
                if let block { result.append((group * Self.groupSize + place, block)) }
            }
        }
        return result
    }
}
