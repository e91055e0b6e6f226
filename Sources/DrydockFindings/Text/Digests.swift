import Crypto

extension HashFunction {
    /// Returns the digest of some bytes: Prisma and Drizzle record SHA-256, sqlx records SHA-384.
    package static func digest(of bytes: [UInt8]) -> [UInt8] { Array(hash(data: bytes)) }
}

/// Returns the SHA-256 digest of a text, as 64 hexadecimal digits.
package func hexDigest(of text: String) -> String { SHA256.digest(of: Array(text.utf8)).hex }
