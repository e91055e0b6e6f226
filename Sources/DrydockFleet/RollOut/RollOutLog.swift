import DrydockFiles
import DrydockFindings
import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The record of a roll-out: a line of JSON for each thing that happened, on the disk before anything else does.
///
/// A database has a line `begin` before anything is installed and one with the outcome afterwards. After a kill the outcome
/// of a database that has begun is not known from the log: the next run looks at the database and writes what it found.
package final class RollOutLog: Sendable {
    package struct Entry: Codable, Sendable, Equatable {
        package enum Event: String, Codable, Sendable {
            /// A run of the roll-out begins.
            case start
            /// A database may be installed from here on.
            case begin
            case applied, failed, busy, damaged
            /// A run looked at a database that another one had begun or migrated.
            case found
            /// The run ended in order.
            case end
        }

        package var event: Event
        package var time: String
        package var database: String?
        package var from: String?
        /// The newest migration that the database has now.
        package var version: String?
        package var wave: String?
        package var backup: String?
        package var reason: String?
        package var count: Int?

        package init(_ event: Event, _ database: String? = nil) {
            (self.event, self.database) = (event, database)
            time = Date().formatted(.iso8601)
        }
    }

    package let path: String
    /// The databases that earlier runs began, and of which no outcome is known.
    package let open: Set<String>
    /// How many databases earlier runs migrated.
    package let migrated: Int
    private let descriptor: Int32
    private let mutex = Mutex(())

    /// Opens a log, which is made if it is not there, and keeps other runs from using it.
    /// - Throws: ``RequestError`` if it cannot be written, is in use, or is not such a log.
    package init(_ path: String) throws {
        if FolderListing.exists(path), FolderListing.isFolder(path) || FolderListing.isSpecial(path) {
            throw RequestError(
                .settingInvalid, "'\(path)' is not a file; --log takes the path of a file to write")
        }
        let descriptor = Self.open(path)
        guard descriptor >= 0 else { throw Self.fault(of: path) }
        let text: Data
        do {
            guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
                throw RequestError(
                    .databaseBusy, "another roll-out is writing \(path); wait for it, or stop it")
            }
            do {
                text = Data(try FolderListing.contents(of: path))
            } catch {
                throw RequestError(.unreadable, "\(path) cannot be read: \(error)")
            }
            let entries = try Self.entries(in: text, path)
            open = Self.open(in: entries)
            migrated = entries.count { $0.event == .applied }
        } catch {
            close(descriptor)
            throw error
        }
        (self.path, self.descriptor) = (path, descriptor)
        try endLastLine(text)
        sync(folderOf: path)
    }

    deinit { close(descriptor) }

    private static func open(_ path: String) -> Int32 {
        #if canImport(Glibc)
        Glibc.open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
        #else
        Darwin.open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
        #endif
    }

    /// Writes a line, and returns when it is on the disk.
    package func add(_ entry: Entry) throws {
        let line = try jsonDocument(entry, isIndented: false) + [UInt8(ascii: "\n")]
        try mutex.withLock { _ in try write(line) }
    }

    /// Removes a line that a kill cut short: what it would have recorded was not done yet. A whole line, of which only
    /// the end is missing, gets it.
    private func endLastLine(_ text: Data) throws {
        guard let last = text.last, last != UInt8(ascii: "\n") else { return }
        let begin = text.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? text.startIndex
        if Self.isEntry(text[begin...]) { return try write([UInt8(ascii: "\n")]) }
        guard ftruncate(descriptor, off_t(begin - text.startIndex)) == 0, fsync(descriptor) == 0 else {
            throw fault()
        }
    }

    private func write(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { systemWrite(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw fault() }
            rest = rest.dropFirst(count)
        }
        guard fsync(descriptor) == 0 else { throw fault() }
    }

    private func fault() -> RequestError { Self.fault(of: path) }

    private static func fault(of path: String) -> RequestError {
        RequestError(
            .writing(errno), "the log '\(path)' cannot be written: \(FolderListing.describe(errno))")
    }

    /// The file's name must be on the disk, too.
    private func sync(folderOf path: String) {
        let folder = Self.openFolder(PathParts.folder(of: path))
        guard folder >= 0 else { return }
        fsync(folder)
        close(folder)
    }

    private static func openFolder(_ path: String) -> Int32 {
        #if canImport(Glibc)
        Glibc.open(path, O_RDONLY | O_CLOEXEC)
        #else
        Darwin.open(path, O_RDONLY | O_CLOEXEC)
        #endif
    }

    // MARK: - Reading

    /// Returns the entries of a log. Only the last line of a run can be cut short.
    package static func entries(in data: Data, _ path: String) throws -> [Entry] {
        var entries: [Entry] = []
        let lines = data.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() where !line.isEmpty {
            if let entry = try? JSONDecoder().decode(Entry.self, from: Data(line)) {
                entries.append(entry)
                continue
            }
            // A kill cut it short.
            let next = lines.dropFirst(index + 1).first { !$0.isEmpty }
                .flatMap { try? JSONDecoder().decode(Entry.self, from: Data($0)) }
            guard isBegun(line, after: entries), next == nil || next?.event == .start else {
                throw RequestError(
                    .unreadable,
                    "line \(index + 1) is not one of a roll-out's log; name another file with --log",
                    file: path, line: index + 1)
            }
        }
        return entries
    }

    private static func isEntry(_ line: Data) -> Bool {
        (try? JSONDecoder().decode(Entry.self, from: Data(line))) != nil
    }

    /// Whether a line may be the beginning of an entry. That of a log's first line is known, so that no other file is
    /// taken for a log.
    private static func isBegun(_ line: Data, after entries: [Entry]) -> Bool {
        guard (try? JSONSerialization.jsonObject(with: Data(line))) == nil else { return false }
        guard entries.isEmpty else { return line.first == UInt8(ascii: "{") }
        let first = Data("{\"count\":".utf8)
        return line.starts(with: first) || first.starts(with: line)
    }

    private static func open(in entries: [Entry]) -> Set<String> {
        var open: Set<String> = []
        for entry in entries {
            guard let database = entry.database else { continue }
            if entry.event == .begin { open.insert(database) } else { open.remove(database) }
        }
        return open
    }
}

private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}
