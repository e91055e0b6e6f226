import Crypto
import OverlayVFS
import SQLiteSchema

/// Some bytes of a snapshot, hashed: two contents with different marks differ. Those with the same mark usually do not,
/// which only their ``ContentHash`` shows.
package struct ContentMark: Sendable {
    let hex: String

    /// In bytes.
    private static let pieceSize = 4096
    /// How many pieces of a file are looked at, the first and the last among them.
    private static let pieces = 64

    /// - Parameter files: as for ``ContentHashing``.
    /// - Throws: ``OverlayError`` when a file cannot be read.
    package init(_ files: [MappedFile]) throws(OverlayError) {
        var hash = SHA256()
        for file in files {
            withUnsafeBytes(of: UInt64(file.size).bigEndian) { hash.update(bufferPointer: $0) }
            let count = min(Self.pieceSize, file.size)
            for number in 0..<Self.pieces {
                let offset = (file.size - count) / (Self.pieces - 1) * number
                try file.withBytes(at: offset, count: count) { hash.update(bufferPointer: $0) }
            }
        }
        hex = Array(hash.finalize()).hex
    }
}
