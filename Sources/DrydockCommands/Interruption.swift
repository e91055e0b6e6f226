import Dispatch
import Foundation
import Synchronization

/// The handling of signals: the first SIGINT, SIGTERM or SIGHUP is a clean stop, a later one ends the process as usual.
///
/// `timeout` sends its signal to the process and then to its group, so one that follows at once counts as the same.
/// SIGHUP stays ignored if it is, as under nohup. A shell ignores SIGINT for what a script runs in the background, so
/// that Ctrl-C does not reach it; a user who sends the signal by hand means it, so it is heeded.
final class Interruption {
    private let sources: [any DispatchSourceSignal]
    private let resort: Resort

    /// How long the work may take to stop by itself: an interrupted command ends within a second.
    private static let grace = Duration.milliseconds(800)
    /// How long a signal may be repeated without being another, in seconds.
    private static let echo = 0.3

    /// - Parameters:
    ///   - lastWords: written to standard error if the work does not stop by itself, as code that polls nothing does
    ///     not; the process then ends with status 130.
    ///   - mustGoOn: whether the process must not be ended in that way.
    init(
        lastWords: String, unless mustGoOn: @escaping @Sendable () -> Bool = { false },
        _ stop: @escaping @Sendable () -> Void
    ) {
        let resort = Resort()
        sources = [SIGINT, SIGTERM, SIGHUP].filter { $0 != SIGHUP || !Self.isIgnored($0) }.map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number)
            source.setEventHandler {
                DispatchQueue.global().asyncAfter(deadline: .now() + Self.echo) { signal(number, SIG_DFL) }
                resort.begin(after: Self.grace) {
                    guard !mustGoOn() else { return }
                    Terminal.writeError(lastWords)
                    _exit(130)
                }
                stop()
            }
            source.resume()
            return source
        }
        self.resort = resort
    }

    private static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        guard sigaction(number, nil, &action) == 0 else { return false }
        #if canImport(Glibc)
        let handler = action.__sigaction_handler.sa_handler
        #else
        let handler = action.__sigaction_u.__sa_handler
        #endif
        return unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }

    /// Records that the work has ended.
    func end() {
        for source in sources { source.cancel() }
        resort.cancel()
    }

    /// What is done if the work does not stop.
    private final class Resort: Sendable {
        private struct State {
            var item: LastResort?
            var isOver = false
        }

        private let state = Mutex(State())

        func begin(after time: Duration, _ body: @escaping @Sendable () -> Void) {
            state.withLock { state in
                guard !state.isOver, state.item == nil else { return }
                state.item = LastResort(after: time, body)
            }
        }

        func cancel() {
            state.withLock { state in
                state.isOver = true
                state.item?.cancel()
            }
        }
    }
}
