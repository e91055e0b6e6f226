/// A digest of what differs between a state and the files below it, by which states with the same bytes are found.
///
/// It is that of one run of the program, and is kept nowhere. Two states that are the same may have two digests, where a
/// file was cut short and grew again.
package struct ImageDigests {
    package struct Digest: Hashable, Sendable {
        fileprivate var values: [UInt64]
    }

    /// Kept with their blocks, so that an address stands for one block only.
    private var blocks: [ObjectIdentifier: (Block, Digest)] = [:]

    package init() {}

    /// - Parameter isWhole: whether the files beside the main database count, and what every commit writes in its header.
    package mutating func digest(_ image: Image, isWhole: Bool = true) -> Digest {
        var sum = Digest(values: [0, 0])
        for (number, suffix) in (isWhole ? Sidecar.content : [""]).enumerated() {
            guard let file = image.files[image.path.appending(suffix)] ?? nil else { continue }
            // A file without bytes, or one that is not there: SQLite makes no difference.
            guard file.size > 0 else { continue }
            sum.add(Self.digest(number, file.size, file.baseBlocks, file.base == nil))
            let below = FileImage(base: file.base, baseBlocks: file.baseBlocks, size: file.size)
            for (index, block) in file.blocks.all where isWhole || index > 0 {
                // A rollback writes the bytes of the file below once more.
                guard !below.shows(block.contents, at: index) else { continue }
                sum.add(Self.digest(number, index, digest(block)))
            }
            if !isWhole { sum.add(Self.digest(number, 0, Self.headerless(file))) }
        }
        return sum
    }

    private mutating func digest(_ block: Block) -> Digest {
        if let (_, known) = blocks[ObjectIdentifier(block)] { return known }
        let digest = Self.digest { $0.combine(bytes: block.contents) }
        blocks[ObjectIdentifier(block)] = (block, digest)
        return digest
    }

    /// Returns the digest of the first block without what every commit writes.
    private static func headerless(_ file: FileImage) -> Digest {
        var bytes = [UInt8](repeating: 0, count: Block.size)
        // One that can no longer be read counts as zeros: the snapshot was cut short, and whoever reads it next says so.
        bytes.withUnsafeMutableBytes { try? file.read(block: 0, from: 0, into: $0) }
        for range in HeaderBytes.ofCommit {
            bytes.replaceSubrange(range, with: repeatElement(0, count: range.count))
        }
        return digest { hasher in bytes.withUnsafeBytes { hasher.combine(bytes: $0) } }
    }

    private static func digest(_ values: any Hashable...) -> Digest {
        digest { hasher in for value in values { value.hash(into: &hasher) } }
    }

    private static func digest(_ feed: (inout Hasher) -> Void) -> Digest {
        Digest(
            values: (0..<2).map { salt in
                var hasher = Hasher()
                hasher.combine(salt)
                feed(&hasher)
                return UInt64(bitPattern: Int64(hasher.finalize()))
            })
    }
}

extension ImageDigests.Digest {
    fileprivate mutating func add(_ other: Self) {
        for index in values.indices { values[index] &+= other.values[index] }
    }
}
