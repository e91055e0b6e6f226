import Dispatch
import Foundation

/// Turns the first SIGINT or SIGTERM into a clean stop; a second one ends the process as usual.
final class Interruption {
    private let sources: [any DispatchSourceSignal]

    init(_ stop: @escaping @Sendable () -> Void) {
        sources = [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number)
            source.setEventHandler {
                signal(number, SIG_DFL)
                stop()
            }
            source.resume()
            return source
        }
    }

    func end() {
        for source in sources { source.cancel() }
    }
}
