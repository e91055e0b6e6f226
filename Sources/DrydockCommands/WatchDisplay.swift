import Drydock
import DrydockReport
import Foundation
import Synchronization

/// How reports are shown, as the settings say that were read last.
final class WatchSettings: Sendable {
    private let current = Mutex(RenderOptions.forOutput(redacts: VerifySettings.isCI))

    var options: RenderOptions { current.withLock { $0 } }
    func take(_ options: RenderOptions) { current.withLock { $0 = options } }
}

/// What shows the rounds of `drydock watch`.
protocol WatchDisplay: Sendable {
    func show(_ event: WatchEvent)
    func end()
}

/// A line of JSON for each report, and for each time that there is none.
struct WatchLines: WatchDisplay {
    let settings: WatchSettings
    private let renderer = JSONRenderer(isIndented: false)

    init(settings: WatchSettings) { self.settings = settings }

    func show(_ event: WatchEvent) {
        switch event {
        case .began, .verifying, .ended: break
        case .stopped(let error): write(.failure(error), of: "watch")
        case .linted(let outcome): write(outcome, of: "lint")
        case .verified(let outcome): write(outcome, of: "verify")
        }
    }

    private func write(_ outcome: WatchScreen.Outcome, of command: String) {
        let options = settings.options.dated
        switch outcome {
        case .success(let report): Terminal.write(renderer.render(report, options))
        case .failure(let error):
            Terminal.write(renderer.renderFailure(error, of: command, options) ?? "")
        }
    }

    func end() {}
}

/// A screen that is drawn again as a round goes on; where standard output is not a terminal, the end of each round.
final class WatchTerminal: WatchDisplay {
    private struct State {
        var screen = WatchScreen(time: "", changed: [])
        /// The snapshots of a run, as they are named.
        var names = SnapshotNames([])
        var lastDrawn = ContinuousClock.now
    }

    private let folder: String
    private let settings: WatchSettings
    private let state = Mutex(State())
    private let isScreen = Terminal.outputIsScreen

    /// How often the progress is drawn.
    private static let interval = Duration.milliseconds(100)

    init(folder: String, settings: WatchSettings) { (self.folder, self.settings) = (folder, settings) }

    func show(_ event: WatchEvent) {
        state.withLock { state in
            let isDrawn = note(event, &state)
            if isDrawn { draw(&state) }
        }
    }

    func end() {
        if isScreen { Terminal.write("\n") }
    }

    /// - Returns: whether there is something new to see.
    private func note(_ event: WatchEvent, _ state: inout State) -> Bool {
        switch event {
        case .began(let changed):
            state.screen = WatchScreen(time: Self.time(), changed: changed.map(shown))
            // The last verdict stays until the next.
            return false
        case .stopped(let error): state.screen.stopped = error
        case .linted(let outcome):
            state.screen.lint = outcome
            state.screen.progress = "verify: …"
        case .verifying(.began(let snapshots)):
            state.names = SnapshotNames(snapshots)
            return false
        case .verifying(.step(let snapshot, let migration, let number, let count)):
            let now = ContinuousClock.now
            guard isScreen, now - state.lastDrawn > Self.interval else { return false }
            state.screen.progress =
                "verify: \(state.names.name(of: snapshot))  \(number)/\(count)  \(migration)"
        case .verifying(.replayed): return false
        case .verified(let outcome): state.screen.verify = outcome
        case .ended: state.screen.progress = ""
        }
        // Where nothing is drawn over, each round is shown once.
        if case .ended = event { return true }
        return isScreen
    }

    private func draw(_ state: inout State) {
        state.lastDrawn = .now
        var options = settings.options
        guard isScreen else {
            Terminal.show(state.screen.text(options) + "\n")
            return
        }
        options.width = Terminal.outputWidth
        // The cursor goes home, the screen and what was scrolled off are cleared (ECMA-48, and xterm's 3J).
        Terminal.write("\u{1b}[H\u{1b}[2J\u{1b}[3J")
        Terminal.show(state.screen.text(options, height: Terminal.outputHeight))
    }

    /// Returns the time of the day, such as `14:03:09`.
    private static func time() -> String {
        let parts = Calendar.current.dateComponents([.hour, .minute, .second], from: Date())
        return [parts.hour, parts.minute, parts.second].map { part in
            String(String((part ?? 0) + 100).dropFirst())
        }.joined(separator: ":")
    }

    private func shown(_ path: String) -> String {
        path.hasPrefix(folder + "/") ? String(path.dropFirst(folder.count + 1)) : path
    }
}
