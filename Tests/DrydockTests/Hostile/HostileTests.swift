import Foundation
import Testing

/// Whatever a database, a migration, drydock.yml or a lock contains, each command ends by itself, in time, with an
/// allowed status, and leaves nothing behind.
@Suite struct HostileTests {
    /// One seed, or a few as in `DRYDOCK_SEED=7-9`, instead of all.
    static let seeds: [UInt64] = OracleTests.asked ?? Array(1...UInt64(Soak.rounds(300, 10_000)))

    @Test func `no input traps, hangs or leaves a file`() async throws {
        let faults = await withTaskGroup(of: [String].self) { group in
            for part in 0..<2 {
                group.addTask {
                    var faults: [String] = []
                    for seed in Self.seeds where seed % 2 == UInt64(part) && faults.count < 20 {
                        do {
                            if let fault = try await HostileCase(seed: seed).fault() { faults.append(fault) }
                        } catch {
                            faults.append("seed \(seed): \(error)")
                        }
                    }
                    return faults
                }
            }
            return await group.reduce(into: []) { $0 += $1 }
        }
        #expect(faults.isEmpty, "\(faults.joined(separator: "\n"))")
    }
}
