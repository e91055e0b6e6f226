import DrydockFiles
import DrydockFindings
import DrydockMaintenance
import Foundation
import OverlayVFS

extension TemporaryCopy {
    private static let chunk = 1 << 20
    /// The size of the blocks that a file system can leave out.
    private static let block = 4096

    /// Writes every byte of a database to the empty file, syncs it, and reads it back. Blocks of zeros take no space.
    /// - Throws: ``RequestError``, ``OverlayError``.
    func fill(with image: Image) throws {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.chunk, alignment: 4096)
        let again = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.chunk, alignment: 4096)
        defer {
            buffer.deallocate()
            again.deallocate()
        }
        for offset in stride(from: 0, to: image.byteCount, by: Self.chunk) {
            let part = UnsafeMutableRawBufferPointer(
                rebasing: buffer[..<min(Self.chunk, image.byteCount - offset)])
            try image.read(into: part, at: offset)
            var start = 0
            while start < part.count {
                let end = Self.endOfRun(part, from: start)
                let run = UnsafeMutableRawBufferPointer(rebasing: part[start..<end])
                if !Self.isZero(part, at: start) {
                    try transfer(run.count, "written") { done in
                        pwrite(
                            descriptor, run.baseAddress?.advanced(by: done), run.count - done,
                            off_t(offset + start + done))
                    }
                }
                start = end
            }
        }
        try resize(to: image.byteCount)
        guard fsync(descriptor) == 0 else { throw failure("written", errno) }
        #if canImport(Glibc)
        // Drops the file from the cache, so that it is read back from the disk.
        posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED)
        #endif
        for offset in stride(from: 0, to: image.byteCount, by: Self.chunk) {
            let count = min(Self.chunk, image.byteCount - offset)
            let part = UnsafeMutableRawBufferPointer(rebasing: buffer[..<count])
            try image.read(into: part, at: offset)
            try transfer(count, "read again") { done in
                pread(descriptor, again.baseAddress?.advanced(by: done), count - done, off_t(offset + done))
            }
            guard areEqual(part, again, count) else { throw unequal }
        }
        try image.checkIntact()
    }

    /// Makes the file that of a later state over it, syncs it, and reads back what was written. Earlier states over the
    /// file are then no longer valid.
    /// - Parameter written: The state that the file got last; nil if it is as it was filled.
    /// - Throws: ``RequestError``, ``OverlayError``.
    func update(with image: Image, since written: Image?) throws {
        // Where the database was cut short and grew again, the file has bytes that are no longer part of it.
        let isKept = written?.keptByteCount == image.keptByteCount
        let known = isKept ? written : nil
        if !isKept { try resize(to: image.keptByteCount) }
        try resize(to: image.byteCount)
        try image.forEachWrittenBlock(since: known) { bytes, offset in
            try transfer(bytes.count, "written") { done in
                pwrite(
                    descriptor, bytes.baseAddress?.advanced(by: done), bytes.count - done,
                    off_t(offset + done))
            }
        }
        guard fsync(descriptor) == 0 else { throw failure("written", errno) }
        let again = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.block, alignment: 4096)
        defer { again.deallocate() }
        try image.forEachWrittenBlock(since: known) { bytes, offset in
            try transfer(bytes.count, "read again") { done in
                pread(
                    descriptor, again.baseAddress?.advanced(by: done), bytes.count - done,
                    off_t(offset + done))
            }
            guard bytes.elementsEqual(again[..<bytes.count]) else { throw unequal }
        }
        try image.checkIntact()
    }

    private func resize(to byteCount: Int) throws {
        guard ftruncate(descriptor, off_t(byteCount)) == 0 else { throw failure("written", errno) }
    }

    private var unequal: RequestError {
        RequestError(.refused, "\(path) does not contain what was written to it: the disk is failing")
    }

    /// Returns the end of a run of blocks that are all zero, or all not zero.
    private static func endOfRun(_ bytes: UnsafeMutableRawBufferPointer, from start: Int) -> Int {
        let wasZero = isZero(bytes, at: start)
        var end = start + block
        while end < bytes.count, isZero(bytes, at: end) == wasZero { end += block }
        return min(end, bytes.count)
    }

    private static func isZero(_ bytes: UnsafeMutableRawBufferPointer, at offset: Int) -> Bool {
        UnsafeRawBufferPointer(rebasing: bytes[offset..<min(offset + block, bytes.count)]).isZero
    }

    private func transfer(_ count: Int, _ action: String, _ next: (Int) -> Int) throws {
        var done = 0
        while done < count {
            let step = next(done)
            if step < 0, errno == EINTR { continue }
            guard step > 0 else { throw failure(action, step < 0 ? errno : EIO) }
            done += step
        }
    }

    private func failure(_ action: String, _ code: Int32) -> RequestError {
        let reason = FolderListing.describe(code)
        return RequestError(
            .writing(code), "the copy of the database, \(path), cannot be \(action): \(reason)")
    }

    /// Gives the file its final name, unless that exists, and syncs the folder.
    /// - Throws: ``RequestError`` if the name exists or cannot be given.
    func keepDurably(as name: String) throws {
        try keep(as: name)
        let folder = open(PathParts.folder(of: name), O_RDONLY | O_CLOEXEC)
        guard folder >= 0 else { return }
        _ = fsync(folder)
        close(folder)
    }
}

extension Image {
    /// Returns whether two states have the same bytes.
    /// - Parameter isInstalled: Whether to ignore what SQLite itself writes when it replaces one state with another:
    ///   the change counter, the schema cookie and its version
    ///   (https://www.sqlite.org/fileformat2.html#the_database_header).
    func hasBytes(of other: Image, isInstalled: Bool = false) throws -> Bool {
        guard byteCount == other.byteCount, pageSize == other.pageSize else { return false }
        let ownBytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 4096)
        let otherBytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 4096)
        defer {
            ownBytes.deallocate()
            otherBytes.deallocate()
        }
        for offset in stride(from: 0, to: byteCount, by: ownBytes.count) {
            let count = min(ownBytes.count, byteCount - offset)
            let (a, b) = (ownBytes, otherBytes)
            try read(into: UnsafeMutableRawBufferPointer(rebasing: a[..<count]), at: offset)
            try other.read(into: UnsafeMutableRawBufferPointer(rebasing: b[..<count]), at: offset)
            if isInstalled { for buffer in [a, b] { Self.blank(buffer, count, at: offset, pageSize) } }
            guard areEqual(a, b, count) else { return false }
        }
        try checkIntact()
        try other.checkIntact()
        return true
    }

    private static func blank(
        _ buffer: UnsafeMutableRawBufferPointer, _ count: Int, at offset: Int, _ pageSize: Int
    ) {
        func blank(_ range: Range<Int>) {
            let part = range.clamped(to: offset..<offset + count)
            for index in part { buffer[index - offset] = 0 }
        }
        for range in HeaderBytes.ofCommit + [HeaderBytes.ofSchemaCookie] { blank(range) }
        // "The Lock-Byte Page", which stores nothing.
        let locked = 0x4000_0000 / pageSize * pageSize
        blank(locked..<locked + pageSize)
    }
}

private func areEqual(
    _ one: UnsafeMutableRawBufferPointer, _ other: UnsafeMutableRawBufferPointer, _ count: Int
) -> Bool {
    guard let one = one.baseAddress, let other = other.baseAddress else { return count == 0 }
    return memcmp(one, other, count) == 0
}
