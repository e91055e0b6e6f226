import Foundation

/// Returns the seeds for a property: a few in every run, many with `DRYDOCK_SOAK=1`.
func seeds(_ count: Int, soak: Int) -> ClosedRange<UInt64> { 1...UInt64(isSoak ? soak : count) }

let isSoak = ProcessInfo.processInfo.environment["DRYDOCK_SOAK"] == "1"

/// SplitMix64: small, and the same on every machine.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &self) < percent }

    mutating func pick<T>(_ values: [T]) -> T { values.randomElement(using: &self)! }
}
