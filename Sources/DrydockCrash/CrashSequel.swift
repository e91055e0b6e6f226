import DrydockReplay
import OverlayVFS

/// Whether the later migrations still run where a start after a crash has led to another end.
struct CrashSequel {
    /// Starts the tool with every migration that was pending.
    let restart: CrashRestart
    /// The end of a run that nothing stopped.
    let end: Image
    /// Whether the later migrations run after that; nil until it is checked.
    private var runsUninterrupted: Bool?
    private var digests = ImageDigests()
    private var failures: [ImageDigests.Digest: CrashRestart.Failure?] = [:]

    init(_ restart: CrashRestart, after end: Image) { (self.restart, self.end) = (restart, end) }

    /// Returns the failure of a later migration that runs where nothing was stopped.
    mutating func failure(on image: Image) async throws -> CrashRestart.Failure? {
        let digest = digests.digest(image, isWhole: false)
        if let known = failures[digest] { return known }
        let failure = try await newFailure(on: image)
        failures[digest] = .some(failure)
        return failure
    }

    private mutating func newFailure(on image: Image) async throws -> CrashRestart.Failure? {
        guard case .failed(let failure, _) = try await restart.runToTheEnd(on: image) else { return nil }
        if let runsUninterrupted { return runsUninterrupted ? failure : nil }
        let ending = try await restart.run(on: end)
        let runs = if case .reached = ending { true } else { false }
        runsUninterrupted = runs
        return runs ? failure : nil
    }
}
