import Crypto
import DrydockFindings

/// The secret from which masks are computed: the same key gives the same masks.
///
///     let key = try MaskKey(text: secret, from: "DRYDOCK_MASK_KEY")
public struct MaskKey: Sendable {
    let secret: SymmetricKey
    /// Whether it was made for one run, so that no other run gives the same masks.
    public let isRandom: Bool

    /// Makes a random key.
    public init() { (secret, isRandom) = (SymmetricKey(size: .bits256), true) }

    /// The fewest bytes of a key.
    public static let minimum = 16

    /// - Parameters:
    ///   - text: At least 16 bytes. Line ends around it do not count.
    ///   - origin: Where it comes from, for the message.
    /// - Throws: ``RequestError`` if it is too short to be secret.
    public init(text: some Collection<UInt8>, from origin: String) throws {
        let isBlank: (UInt8) -> Bool = { $0 == 10 || $0 == 13 }
        let bytes = Array(Array(text.drop(while: isBlank)).reversed().drop(while: isBlank).reversed())
        guard bytes.count >= Self.minimum else {
            throw RequestError(
                .settingInvalid,
                "the mask key in \(origin) has \(counted(bytes.count, "byte")); a key that nobody can guess has at least "
                    + "\(Self.minimum). Make one with: openssl rand -hex 32")
        }
        (secret, isRandom) = (SymmetricKey(data: bytes), false)
    }
}
