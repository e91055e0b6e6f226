import DrydockFiles
import SQLiteSchema
import Synchronization

/// The files that were read, for the next time that the same folder is read: an editor's keystroke changes one of hundreds.
package final class FileCache: Sendable {
    private let files = Mutex<[String: (stamp: FileStamp, bytes: [UInt8])]>([:])
    /// Sources that were read and found to be text, since several formats may read a file.
    private let sources = Mutex<[String: SQLSource]>([:])

    private let statements = Mutex<[String: (source: SQLSource, statements: [SQLStatement])]>([:])
    /// What projects' source says, by the folder of migrations: it is searched once.
    private let signs = Mutex<[String: ForeignKeySigns?]>([:])

    package init() {}

    /// Returns what the project around a folder says of foreign keys.
    func signs(near folder: String) -> ForeignKeySigns? {
        if let known = signs.withLock({ $0[folder] }) { return known }
        let found = ForeignKeySigns.nearest(to: folder)
        signs.withLock { $0[folder] = .some(found) }
        return found
    }

    /// Returns a file's bytes.
    /// - Throws: ``FileFault`` with the reason in words.
    func contents(of path: String) throws -> [UInt8] {
        let stamp = FileStamp(path)
        if let stamp, let known = files.withLock({ $0[path] }), known.stamp == stamp { return known.bytes }
        let bytes = try FolderListing.contents(of: path)
        if let stamp, stamp.isSettled, stamp == FileStamp(path) {
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
