import DatabaseEngine
import Foundation
import Synchronization
import Testing

@testable import DrydockFindings
@testable import DrydockTestSupport

@Suite struct ConcurrentMapTests {
    @Test(arguments: [0, 1, 7, 100], [1, 3, 200]) func `results are in the order of the items`(
        _ count: Int, _ jobs: Int
    ) async throws {
        let reported = Mutex<[Int]>([])
        let results = try await concurrentMap(
            Array(0..<count), jobs: jobs, isDone: { result in reported.withLock { $0.append(result) } }
        ) { item in
            // The first are the last to be done.
            for _ in item..<count { await Task.yield() }
            return item * 2
        }
        #expect(results == (0..<count).map { $0 * 2 })
        #expect(reported.withLock { $0 } == results)
    }

    /// More jobs than cores wait for each other.
    @Test func `a body may block`() async throws {
        let jobs = 32
        let arrived = Atomic(0)
        let gate = DispatchSemaphore(value: 0)
        let results = try await concurrentMap(Array(0..<jobs), jobs: jobs) { item in
            if arrived.add(1, ordering: .relaxed).newValue == jobs {
                for _ in 0..<jobs { gate.signal() }
            }
            gate.wait()
            return WorkQueue.isCurrent
        }
        #expect(results == Array(repeating: true, count: jobs))
    }

    @Test func `no more are at work than there are jobs`() async throws {
        let state = Mutex((now: 0, most: 0))
        _ = try await concurrentMap(Array(0..<50), jobs: 3) { _ in
            state.withLock {
                $0.now += 1
                $0.most = max($0.most, $0.now)
            }
            await Task.yield()
            state.withLock { $0.now -= 1 }
        }
        #expect((1...3).contains(state.withLock { $0.most }))
    }

    private struct Fault: Error, Equatable { var item: Int }

    @Test func `the first error ends it`() async throws {
        let begun = Mutex<Set<Int>>([])
        await #expect(throws: Fault(item: 2)) {
            _ = try await concurrentMap(Array(0..<100), jobs: 1) { item in
                begun.withLock { _ = $0.insert(item) }
                if item == 2 { throw Fault(item: item) }
            }
        }
        #expect(begun.withLock { $0 } == [0, 1, 2])
    }

    @Test func `a cancelled task begins no more`() async throws {
        let begun = Atomic(0)
        let task = Task {
            try await concurrentMap(Array(0..<100), jobs: 2) { _ in
                begun.add(1, ordering: .relaxed)
                while !Task.isCancelled { await Task.yield() }
            }
        }
        while begun.load(ordering: .relaxed) < 2 { await Task.yield() }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(begun.load(ordering: .relaxed) == 2)
    }
}
