/// A set of page numbers with one bit for each.
public struct PageSet: Equatable, Sendable {
    private var words: [UInt64]

    /// - Parameter pageCount: the highest number that the set can hold.
    public init(pageCount: UInt32) {
        words = Array(repeating: 0, count: Int(pageCount) / 64 + 1)
    }

    /// Inserts a page; ignores numbers beyond the highest.
    /// - Returns: whether the set did not have it.
    @discardableResult public mutating func insert(_ page: UInt32) -> Bool {
        guard page / 64 < words.count else { return true }
        let bit: UInt64 = 1 << UInt64(page % 64)
        defer { words[Int(page / 64)] |= bit }
        return words[Int(page / 64)] & bit == 0
    }

    /// The lowest page from 1 on that the set does not have.
    var firstMissing: UInt32 {
        for (index, word) in words.enumerated() {
            let rest = index == 0 ? ~word & ~1 : ~word
            if rest != 0 { return UInt32(index * 64 + rest.trailingZeroBitCount) }
        }
        return UInt32(words.count * 64)
    }

    public mutating func remove(_ page: UInt32) {
        guard page / 64 < words.count else { return }
        words[Int(page / 64)] &= ~(1 << UInt64(page % 64))
    }

    @inline(__always) public func contains(_ page: UInt32) -> Bool {
        page / 64 < words.count && words[Int(page / 64)] & 1 << UInt64(page % 64) != 0
    }

    public var isEmpty: Bool { words.allSatisfy { $0 == 0 } }

    /// The page numbers, ascending.
    public var pages: [UInt32] {
        var result: [UInt32] = []
        for (index, var word) in words.enumerated() {
            while word != 0 {
                result.append(UInt32(index * 64 + word.trailingZeroBitCount))
                word &= word - 1
            }
        }
        return result
    }
}
