extension Image {
    /// Returns bytes of the main database file, without a copy, if they lie together in the snapshot or in
    /// one written block.
    ///
    /// The memory stays valid as long as this image lives. A page that the snapshot lost reads as zeros: call
    /// ``checkIntact()`` after use.
    /// - Returns: nil if the bytes do not lie together; ``read(into:at:)`` copies them.
    package func contiguousBytes(at offset: Int, count: Int) -> UnsafeRawBufferPointer? {
        main.contiguousBytes(at: offset, count: count)
    }

    /// Checks that every byte that was read came from the files on the disk.
    /// - Throws: ``OverlayError/shrank(path:)`` if a page was lost.
    package func checkIntact() throws(OverlayError) {
        for base in bases where base.isBroken { throw .shrank(path: base.path.string) }
    }

    /// Checks that the files on the disk are unchanged since they were mapped.
    /// - Throws: ``OverlayError`` as ``MappedFile/checkUnchanged()`` does.
    package func checkUnchanged() throws(OverlayError) {
        for base in bases { try base.checkUnchanged() }
    }
}

extension FileImage {
    /// Returns the bytes if they lie together: within the base, or within one block.
    func contiguousBytes(at offset: Int, count: Int) -> UnsafeRawBufferPointer? {
        guard offset >= 0, count > 0, offset <= size - count else { return nil }
        let first = offset / Block.size
        let last = (offset + count - 1) / Block.size
        if first == last, let written = blocks[first] {
            let start = offset % Block.size
            return UnsafeRawBufferPointer(rebasing: written.contents[start..<(start + count)])
        }
        guard let base, last < baseBlocks, offset + count <= base.size,
            (first...last).allSatisfy({ blocks[$0] == nil })
        else { return nil }
        return base.contiguousBytes(at: offset, count: count)
    }
}
