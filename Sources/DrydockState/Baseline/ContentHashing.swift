import Crypto
import Dispatch
import OverlayVFS
import SQLiteSchema
import Synchronization

/// A ``ContentHash`` in the making: the chunks of a snapshot's files can be hashed in any order and on any thread, while
/// they are read for another reason.
package final class ContentHashing: Sendable {
    /// In bytes.
    static let chunkSize = 4 << 20

    private struct Chunk {
        var file: Int
        var offset: Int
        var count: Int
    }

    private let files: [MappedFile]
    private let chunks: [Chunk]
    private let digests: Mutex<[[UInt8]?]>

    /// - Parameter files: the database, then what is not empty of its `-wal` and `-journal`.
    package init(_ files: [MappedFile]) {
        self.files = files
        chunks = files.indices.flatMap { number in
            let size = files[number].size
            return stride(from: 0, to: size, by: Self.chunkSize).map {
                Chunk(file: number, offset: $0, count: min(Self.chunkSize, size - $0))
            }
        }
        digests = Mutex(Array(repeating: nil, count: chunks.count))
    }

    /// Those of the database come first, in its order.
    var chunkCount: Int { chunks.count }

    /// - Throws: ``OverlayError`` when the file cannot be read.
    func hash(chunk number: Int) throws(OverlayError) {
        let chunk = chunks[number]
        let digest = try files[chunk.file].withBytes(at: chunk.offset, count: chunk.count) { bytes in
            var hash = SHA256()
            hash.update(bufferPointer: bytes)
            return Array(hash.finalize())
        }
        digests.withLock { $0[number] = digest }
    }

    /// Returns the hash, for which the chunks that are missing are hashed on all cores.
    /// - Throws: ``OverlayError`` when a file cannot be read.
    package func finish() throws(OverlayError) -> ContentHash {
        let missing = digests.withLock { digests in digests.indices.filter { digests[$0] == nil } }
        let failure = Mutex<OverlayError?>(nil)
        DispatchQueue.concurrentPerform(iterations: missing.count) { index in
            do throws(OverlayError) {
                try hash(chunk: missing[index])
            } catch {
                failure.withLock { $0 = error }
            }
        }
        if let error = failure.withLock({ $0 }) { throw error }
        return digests.withLock { digests in
            var whole = SHA256()
            var next = 0
            for (number, file) in files.enumerated() {
                whole.update(data: Self.data(UInt64(file.size)))
                while next < chunks.count, chunks[next].file == number {
                    if let digest = digests[next] { whole.update(data: digest) }
                    next += 1
                }
            }
            return ContentHash(whole)
        }
    }

    private static func data(_ number: UInt64) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }
}
