import Dispatch
import Drydock
import Foundation
import Synchronization

/// The handling of signals: the first SIGINT, SIGTERM or SIGHUP is a clean stop, a later one ends the process as usual.
/// Either way no copy of a database is left that is not finished.
///
/// `timeout` sends its signal to the process and then to its group, so one that follows at once counts as the same.
/// SIGHUP stays ignored if it is, as under nohup. A shell ignores SIGINT for what a script runs in the background, so
/// that Ctrl-C does not reach it; a user who sends the signal by hand means it, so it is heeded.
final class Interruption {
    private let sources: [any DispatchSourceSignal]
    private let resort: Resort
    private let arrivals: Arrivals

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
        let (resort, arrivals) = (Resort(), Arrivals())
        sources = [SIGINT, SIGTERM, SIGHUP].filter { $0 != SIGHUP || !Self.isIgnored($0) }.map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number)
            source.setEventHandler {
                switch arrivals.note(number) {
                case .first: break
                case .echo: return
                case .again: Self.die(of: number)
                }
                resort.begin(after: Self.grace) {
                    guard !mustGoOn() else { return }
                    TemporaryCopy.removeAll { left in
                        Terminal.writeError(lastWords)
                        Self.name(left)
                        _exit(130)
                    }
                }
                stop()
            }
            source.resume()
            return source
        }
        (self.resort, self.arrivals) = (resort, arrivals)
    }

    /// Has a signal end the process with the status of an interruption until the work begins: while the command line is read,
    /// and lists of databases, nothing is there that would have to be stopped.
    static func prepare() {
        for number in [SIGINT, SIGTERM, SIGHUP] where number != SIGHUP || !isIgnored(number) {
            signal(number) { _ in
                // Nothing else is safe in a handler.
                let words: StaticString = "drydock: interrupted\n"
                _ = write(STDERR_FILENO, words.utf8Start, words.utf8CodeUnitCount)
                _exit(130)
            }
        }
    }

    /// Ends the process as a signal does that nobody handles.
    private static func die(of number: Int32) -> Never {
        signal(number, SIG_DFL)
        TemporaryCopy.removeAll { left in
            name(left)
            var signals = sigset_t()
            sigemptyset(&signals)
            sigaddset(&signals, number)
            pthread_sigmask(SIG_UNBLOCK, &signals, nil)
            raise(number)
            _exit(128 + number)
        }
    }

    /// Says which copies could not be removed.
    private static func name(_ left: [String]) {
        for path in left {
            Terminal.writeError(
                "drydock: the copy \(path) could not be removed; delete it, or the next run will\n")
        }
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
        let numbers = arrivals.numbers
        guard !numbers.isEmpty else { return }
        DispatchQueue.global().asyncAfter(deadline: .now() + Self.echo) {
            for number in numbers { signal(number, SIG_DFL) }
        }
    }

    /// The signals that came.
    private final class Arrivals: Sendable {
        enum Kind { case first, echo, again }

        private let times = Mutex<[Int32: ContinuousClock.Instant]>([:])

        var numbers: [Int32] { times.withLock { Array($0.keys) } }

        func note(_ number: Int32) -> Kind {
            times.withLock { times in
                guard let first = times[number] else {
                    times[number] = .now
                    return .first
                }
                return ContinuousClock.now - first < .seconds(Interruption.echo) ? .echo : .again
            }
        }
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
