import SQLiteSchema
import DrydockFindings
import Crypto
import Dispatch
import OverlayVFS
import Synchronization

/// The hash of a snapshot's content, 32 bytes: the SHA-256 of the SHA-256 of its chunks, `-wal` and `-journal`
/// included.
///
/// Chunks are hashed in parallel, so memory and cores set the time that a large file takes.
package struct ContentHash: Hashable, Sendable {
    let bytes: [UInt8]

    /// In bytes.
    static let chunkSize = 4 << 20

    /// - Throws: ``OverlayError`` when a file cannot be read.
    init(of files: [MappedFile]) throws {
        var whole = SHA256()
        for file in files {
            let count = (file.size + Self.chunkSize - 1) / Self.chunkSize
            whole.update(data: Self.data(UInt64(file.size)))
            let digests = Mutex<[Int: Result<[UInt8], OverlayError>]>([:])
            DispatchQueue.concurrentPerform(iterations: count) { index in
                let offset = index * Self.chunkSize
                let digest = Result<[UInt8], OverlayError> { () throws(OverlayError) in
                    try file.withBytes(at: offset, count: min(Self.chunkSize, file.size - offset)) { bytes in
                        var hash = SHA256()
                        hash.update(bufferPointer: bytes)
                        return Array(hash.finalize())
                    }
                }
                digests.withLock { $0[index] = digest }
            }
            let all = digests.withLock { $0 }
            for index in 0..<count {
                if let digest = try all[index]?.get() { whole.update(data: digest) }
            }
        }
        bytes = Array(whole.finalize())
    }

    /// Creates a hash from its ``hex``; nil for any other text.
    init?(hex: String) {
        let digits = Array(hex.utf8).map { UInt8(String(UnicodeScalar($0)), radix: 16) }
        guard digits.count == 64, !digits.contains(nil) else { return nil }
        bytes = stride(from: 0, to: 64, by: 2).map { (digits[$0] ?? 0) << 4 | (digits[$0 + 1] ?? 0) }
    }

    package var hex: String { bytes.hex }

    private static func data(_ number: UInt64) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }
}
