/// A generator that gives the same numbers for the same seed on every platform
/// (https://prng.di.unimi.it/splitmix64.c).
struct SeededRandom {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    /// Creates the generator of a name, so that what one table gets does not depend on the others.
    init(seed: UInt64, name: String) { state = seed &+ Self.hash(name) }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    /// Returns a number from zero up to, but not including, a bound.
    mutating func below(_ bound: Int) -> Int { bound < 2 ? 0 : Int(next() % UInt64(bound)) }

    /// Returns a hash that is the same in every process, unlike `Hasher`'s: FNV-1a.
    static func hash(_ text: String) -> UInt64 {
        text.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }
}
