/// The pages that changed, and all pages that lead to one of them. Everything under any other page is
/// unchanged.
public struct DirtyPages: Sendable {
    /// The pages in the order in which they were inserted.
    public private(set) var pages: [UInt32] = []
    private var bits: [UInt64]
    private let count: Int

    /// - Parameter count: page numbers from this one on count as dirty, since they are new.
    init(count: Int) {
        self.count = count
        bits = Array(repeating: 0, count: count / 64 + 1)
    }

    public func contains(_ page: UInt32) -> Bool {
        Int(page) >= count || bits[Int(page) / 64] & (1 << (page % 64)) != 0
    }

    /// - Returns: whether the page was not in the set yet.
    mutating func insert(_ page: UInt32) -> Bool {
        guard !contains(page) else { return false }
        bits[Int(page) / 64] |= 1 << (page % 64)
        pages.append(page)
        return true
    }
}
