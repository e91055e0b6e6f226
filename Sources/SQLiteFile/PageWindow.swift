/// Memory into which pages that lie close together are read at once, and which is then used for the next ones.
///
/// For pages that are looked at once this costs less than a mapping, for which the system must find each page.
/// A page is valid until the next one of its kind (of trees, or overflow) is asked for. Each thread needs a
/// window of its own.
public final class PageWindow {
    private let file: DatabaseFile
    private let pageSize: Int
    /// How many pages are read at once at most.
    let capacity: UInt32
    private var treePages = Pane()
    private var overflowPages = Pane()
    /// How many overflow pages are read at once. It grows while they follow one another.
    private var ahead: UInt32 = 1
    /// Whether pages can be copied at all.
    private var canCopy = true

    /// Some pages, all from one read.
    private struct Pane {
        var memory = UnsafeMutableRawBufferPointer(start: nil, count: 0)
        var first: UInt32 = 0
        var count: UInt32 = 0

        @inline(__always) func start(of page: UInt32, _ pageSize: Int) -> UnsafeRawPointer? {
            guard page >= first, page - first < count else { return nil }
            return memory.baseAddress.map { UnsafeRawPointer($0) + Int(page - first) * pageSize }
        }

        /// Whether a page lies close behind those in memory.
        func isFollowed(closelyBy page: UInt32) -> Bool {
            page >= first && page - first >= count && page - first - count < PageWindow.gap
        }
    }

    /// The distance of two pages that are read together. Those between them cost no more than another read.
    static let gap: UInt32 = 4

    /// - Parameter size: how many bytes are read at once; at least a page is.
    public init(_ file: DatabaseFile, size: Int = 256 << 10) {
        self.file = file
        pageSize = file.layout.pageSize
        capacity = UInt32(clamping: max(1, size / pageSize))
    }

    deinit {
        treePages.memory.deallocate()
        overflowPages.memory.deallocate()
    }

    /// Returns a page of a tree.
    /// - Parameter count: how many pages, from that one on, are worth reading; only asked if it must be read.
    /// - Throws: ``FileDamage`` as ``DatabaseFile/treePage(_:)``.
    @inline(__always) func treePage(_ number: UInt32, _ count: () -> UInt32) throws(FileDamage) -> TreePage {
        guard canCopy, number != file.lockBytePage else { return try file.treePage(number) }
        if let start = treePages.start(of: number, pageSize) {
            return try TreePage(start, number, file.layout)
        }
        return try TreePage(fill(&treePages, number, count()), number, file.layout)
    }

    /// Returns the start of an overflow page.
    /// - Throws: ``FileDamage`` as ``DatabaseFile/page(_:)``.
    func overflowPage(_ number: UInt32) throws(FileDamage) -> UnsafeRawPointer {
        guard canCopy, number != file.lockBytePage else { return try file.page(number) }
        if let start = treePages.start(of: number, pageSize) ?? overflowPages.start(of: number, pageSize) {
            return start
        }
        ahead = overflowPages.isFollowed(closelyBy: number) ? min(2 * ahead, capacity) : 1
        return try fill(&overflowPages, number, ahead)
    }

    private func fill(
        _ pane: inout Pane, _ number: UInt32, _ count: UInt32
    ) throws(FileDamage) -> UnsafeRawPointer {
        // The file says what is wrong with such a number.
        guard number >= 1, number <= file.pageCount else { return try file.page(number) }
        if pane.memory.isEmpty {
            // 16 bytes into a page of memory, where glibc's malloc puts large blocks, reading a file's pages can take
            // six times as long.
            pane.memory = .allocate(byteCount: Int(capacity) * pageSize, alignment: 4096)
        }
        let count = min(count, capacity, file.pageCount - number + 1)
        let memory = UnsafeMutableRawBufferPointer(rebasing: pane.memory[..<(Int(count) * pageSize)])
        (pane.first, pane.count) = (number, UInt32(file.source.copyPages(from: number, into: memory)))
        canCopy = pane.count > 0
        if let start = pane.start(of: number, pageSize) { return start }
        return try file.page(number)
    }
}
