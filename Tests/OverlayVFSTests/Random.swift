import Foundation

/// SplitMix64: the same seed gives the same run everywhere.
struct Random: RandomNumberGenerator {
    private var state: UInt64

    init(seed: Int) { state = UInt64(truncatingIfNeeded: seed) }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    mutating func int(_ range: ClosedRange<Int>) -> Int { .random(in: range, using: &self) }

    mutating func chance(_ percent: Int) -> Bool { int(1...100) <= percent }

    mutating func pick<T>(_ items: [T]) -> T { items[int(0...(items.count - 1))] }
}

/// Returns the seeds of a property test: a few by default, many with DRYDOCK_SOAK set, one with DRYDOCK_SEED.
func seeds(_ usual: Int, soak: Int) -> [Int] {
    let environment = ProcessInfo.processInfo.environment
    if let seed = environment["DRYDOCK_SEED"].flatMap(Int.init) { return [seed] }
    return Array(1...(environment["DRYDOCK_SOAK"] == nil ? usual : soak))
}
