/// SipHash 1-3 with a key of zeros (https://www.aumasson.jp/siphash/siphash.pdf). Refinery records it, because Rust's
/// `DefaultHasher` computed it when refinery began.
struct SipHash13 {
    private var v0: UInt64 = 0x736f_6d65_7073_6575
    private var v1: UInt64 = 0x646f_7261_6e64_6f6d
    private var v2: UInt64 = 0x6c79_6765_6e65_7261
    private var v3: UInt64 = 0x7465_6462_7974_6573

    /// Returns the hash of some bytes.
    static func hash(_ bytes: [UInt8]) -> UInt64 {
        var state = SipHash13()
        var word: UInt64 = 0
        for (index, byte) in bytes.enumerated() {
            word |= UInt64(byte) << (UInt64(index & 7) * 8)
            guard index & 7 == 7 else { continue }
            state.compress(word)
            word = 0
        }
        state.compress(word | UInt64(truncatingIfNeeded: bytes.count) << 56)
        state.v2 ^= 0xff
        for _ in 0..<3 { state.round() }
        return state.v0 ^ state.v1 ^ state.v2 ^ state.v3
    }

    private mutating func compress(_ word: UInt64) {
        v3 ^= word
        round()
        v0 ^= word
    }

    private mutating func round() {
        v0 &+= v1
        v2 &+= v3
        v1 = v1 << 13 | v1 >> 51
        v3 = v3 << 16 | v3 >> 48
        v1 ^= v0
        v3 ^= v2
        v0 = v0 << 32 | v0 >> 32
        v2 &+= v1
        v0 &+= v3
        v1 = v1 << 17 | v1 >> 47
        v3 = v3 << 21 | v3 >> 43
        v1 ^= v2
        v3 ^= v0
        v2 = v2 << 32 | v2 >> 32
    }
}
