import DrydockFindings
import Foundation
import SQLiteSchema
import Synchronization

/// The files that were read, for the next time that the same folder is read: an editor's keystroke changes one of hundreds.
package final class FileMemory: Sendable {
    /// What shows that a file is still the one that was read.
    private struct Stamp: Equatable {
        let device, inode: UInt64
        let size: Int64
        let modified, changed: [Int]

        init?(_ path: String) {
            var status = stat()
            guard stat(path, &status) == 0 else { return nil }
            (device, inode) = (UInt64(status.st_dev), UInt64(status.st_ino))
            size = Int64(status.st_size)
            #if canImport(Darwin)
            (modified, changed) = (Self.parts(status.st_mtimespec), Self.parts(status.st_ctimespec))
            #else
            (modified, changed) = (Self.parts(status.st_mtim), Self.parts(status.st_ctim))
            #endif
        }

        private static func parts(_ time: timespec) -> [Int] { [Int(time.tv_sec), Int(time.tv_nsec)] }

        /// Whether a later write would have another time, as far as the clock of the disk can tell.
        var isSettled: Bool {
            var now = timespec()
            clock_gettime(CLOCK_REALTIME, &now)
            return now.tv_sec - modified[0] > 2 && now.tv_sec - changed[0] > 2
        }
    }

    private let files = Mutex<[String: (stamp: Stamp, bytes: [UInt8])]>([:])
    /// Sources that were read and found to be text, since several formats may read a file.
    private let sources = Mutex<[String: SQLSource]>([:])

    private let statements = Mutex<[String: (source: SQLSource, statements: [SQLStatement])]>([:])

    package init() {}

    /// Returns a file's bytes.
    /// - Throws: ``FileFault`` with the reason in words.
    func contents(of path: String) throws -> [UInt8] {
        let stamp = Stamp(path)
        if let stamp, let known = files.withLock({ $0[path] }), known.stamp == stamp { return known.bytes }
        let bytes = try FolderListing.contents(of: path)
        if let stamp, stamp.isSettled, stamp == Stamp(path) {
            files.withLock { $0[path] = (stamp, bytes) }
        }
        return bytes
    }

    /// Returns the source of a file that holds these bytes and was found to be text.
    func checkedSource(of path: String, _ bytes: [UInt8]) -> SQLSource? {
        guard let source = sources.withLock({ $0[path] }), source.bytes == bytes else { return nil }
        return source
    }

    /// Returns the statements of a text.
    func statements(of source: SQLSource) -> [SQLStatement] {
        if let known = statements.withLock({ $0[source.name] }), known.source.bytes == source.bytes {
            return known.statements
        }
        let result = source.statements()
        statements.withLock { $0[source.name] = (source, result) }
        return result
    }

    func note(checked source: SQLSource) { sources.withLock { $0[source.name] = source } }
}
