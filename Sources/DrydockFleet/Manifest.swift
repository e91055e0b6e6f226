import DatabaseEngine
import DrydockFiles
import DrydockFindings
import DrydockMaintenance
import Foundation

/// A list of databases and what they were like at one moment, so that each shard of a run has the same list and the same
/// idea of what each of them costs.
public struct Manifest: Sendable, Codable {
    public struct Database: Sendable, Codable {
        public var path: String
        /// The bytes of the database and the files beside it.
        public var size: Int
        /// When it was last written, in seconds since 1970, and its `PRAGMA schema_version`: with the size what shows that
        /// nobody has written it since.
        public var modified: Double
        public var schemaVersion: Int?
        public var userVersion: Int?
        /// The newest migration that it has applied, as the history of the project's tool says; nil where it has none, or
        /// where no migrations were named or found.
        public var version: String?
        /// A digest of the CREATE statements, in the order of their names; the same for the same schema text.
        public var schema: String?
        /// How long the last run took for it.
        public var seconds: Double?
        /// Why it could not be read.
        public var trouble: String?
    }

    public var tool = "drydock"
    public var formatVersion = 1
    public var command = "manifest"
    public var databases: [Database]

    init(_ databases: [Database]) { self.databases = databases }

    /// - Throws: ``RequestError`` where it is not a manifest.
    init(_ bytes: [UInt8], _ name: String) throws {
        do {
            self = try JSONDecoder().decode(Manifest.self, from: Data(bytes))
        } catch {
            throw RequestError(
                .settingInvalid,
                "\(name) is not a manifest: make one with 'drydock manifest DATABASE... -o fleet.json'")
        }
        guard command == "manifest", formatVersion == 1 else {
            throw RequestError(
                .settingInvalid,
                "\(name) is a manifest of a different version of drydock; create it again with this one")
        }
    }

    /// What each database costs: its seconds where every database has them, else its size. A small database costs the time
    /// that opening one takes, which is about that of reading 100 kB.
    public var weights: [Double] {
        let seconds = databases.compactMap(\.seconds)
        return seconds.count == databases.count ? seconds : databases.map { Double($0.size) + 100_000 }
    }

    /// Reads databases, several at once; none is written.
    /// - Parameters:
    ///   - seconds: how long the last run took for some of them, by path.
    ///   - versions: reads their versions; nil where there are no migrations.
    public static func of(
        _ paths: [String], seconds: [String: Double] = [:], versions: VersionReader? = nil, jobs: Int,
        on engine: any Engine
    ) async throws -> Manifest {
        Manifest(
            try await concurrentMap(paths, jobs: jobs) { path in
                var entry = try await database(path, engine)
                if entry.trouble == nil { entry.version = try await versions?.version(of: path) }
                entry.seconds = seconds[path]
                return entry
            })
    }

    private static func database(_ path: String, _ engine: any Engine) async throws -> Database {
        let size = ["", "-wal"].reduce(0) { $0 + (FileStamp($1.isEmpty ? path : path + $1)?.byteCount ?? 0) }
        var entry = Database(path: path, size: size, modified: FileStamp(path)?.modifiedSeconds ?? 0)
        guard FileStamp(path)?.isFolder == false else {
            entry.trouble =
                FolderListing.exists(path)
                ? "is not a file" : ByteName.isIn(path) ? ByteName.fault(of: path) : "does not exist"
            return entry
        }
        if let fault = FolderListing.nameFault(path) {
            entry.trouble = fault
            return entry
        }
        do {
            let (user, schema, text) = try await LiveOverlay.reading(path, on: engine) { connection in
                (
                    try connection.firstRow("PRAGMA user_version") { Int($0.integer(0)) },
                    try connection.firstRow("PRAGMA schema_version") { Int($0.integer(0)) },
                    try connection.rows(
                        "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name"
                    ) { row in (0..<4).map { row.string($0) }.joined(separator: "\u{0}") }
                )
            }
            (entry.userVersion, entry.schemaVersion) = (user, schema)
            entry.schema = String(hexDigest(of: text.joined(separator: "\u{0}\u{0}")).prefix(16))
        } catch let error as CancellationError {
            throw error
        } catch {
            entry.trouble = "\(error)"
        }
        return entry
    }

    /// The manifest as JSON, a database a line, the same for the same databases.
    public func json() throws -> [UInt8] {
        let lines = try databases.map {
            try String(decoding: jsonDocument($0, isIndented: false), as: UTF8.self)
        }
        let head = "{\"tool\":\"drydock\",\"formatVersion\":1,\"command\":\"manifest\",\"databases\":[\n"
        return Array((head + lines.joined(separator: ",\n") + "\n]}\n").utf8)
    }
}
