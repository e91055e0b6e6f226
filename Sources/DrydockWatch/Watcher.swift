import DatabaseEngine
import DrydockFiles
import DrydockFindings
import DrydockLint
import DrydockReplay
import DrydockVerify

/// Lints and verifies a project, and again whenever its files change.
///
/// A round that is under way when a file changes is given up, and another one begins. Of what a round has run on
/// snapshots, the next one runs only what an edited migration and those after it need.
///
///     let watcher = Watcher(settings: ["drydock.yml"]) {
///         WatchedProject(verify: VerifyRequest(), engine: GRDBEngine())
///     }
///     for await event in watcher {
///         if case .verified(.success(let report)) = event { print(report.hasPassed) }
///     }
///
/// The sequence has no end but that of the task which iterates over it.
public struct Watcher: AsyncSequence, Sendable {
    private let folder: String
    private let settings: [String]
    private let project: @Sendable () throws -> WatchedProject

    /// - Parameters:
    ///   - folder: the absolute path of what the project's relative paths are relative to; nil for the working folder.
    ///   - settings: the files from which the project is read, whether they exist or not.
    ///   - project: reads the project; it is called in every round. A ``RequestError`` that it throws is an event.
    public init(
        folder: String? = nil, settings: [String], project: @escaping @Sendable () throws -> WatchedProject
    ) {
        self.folder = folder ?? FolderListing.realPath(".")
        (self.settings, self.project) = (settings, project)
    }

    public func makeAsyncIterator() -> AsyncStream<WatchEvent>.Iterator {
        let (stream, continuation) = AsyncStream.makeStream(of: WatchEvent.self)
        let task = Task {
            var loop = WatchLoop(folder: folder, settings: settings, project: project) {
                continuation.yield($0)
            }
            await loop.run()
            continuation.finish()
        }
        continuation.onTermination = { _ in task.cancel() }
        return stream.makeAsyncIterator()
    }
}

/// The rounds of a watcher.
private struct WatchLoop {
    let settings: [String]
    let project: @Sendable () throws -> WatchedProject
    let yield: @Sendable (WatchEvent) -> Void

    private var paths: WatchedPaths
    private var lintCache = LintCache()
    private var replayCache = ReplayCache()

    /// How long files must have stayed as they are before they are read: longer than a tick of the clock that stamps
    /// them, so that no later write has the same stamp.
    private static let pause = Duration.milliseconds(15)

    init(
        folder: String, settings: [String], project: @escaping @Sendable () throws -> WatchedProject,
        yield: @escaping @Sendable (WatchEvent) -> Void
    ) {
        (self.settings, self.project, self.yield) = (settings, project, yield)
        paths = WatchedPaths(root: folder, paths: Set(settings))
    }

    mutating func run() async {
        var changed: [String] = []
        while !Task.isCancelled {
            let (found, contents) = await read()
            forget(changed, found)
            yield(.began(changed: changed))
            let round = WatchRound(lintCache: lintCache, replayCache: replayCache, yield: yield)
            let work = Task { await round.run(found) }
            changed = await change(from: contents)
            work.cancel()
            await work.value
        }
    }

    /// Reads the project once its files are at rest.
    private mutating func read() async -> (Result<WatchedProject, RequestError>, WatchedContents) {
        while true {
            let before = await settled()
            let found = Result { try project() }
                .mapError { $0 as? RequestError ?? RequestError(.other, "\($0)") }
            var known = paths
            // Settings that cannot be used do not say what else counts.
            if let project = try? found.get() {
                (known.paths, known.outputs) = (project.paths, Set(project.outputs))
            }
            known.paths.formUnion(settings)
            let isSame = known == paths
            paths = known
            if isSame, paths.contents() == before || Task.isCancelled { return (found, before) }
        }
    }

    private func settled() async -> WatchedContents {
        var last = paths.contents()
        while true {
            try? await Task.sleep(for: Self.pause)
            let now = paths.contents()
            if now == last || Task.isCancelled { return now }
            last = now
        }
    }

    /// Waits for a change, and returns what has changed.
    private func change(from contents: WatchedContents) async -> [String] {
        let alarm = FolderAlarm(contents.folders)
        for await _ in alarm.wakes {
            let changed = paths.contents().changes(from: contents)
            if !changed.isEmpty { return changed }
        }
        return []
    }

    /// Begins with nothing kept where more than migrations has changed.
    private mutating func forget(_ changed: [String], _ found: Result<WatchedProject, RequestError>) {
        let folders = (try? found.get())?.migrations ?? []
        let isEdit = changed.allSatisfy { path in folders.contains { path.hasPrefix($0 + "/") } }
        guard !isEdit else { return }
        (lintCache, replayCache) = (LintCache(), ReplayCache())
    }
}

/// One round.
private struct WatchRound: Sendable {
    let lintCache: LintCache
    let replayCache: ReplayCache
    let yield: @Sendable (WatchEvent) -> Void

    func run(_ found: Result<WatchedProject, RequestError>) async {
        switch found {
        case .failure(let error): yield(.stopped(error))
        case .success(let project):
            if let request = project.lint {
                guard await report(WatchEvent.linted, { try await lint(request, project) }) else { return }
            }
            if let request = project.verify {
                guard await report(WatchEvent.verified, { try await verify(request, project) }) else {
                    return
                }
            }
        }
        if !Task.isCancelled { yield(.ended) }
    }

    /// Yields the result of one command.
    /// - Returns: whether the round goes on.
    private func report(
        _ event: (Result<Report, RequestError>) -> WatchEvent, _ body: () async throws -> Report
    ) async -> Bool {
        let result: Result<Report, RequestError>
        do {
            result = .success(try await body())
        } catch let error as RequestError {
            result = .failure(error)
        } catch let error as EngineError {
            result = .failure(RequestError(.init(error), error.description))
        } catch {
            result = .failure(RequestError(.other, "\(error)"))
        }
        // What an older state of the files has shown, or a round that was given up, is of no interest.
        guard !Task.isCancelled else { return false }
        yield(event(result))
        return true
    }

    private func lint(_ request: LintRequest, _ project: WatchedProject) async throws -> Report {
        let (stop, deadline) = (StopFlag(), project.timeLimit.map { ContinuousClock.now + $0 })
        let engine = BoundedEngine(project.engine) {
            stop.value || deadline.map { ContinuousClock.now >= $0 } ?? false
        }
        return try await withTaskCancellationHandler {
            try await Linter(engine: engine).run(request, edited: [:], cache: lintCache).report
        } onCancel: {
            stop.set()
        }
    }

    private func verify(_ request: VerifyRequest, _ project: WatchedProject) async throws -> Report {
        var verifier = Verifier(engine: project.engine, comparingWith: project.other) { event in
            if !Task.isCancelled { yield(.verifying(event)) }
        }
        verifier.cache = replayCache
        return try await verifier.run(request)
    }
}
