#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// How an image comes to another process and back: as a file with the blocks that differ from what the other side has.
///
/// The file has the size of the database and the number of leading blocks that are kept, in eight bytes each, and then the
/// number of each differing block, in four bytes, with its content; all little-endian.
extension Image {
    /// The name of the main database.
    package var name: String { path.string }

    /// The file on the disk that the main database is based on, if another process can map it as well.
    package var basePath: String? {
        main.base.flatMap { $0.isPrivate ? nil : $0.path.string }
    }

    private static let headerCount = 16
    private static let recordCount = 4 + Block.size

    /// Writes what differs from an earlier state; with nil, from the file at ``basePath``. The new file can be read by
    /// nobody else.
    /// - Throws: ``OverlayError`` if the snapshot lost pages, or the file cannot be written.
    package func write(to file: String, since earlier: Image?) throws(OverlayError) {
        let known =
            earlier?.main ?? (basePath == nil ? FileImage.empty : main.base.map { FileImage($0) } ?? .empty)
        let descriptor = open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw .spillFailed(directory: file, errno: errno) }
        defer { close(descriptor) }
        let kept = min(known.blockCount, main.blockCount)
        var bytes = Self.bytes(UInt64(main.size)) + Self.bytes(UInt64(kept))
        for block in differingBlocks(from: known) {
            bytes += Self.bytes(UInt32(block))
            let start = bytes.count
            bytes.append(contentsOf: repeatElement(0, count: Block.size))
            try Self.read(block, of: main, into: &bytes, at: start)
            if bytes.count > 1 << 20 { try Self.write(&bytes, to: descriptor, file) }
        }
        try Self.write(&bytes, to: descriptor, file)
        try checkIntact()
    }

    /// Returns the blocks in which the main database may differ from another state of it; ascending.
    func differingBlocks(from known: FileImage) -> [Int] {
        var blocks: Set<Int> = []
        for (number, block) in main.blocks.all where known.blocks[number] !== block { blocks.insert(number) }
        for (number, _) in known.blocks.all where main.blocks[number] == nil { blocks.insert(number) }
        let isShared = known.base === main.base
        let first = isShared ? min(known.baseBlocks, main.baseBlocks) : 0
        blocks.formUnion(first..<max(first, known.baseBlocks, main.baseBlocks))
        return blocks.filter { $0 < main.blockCount }.sorted()
    }

    /// Reads a state that another process wrote.
    /// - Parameter earlier: the state from which it differs.
    /// - Throws: ``OverlayError`` if the file cannot be read, or is not whole.
    package init(transferred file: String, since earlier: Image) throws(OverlayError) {
        let mapped = try MappedFile(FilePath(file))
        let content = try Self.contents(mapped)
        let (size, kept) = (Int(exactly: Self.number(content, 0)), Int(exactly: Self.number(content, 8)))
        guard let size, let kept, kept <= Block.count(of: size), size >> 44 == 0,
            (content.count - Self.headerCount) % Self.recordCount == 0
        else { throw .unreadable(path: file, errno: EINVAL) }
        var image = FileImage(
            base: earlier.main.base, baseBlocks: min(earlier.main.baseBlocks, kept), size: size)
        image.blocks = earlier.main.blocks
        image.blocks.removeAll(from: kept)
        let store = BlockStore(
            memoryLimit: Overlay.defaultMemoryLimit,
            allowance: Overlay.allowance(over: [earlier.path: earlier.main], isFork: true))
        for start in stride(from: Self.headerCount, to: content.count, by: Self.recordCount) {
            let number = (0..<4).reduce(UInt32(0)) { $0 | UInt32(content[start + $1]) << (8 * $1) }
            guard number < image.blockCount else { throw .unreadable(path: file, errno: EINVAL) }
            let block = try store.makeBlock()
            let count = min(Block.size, size - Int(number) * Block.size)
            block.write { target in
                target.copyMemory(
                    from: UnsafeRawBufferPointer(rebasing: content[(start + 4)...].prefix(count)))
                target.dropFirst(count).zero()
            }
            image.blocks[Int(number)] = block
        }
        if mapped.isBroken { throw .shrank(path: file) }
        self.init(main: image, path: earlier.path, bases: earlier.bases)
    }

    /// Makes the state of a file on the disk, without what is beside it.
    /// - Parameter base: nil for an empty database.
    package init(base: String?, named name: String) throws(OverlayError) {
        guard let base else {
            self.init(main: .empty, path: FilePath(name), bases: [])
            return
        }
        let mapped = try MappedFile(FilePath(base))
        self.init(main: FileImage(mapped), path: FilePath(name), bases: [mapped])
    }

    init(main: FileImage, path: FilePath, bases: [MappedFile]) {
        var files: [FilePath: FileImage?] = [:]
        for suffix in Sidecar.content {
            files.updateValue(suffix.isEmpty ? main : nil, forKey: path.appending(suffix))
        }
        self.init(path: path, files: files, bases: bases)
    }

    // MARK: - Bytes

    private static func bytes(_ number: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: number.littleEndian) { Array($0) }
    }

    private static func number(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt64 {
        (0..<8).reduce(0) { $0 | UInt64(bytes[offset + $1]) << (8 * $1) }
    }

    private static func contents(_ file: MappedFile) throws(OverlayError) -> UnsafeRawBufferPointer {
        guard file.size >= headerCount, let bytes = file.contiguousBytes(at: 0, count: file.size) else {
            throw .unreadable(path: file.path.string, errno: EINVAL)
        }
        return bytes
    }

    private static func read(
        _ block: Int, of image: FileImage, into bytes: inout [UInt8], at start: Int
    ) throws(OverlayError) {
        let result = bytes.withUnsafeMutableBytes { buffer in
            let target = UnsafeMutableRawBufferPointer(rebasing: buffer[start...].prefix(Block.size))
            return Result { () throws(OverlayError) in try image.read(block: block, from: 0, into: target) }
        }
        try result.get()
    }

    private static func write(
        _ bytes: inout [UInt8], to descriptor: Int32, _ file: String
    ) throws(OverlayError) {
        var done = 0
        while done < bytes.count {
            let count = bytes.withUnsafeBytes {
                writeBytes(descriptor, $0.baseAddress?.advanced(by: done), $0.count - done)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw .spillFailed(directory: file, errno: errno) }
            done += count
        }
        bytes.removeAll(keepingCapacity: true)
    }
}

/// `write(2)`, whose name the method above has.
private func writeBytes(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}
