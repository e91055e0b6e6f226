import DatabaseEngine
import Foundation
import OverlayVFS

/// The pages in which one state of a database differs from another.
struct PageDelta: Sendable {
    let before: Image
    let after: Image
    let pageSize: Int
    /// Page numbers in ascending order, counted from 1.
    let pages: [UInt32]

    /// - Returns: Nil if pages cannot be compared because their size differs.
    /// - Throws: ``OverlayError``.
    init?(from before: Image, to after: Image) throws {
        let size = before.pageSize
        guard size == after.pageSize, before.byteCount % size == 0, after.byteCount % size == 0 else {
            return nil
        }
        (self.before, self.after, pageSize) = (before, after, size)
        let (old, new) = (before.byteCount / size, after.byteCount / size)
        let pair = UnsafeMutableRawBufferPointer.allocate(byteCount: 2 * size, alignment: 16)
        defer { pair.deallocate() }
        let oldPage = UnsafeMutableRawBufferPointer(rebasing: pair[..<size])
        let newPage = UnsafeMutableRawBufferPointer(rebasing: pair[size...])
        var pages: [UInt32] = []
        for number in after.pages(differingFrom: before) {
            let index = Int(number) - 1
            guard index < max(old, new), index != Self.lockPage(size) else { continue }
            let offset = index * size
            guard index < min(old, new) else {
                pages.append(number)
                continue
            }
            // A page that no migration wrote is at the same address.
            if let one = before.contiguousBytes(at: offset, count: size)?.baseAddress,
                one == after.contiguousBytes(at: offset, count: size)?.baseAddress
            {
                continue
            }
            try before.read(into: oldPage, at: offset)
            try after.read(into: newPage, at: offset)
            if !oldPage.elementsEqual(newPage) { pages.append(number) }
        }
        if pages.first != 1 { pages.insert(1, at: 0) }
        self.pages = pages
        try before.checkIntact()
        try after.checkIntact()
    }

    /// Pages that existed before, whose content a journal keeps.
    var kept: ArraySlice<UInt32> { pages.prefix { Int($0) * pageSize <= before.byteCount } }

    /// Pages that exist afterwards.
    var written: [UInt32] { pages.filter { Int($0) * pageSize <= after.byteCount } }

    /// Writes the new pages into the file of the old database.
    /// - Throws: ``EngineError``, ``OverlayError``; some pages are then written.
    func write(to file: MainFile, _ progress: (_ done: Int) -> Void) throws {
        let page = UnsafeMutableRawBufferPointer.allocate(byteCount: pageSize, alignment: 16)
        defer { page.deallocate() }
        for (index, number) in written.enumerated() {
            let offset = (Int(number) - 1) * pageSize
            try after.read(into: page, at: offset)
            if number == 1 { try stamp(page) }
            try file.write(UnsafeRawBufferPointer(page), at: offset)
            if index % 1024 == 0 { progress(index) }
        }
        try after.checkIntact()
        if after.byteCount < before.byteCount { try file.truncate(to: after.byteCount) }
        try file.sync()
    }

    /// Appends the new pages to the log of the old database. Page 1 is among them, so that the header's size is right.
    /// - Throws: ``EngineError``, ``OverlayError``; SQLITE_INTERRUPT if `progress` returns false.
    func append(to log: inout LogWriter, _ progress: (_ done: Int) -> Bool) throws {
        let page = UnsafeMutableRawBufferPointer.allocate(byteCount: pageSize, alignment: 16)
        defer { page.deallocate() }
        let (written, pageCount) = (written, UInt32(after.byteCount / pageSize))
        for (index, number) in written.enumerated() {
            if index % 1024 == 0, !progress(index) { throw EngineError.interrupted }
            try after.read(into: page, at: (Int(number) - 1) * pageSize)
            if number == 1 { try stamp(page) }
            try log.append(
                number, UnsafeRawBufferPointer(page), pageCount: index == written.count - 1 ? pageCount : 0)
        }
        try after.checkIntact()
    }

    /// Returns whether a state of the database has the pages that were written; the others were not touched.
    /// - Throws: ``OverlayError``.
    func isWritten(in image: Image) throws -> Bool {
        guard image.byteCount == after.byteCount else { return false }
        let pair = UnsafeMutableRawBufferPointer.allocate(byteCount: 2 * pageSize, alignment: 16)
        defer { pair.deallocate() }
        let expected = UnsafeMutableRawBufferPointer(rebasing: pair[..<pageSize])
        let found = UnsafeMutableRawBufferPointer(rebasing: pair[pageSize...])
        for number in written {
            let offset = (Int(number) - 1) * pageSize
            try after.read(into: expected, at: offset)
            if number == 1 { try stamp(expected) }
            try image.read(into: found, at: offset)
            guard expected.elementsEqual(found) else { return false }
        }
        try image.checkIntact()
        return true
    }

    /// Sets what every SQLite transaction writes on the first page: "The file change counter is a 4-byte big-endian
    /// integer at offset 24 that is incremented whenever the database file is unlocked after having been modified", and
    /// at offset 92 the change for which the size in the header is valid
    /// (https://www.sqlite.org/fileformat2.html#file_change_counter).
    func stamp(_ firstPage: UnsafeMutableRawBufferPointer) throws {
        var old: UInt32 = 0
        try withUnsafeMutableBytes(of: &old) { try before.read(into: $0, at: 24) }
        let counter = (UInt32(bigEndian: old) &+ 1).bigEndian
        withUnsafeBytes(of: counter) {
            for offset in [24, 92] {
                UnsafeMutableRawBufferPointer(rebasing: firstPage[offset..<offset + 4]).copyMemory(from: $0)
            }
        }
    }

    /// The index, counted from 0, of "the lock-byte page", which stores nothing.
    private static func lockPage(_ pageSize: Int) -> Int { 0x4000_0000 / pageSize }
}
