import Dispatch
import Drydock
import DrydockReport
import Foundation
import Synchronization

/// The terminal's other screen, on which a text is drawn again and again. What was on the terminal before is there again
/// when it is closed.
final class FollowScreen: Sendable {
    private struct State {
        var isOpen = true
        /// What is shown, and drawn again when the terminal gets another size.
        var draw: (@Sendable (_ width: Int, _ height: Int) -> [String])?
    }

    private let state = Mutex(State())

    /// The other screen without a cursor, on which a line that is too long is cut off by the terminal.
    private static let opening = "\u{1b}[?1049h\u{1b}[?25l\u{1b}[?7l\u{1b}[2J"
    private static let closing = "\u{1b}[?7h\u{1b}[?25h\u{1b}[?1049l"

    init() { Terminal.write(Self.opening) }

    deinit { close() }

    func show(_ draw: @escaping @Sendable (_ width: Int, _ height: Int) -> [String]) {
        state.withLock { $0.draw = draw }
        self.draw()
    }

    /// Returns what draws again when the terminal gets another size, until it is cancelled.
    func followSize() -> any DispatchSourceSignal {
        let resizing = DispatchSource.makeSignalSource(signal: SIGWINCH)
        resizing.setEventHandler { [weak self] in self?.draw() }
        resizing.resume()
        return resizing
    }

    private func draw() {
        state.withLock { state in
            guard state.isOpen, let draw = state.draw else { return }
            let lines = draw(Terminal.outputWidth ?? 80, Terminal.outputHeight ?? 24).map { line in
                String(decoding: TerminalText.of(Array(line.utf8), withColors: true), as: UTF8.self)
            }
            // Each line replaces the one that was there, so that nothing flickers.
            let end = "\u{1b}[K"
            Terminal.write("\u{1b}[H" + lines.map { $0 + end }.joined(separator: "\r\n") + "\u{1b}[J")
        }
    }

    /// Restores the terminal; may be called from any thread, and again.
    func close() {
        state.withLock { state in
            guard state.isOpen else { return }
            state.isOpen = false
            Terminal.write(Self.closing)
        }
    }
}
