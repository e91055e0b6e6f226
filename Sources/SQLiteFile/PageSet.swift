/// A set of page numbers with one bit for each.
public struct PageSet: Equatable, Sendable {
    private var words: [UInt64]

    /// - Parameter pageCount: the highest number that the set can hold.
    public init(pageCount: UInt32) {
        words = Array(repeating: 0, count: Int(pageCount) / 64 + 1)
    }

    /// Inserts a page; ignores numbers beyond the highest.
    public mutating func insert(_ page: UInt32) {
        guard page / 64 < words.count else { return }
        words[Int(page / 64)] |= 1 << UInt64(page % 64)
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
