extension Overlay {
    /// Puts the main database of another state under the open connections of this overlay. To them it is as if another
    /// program had written every page between two of their transactions.
    ///
    /// SQLite drops the pages that it has read when the header's change counter has changed
    /// (https://www.sqlite.org/fileformat2.html#file_change_counter), so the overlay shows one that its connections have not
    /// seen last. What they know of the schema stays as long as the schema cookie does: both databases must have the same
    /// cookie, the same schema on the same root pages, and the same page size, encoding and vacuum mode.
    ///
    ///     try overlay.rebase(on: next)
    ///
    /// No transaction may be open, and neither database may have a log or a journal that holds rows of it.
    /// - Parameters:
    ///   - image: nil for an empty database, so that nothing of the last one is kept.
    ///   - mounts: the databases that are mounted, each with what it becomes.
    /// - Throws: ``OverlayError`` if a first page cannot be read.
    package func rebase(
        on image: Image?, _ mounts: [(mount: Mount, image: Image?)] = []
    ) throws(OverlayError) {
        var (files, bases): ([FilePath: FileImage], [MappedFile]) = ([:], [])
        for (path, image) in [(path, image)] + mounts.map({ ($0.mount.path, $0.image) }) {
            let seen = lastCounters.withLock { last in
                let seen = fileSystem.space.changeCounter(of: path) ?? last[path] ?? 0
                last[path] = seen
                return seen
            }
            files[path] =
                try image?.main.showing(changeCounter: seen &+ 1, in: fileSystem.space.store) ?? .empty
            for base in image?.bases ?? [] where !bases.contains(where: { $0 === base }) {
                bases.append(base)
            }
        }
        fileSystem.space.rebase(files, bases: bases, allowance: Self.allowance(over: files, isFork: isFork))
    }

    /// How many bytes of memory and of temporary files are held for what was written, also where it is no longer needed.
    package var heldBytes: Int { fileSystem.space.store.heldBytes }
}

extension FileImage {
    /// Returns the file with another change counter. The page count in its header stays as valid as it was.
    fileprivate func showing(changeCounter: UInt32, in store: BlockStore) throws(OverlayError) -> FileImage {
        guard size >= HeaderBytes.count else { return self }
        let block = try store.makeBlock()
        try block.write { bytes throws(OverlayError) in
            try read(block: 0, from: 0, into: bytes)
            let isCountValid = bytes[HeaderBytes.changeCounter].elementsEqual(bytes[HeaderBytes.validCounter])
            let counter = changeCounter.bigEndian
            bytes.storeBytes(of: counter, toByteOffset: HeaderBytes.changeCounter.lowerBound, as: UInt32.self)
            bytes.storeBytes(
                of: isCountValid ? counter : ~counter, toByteOffset: HeaderBytes.validCounter.lowerBound,
                as: UInt32.self)
        }
        var result = self
        result.blocks[0] = block
        return result
    }
}

extension FileSpace {
    /// - Returns: nil if the file is empty.
    fileprivate func changeCounter(of path: FilePath) -> UInt32? {
        guard let file = try? file(path), file.size >= HeaderBytes.count else { return nil }
        var counter: UInt32 = 0
        let isRead = withUnsafeMutableBytes(of: &counter) { bytes in
            (try? file.read(into: bytes, at: HeaderBytes.changeCounter.lowerBound)) != nil
        }
        return isRead ? UInt32(bigEndian: counter) : nil
    }
}
