import OverlayVFS
import SQLiteFile
import Synchronization

/// The pages of a frozen state, read in place.
package final class ImagePages: PageSource {
    package let pageSize: Int
    package let pageCount: UInt32
    private let image: Image
    /// Pages assembled from pieces, and pages that were never written. Nothing is ever removed, so that returned
    /// pointers stay valid.
    private let copies = Mutex<[UInt32: Copy]>([:])

    package init(_ image: Image) {
        self.image = image
        pageSize = image.pageSize
        pageCount = UInt32(clamping: image.byteCount / image.pageSize)
    }

    deinit {
        copies.withLock { copies in
            for copy in copies.values { copy.memory.deallocate() }
        }
    }

    package func page(_ number: UInt32) throws(FileDamage) -> UnsafeRawBufferPointer {
        guard let bytes = find(number) else { throw FileDamage(number, .pageUnreadable) }
        return bytes
    }

    package func identity(ofPage number: UInt32) -> UInt? {
        find(number).map { UInt(bitPattern: $0.baseAddress) }
    }

    /// Checks that the snapshot lost no page while it was read.
    /// - Throws: ``OverlayError``.
    package func checkIntact() throws(OverlayError) { try image.checkIntact() }

    private func find(_ number: UInt32) -> UnsafeRawBufferPointer? {
        guard number >= 1, number <= pageCount else { return nil }
        let offset = (Int(number) - 1) * pageSize
        if let bytes = image.contiguousBytes(at: offset, count: pageSize) { return bytes }
        return copies.withLock { copies in
            if let known = copies[number] { return UnsafeRawBufferPointer(known.memory) }
            let copy = Copy(memory: .allocate(byteCount: pageSize, alignment: 16))
            guard (try? image.read(into: copy.memory, at: offset)) != nil else {
                copy.memory.deallocate()
                return nil
            }
            copies[number] = copy
            return UnsafeRawBufferPointer(copy.memory)
        }
    }

    /// A copy of a page, written once before it is shared.
    private struct Copy: @unchecked Sendable {
        let memory: UnsafeMutableRawBufferPointer
    }
}
