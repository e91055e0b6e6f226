/// Pages that changed, and all that lead to one: what is not among them has under it what it had.
public struct DirtyPages: Sendable {
    /// In the order in which they were found.
    public private(set) var pages: [UInt32] = []
    private var bits: [UInt64]
    private let count: Int

    /// - Parameter count: page numbers from there on count as dirty: they are new.
    init(count: Int) {
        self.count = count
        bits = Array(repeating: 0, count: count / 64 + 1)
    }

    public func contains(_ page: UInt32) -> Bool {
        Int(page) >= count || bits[Int(page) / 64] & (1 << (page % 64)) != 0
    }

    /// - Returns: whether the page was not in it yet.
    mutating func insert(_ page: UInt32) -> Bool {
        guard !contains(page) else { return false }
        bits[Int(page) / 64] |= 1 << (page % 64)
        pages.append(page)
        return true
    }
}
