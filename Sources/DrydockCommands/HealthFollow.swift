import ArgumentParser
import DatabaseEngine
import Dispatch
import Drydock
import DrydockReport
import Foundation
import SQLiteSchema

/// `drydock health --follow`: prints a database's health whenever something changes, until it is interrupted.
struct HealthFollow {
    private let watcher: HealthWatcher
    private let output: Output
    private let renderer: FollowRenderer
    private let options: RenderOptions
    private let path: String

    private enum Output { case screen, lines, json }

    init(_ command: HealthCommand, _ settings: HealthSettings, engine: any Engine) {
        let interval = command.interval ?? TimeLimit.followed
        watcher = HealthWatcher(engine: engine, request: settings.request, every: interval.duration)
        var renderer = FollowRenderer()
        renderer.usesColor = Terminal.outputHasColor
        renderer.clockOffset = TimeZone.current.secondsFromGMT()
        renderer.interval = interval.duration.written
        (self.renderer, options) = (renderer, settings.options)
        path = VisibleText.line(settings.request.databases.first ?? "")
        output =
            switch command.format {
            case "json": .json
            case nil where !Terminal.outputIsTerminal: .json
            default: Terminal.outputIsScreen ? .screen : .lines
            }
    }

    /// - Throws: ``RequestError`` if there is nothing to follow, and otherwise `CancellationError` in the end.
    func run() async throws {
        let screen = output == .screen ? FollowScreen() : nil
        let path = path
        screen?.show { _, _ in ["\(path): the first check is running …"] }
        let (watcher, print) = (watcher, printing(on: screen))
        let task = Task {
            var isFirst = true
            for try await update in watcher {
                if isFirst, let trouble = update.report.health?.databases.first?.trouble {
                    throw RequestError(update.exists ? .unreadable : .notFound, trouble)
                }
                isFirst = false
                print(update)
            }
        }
        let interruption = Interruption(lastWords: "") {
            screen?.close()
            task.cancel()
        }
        let pipe = Self.endWithReader()
        let resizing = screen?.followSize()
        defer {
            resizing?.cancel()
            screen?.close()
            pipe.cancel()
            interruption.end()
        }
        try await task.value
        throw CancellationError()
    }

    private func printing(on screen: FollowScreen?) -> @Sendable (HealthUpdate) -> Void {
        let (output, renderer, options) = (output, renderer, options)
        return { update in
            switch output {
            case .json: Terminal.write(JSONRenderer().line(update, options))
            case .lines: Terminal.show(renderer.lines(update).joined(separator: "\n") + "\n")
            case .screen:
                screen?.show { width, height in
                    var renderer = renderer
                    (renderer.width, renderer.height) = (width, height)
                    return renderer.screen(update)
                }
            }
        }
    }

    /// Ends the process when nobody reads its output any more, as the next write to the pipe would: that may be hours
    /// away if nothing changes.
    private static func endWithReader() -> any DispatchSourceTimer {
        let timer = DispatchSource.makeTimerSource(queue: .global())
        timer.schedule(deadline: .now() + 1, repeating: 1, leeway: .milliseconds(500))
        timer.setEventHandler {
            var output = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
            guard poll(&output, 1, 0) > 0, output.revents & Int16(POLLERR) != 0 else { return }
            Terminal.endWithoutReader()
        }
        timer.resume()
        return timer
    }
}

extension TimeLimit {
    /// How often a followed database is looked at.
    static let followed = TimeLimit(duration: .seconds(1))

    private init(duration: Duration) { self.duration = duration }
}
