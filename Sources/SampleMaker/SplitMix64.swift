/// A generator that gives the same numbers for the same seed, on every platform and in every release
/// (https://prng.di.unimi.it/splitmix64.c). The standard library's has no seed and makes no such promise.
struct SplitMix64: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }

    /// Returns a number from zero up to, but not including, a bound. The standard library's functions that
    /// use a generator are not used: how many numbers they take from it may change.
    mutating func below(_ bound: Int) -> Int {
        Int(next() % UInt64(bound))
    }

    mutating func pick<Element>(_ choices: [Element]) -> Element {
        choices[below(choices.count)]
    }

    /// Returns true with a probability in percent.
    mutating func chance(_ percent: Int) -> Bool {
        below(100) < percent
    }
}
