import Crypto

extension HashFunction {
    /// The digest of some bytes: SHA-256 as Prisma and Drizzle keep it, SHA-384 as sqlx does.
    package static func digest(of bytes: [UInt8]) -> [UInt8] { Array(hash(data: bytes)) }
}
