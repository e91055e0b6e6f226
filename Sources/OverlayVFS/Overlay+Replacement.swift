extension Overlay {
    /// Gives the main database the content of another image, without the `-wal` or `-journal` beside either. Only blocks that
    /// differ are written, so that the next ``freeze()`` has the exact footprint.
    ///
    /// No connection may be open on this overlay: it would not notice.
    /// - Throws: ``OverlayError`` if a file below the image lost pages, or there is no room.
    package func replaceContent(with image: Image) throws(OverlayError) {
        try replaceMain(with: image.main)
        try image.checkIntact()
    }
}

extension OverlayFile {
    /// Writes the blocks of another file that differ from this one's.
    func replace(with image: FileImage) throws(OverlayError) {
        if size > image.size { try truncate(to: image.size) }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 2 * Block.size, alignment: 16)
        defer { buffer.deallocate() }
        for block in 0..<image.blockCount {
            let offset = block * Block.size
            let count = min(Block.size, image.size - offset)
            let new = UnsafeMutableRawBufferPointer(rebasing: buffer[..<count])
            let old = UnsafeMutableRawBufferPointer(rebasing: buffer[Block.size..<(Block.size + count)])
            try image.read(into: new, at: offset)
            let isWhole = try read(into: old, at: offset)
            guard !isWhole || !UnsafeRawBufferPointer(old).isEqual(to: UnsafeRawBufferPointer(new)) else {
                continue
            }
            try write(UnsafeRawBufferPointer(new), at: offset)
        }
    }
}
