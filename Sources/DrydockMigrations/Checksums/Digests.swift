import Crypto

extension HashFunction {
    /// Returns the digest of some bytes: Prisma and Drizzle record SHA-256, sqlx records SHA-384.
    package static func digest(of bytes: [UInt8]) -> [UInt8] { Array(hash(data: bytes)) }
}
