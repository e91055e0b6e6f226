import Crypto
import SQLiteSchema

/// The hash of a snapshot's content, 32 bytes: the SHA-256 of the SHA-256 of its chunks, `-wal` and `-journal`
/// included.
///
/// ``ContentHashing`` makes it.
package struct ContentHash: Hashable, Sendable {
    let bytes: [UInt8]

    init(_ whole: SHA256) { bytes = Array(whole.finalize()) }

    /// Creates a hash from its ``hex``; nil for any other text.
    init?(hex: String) {
        let digits = Array(hex.utf8).map { UInt8(String(UnicodeScalar($0)), radix: 16) }
        guard digits.count == 64, !digits.contains(nil) else { return nil }
        bytes = stride(from: 0, to: 64, by: 2).map { (digits[$0] ?? 0) << 4 | (digits[$0 + 1] ?? 0) }
    }

    package var hex: String { bytes.hex }
}
