import Dispatch
import Foundation

/// Turns the first SIGINT, SIGTERM or SIGHUP into a clean stop; a second one ends the process as usual.
///
/// One that is ignored already, as nohup has SIGHUP, stays so.
final class Interruption {
    private let sources: [any DispatchSourceSignal]

    init(_ stop: @escaping @Sendable () -> Void) {
        sources = [SIGINT, SIGTERM, SIGHUP].filter { !Self.isIgnored($0) }.map { number in
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

    func end() {
        for source in sources { source.cancel() }
    }
}
