/// The part of a write-ahead log's index that leads from a page to its frames: for each 4096 frames their page numbers,
/// in the order of the frames, and a hash table of them (https://www.sqlite.org/walformat.html#wal_index_format).
///
/// Each part has 32768 bytes: 4096 page numbers of four bytes, and 8192 slots of two. The first part begins with the 136
/// bytes of the index's header, and so has 34 page numbers fewer. The slot of page P is P * 383 modulo 8192 or, if it is
/// taken, the next that is free; it has the position of the page among the part's, counted from 1.
struct LogPageTable {
    static let partSize = 32768
    private static let slots = 8192
    private static let pages = 4096
    private static let headerPages = 34

    /// Returns the part of a frame, and the frame's position in it; both count from 0, frames from 1.
    static func place(of frame: UInt32) -> (part: Int, position: Int) {
        let index = Int(frame) - 1 + headerPages
        let part = index / pages
        return (part, part == 0 ? Int(frame) - 1 : index % pages)
    }

    private let numbers: UnsafeMutableRawPointer
    private let hashes: UnsafeMutableRawPointer

    /// - Parameter start: The beginning of the part.
    init(_ start: UnsafeMutableRawPointer, part: Int) {
        numbers = start + (part == 0 ? Self.headerPages * 4 : 0)
        hashes = start + Self.pages * 4
    }

    /// Adds a page at a position. The index's header does not count it yet, so that no reader looks at it.
    /// - Returns: Whether there was a free slot: otherwise the index is damaged.
    func add(_ page: UInt32, at position: Int) -> Bool {
        if position == 0 {
            // What the part had was of frames that the log does not have any more.
            let count = hashes - numbers + Self.slots * 2
            numbers.initializeMemory(as: UInt8.self, repeating: 0, count: count)
        } else if numbers.load(fromByteOffset: position * 4, as: UInt32.self) != 0 {
            // A program ended before it committed what it had appended.
            removeAll(from: position)
        }
        var slot = Int(page &* 383) % Self.slots
        for _ in 0...position {
            guard hashes.load(fromByteOffset: slot * 2, as: UInt16.self) != 0 else {
                numbers.storeBytes(of: page, toByteOffset: position * 4, as: UInt32.self)
                hashes.storeBytes(of: UInt16(position + 1), toByteOffset: slot * 2, as: UInt16.self)
                return true
            }
            slot = (slot + 1) % Self.slots
        }
        return false
    }

    private func removeAll(from position: Int) {
        for slot in 0..<Self.slots
        where Int(hashes.load(fromByteOffset: slot * 2, as: UInt16.self)) > position {
            hashes.storeBytes(of: 0, toByteOffset: slot * 2, as: UInt16.self)
        }
        let first = numbers + position * 4
        first.initializeMemory(as: UInt8.self, repeating: 0, count: hashes - first)
    }
}
