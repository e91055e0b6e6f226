import Crypto
import DrydockFindings
import Foundation
import SQLiteSchema
import Synchronization

/// The results of databases as they come in, each as JSON: for a run that goes on where another was killed, and for the
/// part that a shard adds to the report of all.
///
///     let kept = try KeptResults(file: "health.state", settings: digest)
///     if let known: Result = kept.result(of: path) { return known }
///     let stamp = KeptResults.stamp(of: path)
///     try kept.keep(result, of: path, stamp)
///
/// In a file each result is a line that begins with its own checksum, so that a line that a kill cut short does not count.
/// A result counts for the same settings, and as long as nobody has written the database.
package final class KeptResults: Sendable {
    private struct Line: Codable {
        var settings, database, stamp, result: String
        /// The reading of the migrations; nil for the first.
        var reading: String?

        var key: String { KeptResults.key(database, reading ?? "") }
    }

    private struct State {
        var results: [String: String] = [:]
        var descriptor: Int32?
        var fault: RequestError?
    }

    private static let head = "drydock results 1\n"
    /// The stamp of a result that counts also if the database was written since: for one that is looked at again anyway.
    package static let lasting = "*"
    private let state: Mutex<State>
    private let settings: String

    /// Keeps results in memory.
    package init(_ results: [String: String] = [:]) {
        state = Mutex(State(results: results))
        settings = ""
    }

    /// Goes on with the file of an earlier run, or begins one.
    /// - Throws: ``RequestError`` where the file is something else, is in use, or cannot be read or written.
    package init(file path: String, settings: String) throws {
        self.settings = settings
        var status = stat()
        if stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
            throw RequestError(
                .settingInvalid, "'\(path)' is not a file; --resume takes the path of a file to write")
        }
        let descriptor = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw RequestError(.notWritable, "'\(path)' cannot be opened: \(FolderListing.describe(errno))")
        }
        do {
            guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
                throw RequestError(
                    .settingInvalid,
                    "'\(path)' is in use by another run; wait for it, or give this one another file")
            }
            let (results, isCut) = try Self.read(path, settings)
            state = Mutex(State(results: results, descriptor: descriptor))
            let begin = isCut.map { $0 ? "\n" : "" } ?? Self.head
            if !begin.isEmpty { try append(begin) }
        } catch {
            close(descriptor)
            throw error
        }
    }

    deinit {
        if let descriptor = state.withLock({ $0.descriptor }) { close(descriptor) }
    }

    /// Returns the results that still count, and whether the last line was cut short; nil for an empty file.
    private static func read(_ path: String, _ settings: String) throws -> ([String: String], Bool?) {
        let bytes = try FolderListing.contents(of: path)
        if bytes.isEmpty { return ([:], nil) }
        guard bytes.starts(with: head.utf8) else {
            throw RequestError(
                .settingInvalid,
                "'\(path)' is not a file of results that drydock wrote; --resume takes the path of a new file, or of one "
                    + "from an earlier run")
        }
        var results: [String: String] = [:]
        for text in bytes.split(separator: UInt8(ascii: "\n")).dropFirst() {
            let parts = text.split(separator: UInt8(ascii: " "), maxSplits: 1)
            guard parts.count == 2, Self.checksum(of: Array(parts[1])).utf8.elementsEqual(parts[0]),
                let line = try? JSONDecoder().decode(Line.self, from: Data(parts[1])),
                line.settings == settings,
                line.stamp == lasting || stamp(of: line.database) == line.stamp
            else { continue }
            results[line.key] = line.result
        }
        return (results, bytes.last != UInt8(ascii: "\n"))
    }

    private static func checksum(of bytes: [UInt8]) -> String { SHA256.digest(of: bytes).prefix(8).hex }

    private func append(_ text: String) throws {
        var rest = Array(text.utf8)[...]
        try state.withLock { state in
            guard let descriptor = state.descriptor else { return }
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
                guard count >= 0 || errno == EINTR else {
                    let fault = RequestError(
                        .writing(errno),
                        "the file of --resume cannot be written: \(FolderListing.describe(errno))")
                    state.fault = fault
                    throw fault
                }
                rest = rest.dropFirst(max(0, count))
            }
        }
    }

    /// Returns what shows that a database and the files beside it are unchanged; nil while that cannot be told, since they
    /// were written a moment ago.
    /// - Parameter takesNew: whether that does not matter: of a database that this run has just written, since a write of
    ///   another program in the same moment would take nothing from the result.
    package static func stamp(of path: String, takesNew: Bool = false) -> String? {
        var text = ""
        for ending in ["", "-wal", "-journal"] {
            guard let stamp = FileStamp(path + ending) else {
                text += "-;"
                continue
            }
            guard takesNew || stamp.isSettled else { return nil }
            text += "\(stamp.text);"
        }
        return text
    }

    private static func key(_ database: String, _ reading: String) -> String {
        reading.isEmpty ? database : database + "\0" + reading
    }

    /// Returns the result of a database, if it is known.
    /// - Parameter reading: the name of the reading of the migrations; empty for the first.
    package func result<Result: Decodable>(of database: String, as reading: String = "") -> Result? {
        let key = Self.key(database, reading)
        guard let text = state.withLock({ $0.results[key] }) else { return nil }
        return try? JSONDecoder().decode(Result.self, from: Data(text.utf8))
    }

    /// Returns the result of a database in the part of a shard.
    /// - Throws: ``RequestError`` where it has none that this version reads.
    package func resultOfPart<Result: Decodable>(of database: String) throws -> Result {
        guard let result: Result = result(of: database) else {
            throw RequestError(
                .settingInvalid,
                "the part with '\(database)' has no result of it that can be read; run its shard again")
        }
        return result
    }

    /// Notes a result.
    /// - Parameter stamp: what ``stamp(of:)`` gave before the database was read; nil where a later run is to read it again.
    /// - Throws: ``RequestError`` if the file cannot be written.
    package func keep(
        _ result: some Encodable, of database: String, as reading: String = "", _ stamp: String?
    ) throws {
        let text = String(decoding: try jsonDocument(result, isIndented: false), as: UTF8.self)
        state.withLock { $0.results[Self.key(database, reading)] = text }
        guard let stamp, state.withLock({ $0.descriptor != nil }) else { return }
        let line = try jsonDocument(
            Line(
                settings: settings, database: database, stamp: stamp, result: text,
                reading: reading.isEmpty ? nil : reading), isIndented: false)
        try append(Self.checksum(of: line) + " " + String(decoding: line, as: UTF8.self) + "\n")
    }

    /// Why a result could not be noted in the file; nil if all were.
    package var fault: RequestError? { state.withLock { $0.fault } }

    /// The results as JSON, by the path of their database.
    package var results: [String: String] { state.withLock { $0.results } }
}
