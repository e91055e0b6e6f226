import Foundation
import TestTools
import Testing

@testable import DrydockTestSupport

/// Whatever a database, a migration, drydock.yml or a lock contains, each command ends by itself, in time, with an
/// allowed status, and leaves nothing behind.
@Suite struct HostileTests {
    @Test func `no input traps, hangs or leaves a file`() async throws {
        let all = seeds(60, of: 300, soak: 10_000)
        let faults = await withTaskGroup(of: [String].self) { group in
            for part in 0..<2 {
                group.addTask {
                    var faults: [String] = []
                    for seed in all where seed % 2 == part && faults.count < 20 {
                        do {
                            if let fault = try await HostileCase(seed: UInt64(seed)).fault() {
                                faults.append(fault)
                            }
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
