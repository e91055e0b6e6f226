// "When the payload of a b-tree cell is too large for the b-tree page, the surplus is spilled onto overflow
// pages. Overflow pages form a linked list. The first four bytes of each overflow page are a big-endian
// integer which is the page number of the next page in the chain, or zero for the final page in the chain.
// The fifth byte through the last usable byte are used to hold overflow content."
// https://www.sqlite.org/fileformat2.html#ovflpgs

/// The overflow pages of a payload, in order.
///
/// A payload has a known number of pages, and no more than the file has, so even a circular chain ends.
struct OverflowChain {
    private let file: DatabaseFile
    private let window: PageWindow?
    private let cellPage: UInt32
    private var next: UInt32
    private var rest: Int

    /// - Parameter window: reads the pages; what is on one is then valid until the next is read.
    init(_ payload: Payload, in file: DatabaseFile, through window: PageWindow? = nil) throws(FileDamage) {
        (self.file, self.window) = (file, window)
        cellPage = payload.page
        next = payload.overflowPage
        rest = payload.size - payload.localSize
        guard rest <= Int(file.pageCount) * file.layout.overflowSize else {
            throw FileDamage(cellPage, .payloadTooLarge)
        }
    }

    /// Whether nothing follows the last page that was read.
    var hasEnded: Bool { next == 0 }

    /// Returns the next page's number and the part of the payload on it; nil after the last.
    mutating func readPage() throws(FileDamage) -> (number: UInt32, content: UnsafeRawBufferPointer)? {
        guard rest > 0 else { return nil }
        let number = next
        guard number != 0 else { throw FileDamage(cellPage, .overflowEnds) }
        let start = if let window { try window.overflowPage(number) } else { try file.page(number) }
        next = start.uint32(at: 0)
        let count = min(rest, file.layout.overflowSize)
        rest -= count
        return (number, UnsafeRawBufferPointer(start: start + 4, count: count))
    }
}

/// A buffer in which payloads with overflow pages are assembled, one after the other.
public struct PayloadBuffer: ~Copyable {
    fileprivate var memory = UnsafeMutableRawBufferPointer(start: nil, count: 0)

    public init() {}

    deinit { memory.deallocate() }

    fileprivate mutating func reserve(_ count: Int) {
        guard count > memory.count else { return }
        memory.deallocate()
        memory = .allocate(byteCount: max(count, 2 * memory.count), alignment: 16)
    }
}

extension DatabaseFile {
    /// Returns all bytes of a payload: in place, or, with overflow pages, assembled in the buffer, where they
    /// stay until the buffer is used again.
    /// - Throws: ``FileDamage`` if the chain of overflow pages is damaged.
    public func bytes(
        of payload: Payload, in buffer: inout PayloadBuffer
    ) throws(FileDamage) -> UnsafeRawBufferPointer {
        guard payload.overflowPage != 0 || payload.size > payload.localSize else { return payload.local }
        var chain = try OverflowChain(payload, in: self)
        buffer.reserve(payload.size)
        var count = payload.localSize
        UnsafeMutableRawBufferPointer(rebasing: buffer.memory[..<count]).copyMemory(from: payload.local)
        while let (_, content) = try chain.readPage() {
            let end = count + content.count
            UnsafeMutableRawBufferPointer(rebasing: buffer.memory[count..<end]).copyMemory(from: content)
            count = end
        }
        return UnsafeRawBufferPointer(rebasing: buffer.memory[..<count])
    }

    /// Returns whether two payloads have the same bytes, without assembling them.
    ///
    /// The page sizes may differ, as after a VACUUM that changed it: the chains are compared piece by piece.
    /// - Throws: ``FileDamage`` if a chain of overflow pages is damaged.
    public func isEqual(
        _ payload: Payload, to other: Payload, in otherFile: DatabaseFile
    ) throws(FileDamage) -> Bool {
        guard payload.size == other.size else { return false }
        var (left, right) = (payload.local, other.local)
        var leftChain = try OverflowChain(payload, in: self)
        var rightChain = try OverflowChain(other, in: otherFile)
        while true {
            if left.isEmpty {
                guard let page = try leftChain.readPage() else { return true }
                left = page.content
            }
            if right.isEmpty {
                guard let page = try rightChain.readPage() else { return true }
                right = page.content
            }
            let count = min(left.count, right.count)
            guard let start = left.baseAddress, let otherStart = right.baseAddress,
                start.isEqual(to: otherStart, count: count)
            else { return false }
            left = UnsafeRawBufferPointer(rebasing: left.dropFirst(count))
            right = UnsafeRawBufferPointer(rebasing: right.dropFirst(count))
        }
    }
}
