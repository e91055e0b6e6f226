import Dispatch
import Foundation

/// Wakes whoever waits for a change in some folders: when the system reports one, where it does, and once in a while in
/// any case, since changes on network drives and behind the limit on watches are not reported.
///
/// What has changed is for the files' stamps to say.
final class FolderAlarm {
    /// An element for each time to look; several become one.
    let wakes: AsyncStream<Void>
    private let sources: [any DispatchSourceProtocol]

    /// How many folders are reported by the system: there is a limit for all programs of a user
    /// (https://man7.org/linux/man-pages/man7/inotify.7.html).
    private static let folderLimit = 1024

    init(_ folders: some Sequence<String>) {
        let (wakes, continuation) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
        self.wakes = wakes
        let queue = DispatchQueue(label: "drydock.watch")
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.setEventHandler { continuation.yield() }
        let reports = Self.reports(of: folders, queue) { continuation.yield() }
        let pause = reports == nil ? DispatchTimeInterval.milliseconds(300) : .seconds(1)
        timer.schedule(deadline: .now(), repeating: pause, leeway: .milliseconds(50))
        timer.resume()
        sources = [timer] + (reports.map { [$0] } ?? [])
    }

    deinit {
        for source in sources { source.cancel() }
    }

    #if canImport(Glibc) || canImport(Musl)
    private static func reports(
        of folders: some Sequence<String>, _ queue: DispatchQueue, _ wake: @escaping @Sendable () -> Void
    ) -> (any DispatchSourceProtocol)? {
        let descriptor = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
        guard descriptor >= 0 else { return nil }
        let events =
            IN_ATTRIB | IN_CLOSE_WRITE | IN_CREATE | IN_DELETE | IN_DELETE_SELF | IN_MODIFY | IN_MOVED_FROM
            | IN_MOVED_TO | IN_MOVE_SELF
        for folder in folders.prefix(folderLimit) {
            inotify_add_watch(descriptor, folder, UInt32(events) | UInt32(IN_ONLYDIR))
        }
        let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        source.setEventHandler {
            var buffer = [UInt8](repeating: 0, count: 1 << 14)
            while read(descriptor, &buffer, buffer.count) > 0 {}
            wake()
        }
        source.setCancelHandler { close(descriptor) }
        source.resume()
        return source
    }
    #else
    private static func reports(
        of folders: some Sequence<String>, _ queue: DispatchQueue, _ wake: @escaping @Sendable () -> Void
    ) -> (any DispatchSourceProtocol)? { nil }
    #endif
}
