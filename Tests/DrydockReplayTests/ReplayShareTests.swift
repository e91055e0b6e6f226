import Testing

@testable import DrydockReplay
@testable import DrydockTestSupport
@testable import DrydockVerify

@Suite struct ReplayShareTests {
    /// A signal cancels those that wait, and what they wait for may never end by itself.
    @Test func `what is shared stops with those that wait for it`() async throws {
        let share = ReplayShare()
        let begun = AsyncStream.makeStream(of: Void.self)
        let waiting = Task {
            try await share.made {
                begun.continuation.finish()
                while true {
                    try Task.checkCancellation()
                    await Task.yield()
                }
            }
        }
        for await _ in begun.stream {}
        waiting.cancel()
        await #expect(throws: CancellationError.self) { _ = try await waiting.value }
    }
}
