/// The pages of the main database that differ between two freezes.
///
/// Bytes are compared, not writes: a page that was written and has its old bytes again is not included. What
/// a connection in WAL mode committed stays in the `-wal` file until a checkpoint.
package struct Footprint: Sendable, Equatable {
    /// The numbers of the pages that differ or are new, ascending; the first page is 1. Pages that were cut
    /// off at the end show only in the sizes.
    package let pages: [UInt32]
    /// The page size after the change, in bytes.
    package let pageSize: Int
    /// The file's size before the change, in bytes.
    package let sizeBefore: Int
    package let sizeAfter: Int
    /// Paths of other files of the disk that differ as well, such as databases that were attached; sorted.
    package var otherFiles: [String] = []

    /// The total size of the differing pages, in bytes.
    package var byteCount: Int { pages.count * pageSize }

    package var isEmpty: Bool { pages.isEmpty && sizeBefore == sizeAfter }

    init(pages: [UInt32], pageSize: Int, sizeBefore: Int, sizeAfter: Int) {
        self.pages = pages
        self.pageSize = pageSize
        self.sizeBefore = sizeBefore
        self.sizeAfter = sizeAfter
    }

    init(_ file: FrozenFile) {
        let (sizeBefore, sizeAfter) = (file.before.size, file.after.size)
        let pageSize = file.after.pageSize
        var differing = Self.resizedPages(from: sizeBefore, to: sizeAfter, pageSize)
        if pageSize < Block.size {
            for block in file.changed { Self.addPages(of: block, file, pageSize, to: &differing) }
        } else {
            differing += file.changed.map { $0 * Block.size / pageSize }
        }
        for block in file.touched { Self.addPages(of: block, file, pageSize, to: &differing) }
        let last = (sizeAfter + pageSize - 1) / pageSize
        differing.sort()
        var pages: [UInt32] = []
        for page in differing where page < last && pages.last != UInt32(page + 1) {
            pages.append(UInt32(page + 1))
        }
        self.init(pages: pages, pageSize: pageSize, sizeBefore: sizeBefore, sizeAfter: sizeAfter)
    }

    static let empty = Footprint(FrozenFile(before: .empty, after: .empty, touched: []))

    /// Returns the pages, counted from 0, that are new or were cut in part.
    private static func resizedPages(from before: Int, to after: Int, _ pageSize: Int) -> [Int] {
        if after > before { return Array((before / pageSize)..<((after + pageSize - 1) / pageSize)) }
        return after < before && after % pageSize != 0 ? [after / pageSize] : []
    }

    /// Adds the pages that differ within one block, or the page that the block is a part of.
    ///
    /// A block that can no longer be read counts as differing.
    private static func addPages(
        of block: Int, _ file: FrozenFile, _ pageSize: Int, to pages: inout [Int]
    ) {
        let step = min(pageSize, Block.size)
        let start = block * Block.size
        withUnsafeTemporaryAllocation(byteCount: 2 * Block.size, alignment: 16) { buffer in
            let old = UnsafeMutableRawBufferPointer(rebasing: buffer[..<Block.size])
            let new = UnsafeMutableRawBufferPointer(rebasing: buffer[Block.size...])
            let isRead =
                (try? file.before.read(into: old, at: start)) != nil
                && (try? file.after.read(into: new, at: start)) != nil
            for offset in stride(from: 0, to: Block.size, by: step) {
                let left = UnsafeRawBufferPointer(rebasing: old[offset..<(offset + step)])
                let right = UnsafeRawBufferPointer(rebasing: new[offset..<(offset + step)])
                if !isRead || !left.isEqual(to: right) { pages.append((start + offset) / pageSize) }
            }
        }
    }
}
