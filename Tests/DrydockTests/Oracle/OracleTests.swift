import Drydock
import Foundation
import Testing

/// The verdict on random migrations is that of brute force: a loss is an error that names the table, and without a loss
/// there is no error.
@Suite struct OracleTests {
    /// The seeds in `DRYDOCK_SEED`: one, or a few as in `7-9,12`.
    static let asked: [UInt64]? = {
        let seeds = (ProcessInfo.processInfo.environment["DRYDOCK_SEED"] ?? "").split(separator: ",")
            .flatMap { range -> [UInt64] in
                let ends = range.split(separator: "-").compactMap { UInt64($0) }
                guard let first = ends.first, let last = ends.last else { return [] }
                return Array(first...max(first, last))
            }
        return seeds.isEmpty ? nil : seeds
    }()

    /// The known false alarms in the first thousand seeds.
    private static let alarmsInThousand = 1

    static let seeds = asked ?? Array(1...UInt64(Soak.rounds(1_000, 10_000)))

    @Test func `a loss is an error, and nothing else is`() async throws {
        let tally = Tally()
        await withTaskGroup(of: Void.self) { group in
            for part in 0..<2 {
                group.addTask {
                    for seed in Self.seeds where seed % 2 == UInt64(part) {
                        do {
                            let faults = try await OracleCheck(seed: seed).faults()
                            await tally.add(faults, seed)
                            guard let fault = faults.first, await tally.isWorthShowing(fault) else {
                                continue
                            }
                            await tally.show(await Shrinker(seed: seed, fault: fault).smallest())
                        } catch {
                            Issue.record("seed \(seed): \(error)")
                        }
                    }
                }
            }
        }
        let (misses, alarms, texts) = await (tally.misses, tally.alarms, tally.texts)
        print("\(Self.seeds.count) seeds: \(misses) misses, \(alarms) false alarms; \(await tally.summary)")
        for line in await tally.seedLines { print(line) }
        for text in texts { print(text) }
        #expect(misses == 0)
        #expect(alarms * 1000 <= Self.seeds.count * Self.alarmsInThousand)
    }

    private actor Tally {
        var misses = 0
        var alarms = 0
        var texts: [String] = []
        private var seeds: [String: [UInt64]] = [:]
        private var counts: [String: Int] = [:]

        var summary: String { "\(counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" })" }

        /// Whether a fault is printed: a few of each kind are enough, unless their seeds were requested.
        func isWorthShowing(_ fault: OracleCheck.Fault) -> Bool {
            counts["\(fault.kind) \(fault.what)", default: 0] += 1
            let limit = asked == nil ? fault.kind == .miss ? 12 : 3 : Int.max
            return counts["\(fault.kind) \(fault.what)", default: 0] <= limit
        }

        /// The seeds that failed, by the kind of fault.
        var seedLines: [String] {
            seeds.sorted { $0.key < $1.key }.map { kind, seeds in
                "\(kind): \(seeds.sorted().map(String.init).joined(separator: " "))"
            }
        }

        func add(_ faults: [OracleCheck.Fault], _ seed: UInt64) {
            for kind in Set(faults.map { "\($0.kind) \($0.what)" }) { seeds[kind, default: []].append(seed) }
            misses += faults.contains { $0.kind == .miss } ? 1 : 0
            alarms += faults.contains { $0.kind == .alarm } ? 1 : 0
        }

        func show(_ text: String) { texts.append(text) }
    }
}
