extension Image {
    /// Bytes of the main database file where they lie together: in the snapshot, or in one written block.
    ///
    /// They stay where they are as long as this image lives. Where a snapshot lost a page, they read as zeros:
    /// whoever used them asks ``checkIntact()`` afterwards.
    /// - Returns: nil where they do not lie together; ``read(into:at:)`` copies them.
    package func contiguousBytes(at offset: Int, count: Int) -> UnsafeRawBufferPointer? {
        guard offset >= 0, count > 0, offset <= main.size - count else { return nil }
        return main.contiguousBytes(at: offset, count: count)
    }

    /// Makes sure that every byte that was read is what the files on the disk had.
    /// - Throws: ``OverlayError/shrank(path:)``.
    package func checkIntact() throws(OverlayError) {
        for base in bases where base.isBroken { throw .shrank(path: base.path.string) }
    }

    /// Makes sure that the files on the disk are as they were when they were mapped.
    /// - Throws: ``OverlayError``.
    package func checkUnchanged() throws(OverlayError) {
        for base in bases { try base.checkUnchanged() }
    }
}

extension FileImage {
    /// Bytes that lie together: within the base, or within one block.
    fileprivate func contiguousBytes(at offset: Int, count: Int) -> UnsafeRawBufferPointer? {
        let first = offset / Block.size
        let last = (offset + count - 1) / Block.size
        if first == last, let written = blocks[UInt32(first)] {
            let start = offset % Block.size
            return UnsafeRawBufferPointer(rebasing: written.contents[start..<(start + count)])
        }
        guard let base, last < baseBlocks, offset + count <= base.size,
            blocks.isEmpty || (first...last).allSatisfy({ blocks[UInt32($0)] == nil })
        else { return nil }
        return base.contiguousBytes(at: offset, count: count)
    }
}
