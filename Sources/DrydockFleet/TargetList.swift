import DatabaseEngine
import DrydockFiles
import DrydockFindings
import DrydockMaintenance
import DrydockMigrate
import DrydockMigrations
import Foundation
import SQLiteSchema

/// The databases that a command is for, in order, and what each of them costs where that is known.
///
///     var targets = try TargetList(paths)
///     targets.add(try TargetList.read(file: "databases.txt"))
public struct TargetList: Sendable {
    public private(set) var paths: [String] = []
    /// What a database costs, from a manifest; equal for all where nothing is known.
    public private(set) var weights: [Double] = []
    private var seen: Set<[UInt8]> = []

    public init() {}

    /// Adds databases that are not there yet, whatever name they go by.
    public mutating func add(_ paths: [String], weights: [Double]? = nil) {
        for (index, path) in paths.enumerated()
        where seen.insert(FolderListing.identity(of: path)).inserted {
            self.paths.append(path)
            self.weights.append(weights?[index] ?? 1)
        }
    }

    /// Adds what the names on a command line mean: paths, patterns, and folders with all databases in them.
    /// - Parameter takesSnapshots: whether folders and patterns also mean dumps, compressed databases, and the backups of
    ///   `drydock migrate`, which lie beside the databases and are to stay as they are.
    /// - Throws: ``RequestError`` for a pattern or folder without a database.
    public mutating func add(names: [String], takesSnapshots: Bool = false) throws {
        for name in names {
            let isFolder = FolderListing.isFolder(name)
            let meant =
                try isFolder ? Self.databases(in: name, takesSnapshots) : DatabaseNames.resolve([name])
            let takesBackups = takesSnapshots || meant == [name] || name.hasSuffix(BackupPlace.ending)
            let found = takesBackups ? meant : meant.filter { !BackupPlace.isOurs($0) }
            if found.isEmpty {
                let backups = meant.isEmpty ? "" : ", only backups of 'drydock migrate', which must be named"
                throw RequestError(
                    .notFound,
                    (isFolder ? "there is no database in '\(name)'" : "no database matches '\(name)'")
                        + backups)
            }
            add(found)
        }
    }

    private static func databases(in folder: String, _ takesSnapshots: Bool) throws -> [String] {
        try SnapshotFolder.snapshots(in: folder).filter {
            takesSnapshots || $0.kind == .database && !CompressedFile.isSnapshot($0.path)
        }.map(\.path)
    }

    /// Adds what a file lists: one path a line, or paths separated by NUL, or a manifest of `drydock manifest`. Paths in it
    /// are relative to the working folder; those of a manifest too.
    /// - Throws: ``RequestError`` where it cannot be read, or lists nothing.
    public mutating func add(file name: String, _ bytes: [UInt8]) throws {
        if bytes.first(where: { !" \n\r\t".utf8.contains($0) }) == UInt8(ascii: "{") {
            let manifest = try Manifest(bytes, name)
            return add(manifest.databases.map(\.path), weights: manifest.weights)
        }
        let isNUL = bytes.contains(0)
        let lines = bytes.split(separator: isNUL ? 0 : UInt8(ascii: "\n")).map { line in
            !isNUL && line.last == UInt8(ascii: "\r") ? line.dropLast() : line
        }.filter { !$0.isEmpty }
        guard !lines.isEmpty else { throw RequestError(.notFound, "\(name) does not list a database") }
        // A name that is not valid UTF-8 is reported by whatever should open it, beside the others.
        add(lines.map { ByteName.text(of: $0) })
    }

    /// Adds what a query gives: `app.sqlite: SELECT path FROM tenant`. The paths are relative to the working folder.
    /// - Throws: ``RequestError`` where the query fails, gives something that is not a path, or gives nothing.
    public mutating func add(query text: String, on engine: any Engine) async throws {
        guard let split = text.range(of: ": ") else {
            throw RequestError(
                .settingInvalid,
                "'\(text)' is not a database and a query; write 'app.sqlite: SELECT path FROM tenant'")
        }
        let (file, query) = (String(text[..<split.lowerBound]), String(text[split.upperBound...]))
        guard FolderListing.exists(file) else {
            throw RequestError(.notFound, FolderListing.missing("database", file))
        }
        let statements = SQLSource(name: file, bytes: Array(query.utf8)).statements().count
        guard statements == 1 else {
            throw RequestError(
                .settingInvalid,
                "the query of '\(file)' has \(counted(statements, "statement")), and must have one: '\(query)'"
            )
        }
        let rows: [SQLValue?]
        do {
            rows = try await LiveOverlay.reading(file, on: engine) { connection in
                try connection.execute("PRAGMA query_only = 1")
                // Inside a transaction no statement can attach another database.
                try connection.execute("BEGIN")
                let rows = Result { try connection.rows(query) { $0.columnCount == 1 ? $0.value(0) : nil } }
                try connection.execute("ROLLBACK")
                return try rows.get()
            }
        } catch let error as EngineError {
            throw RequestError(.init(error), "the query of '\(file)' fails: \(error)")
        }
        guard !rows.isEmpty else { throw RequestError(.notFound, "the query of '\(file)' returns no row") }
        var paths: [String] = []
        for (index, value) in rows.enumerated() {
            guard case .text(let bytes)? = value, !bytes.isEmpty else {
                throw RequestError(
                    .settingInvalid,
                    "row \(index + 1) of the query of '\(file)' is not a path; it must have one column, which is text"
                )
            }
            paths.append(ByteName.text(of: bytes))
        }
        add(paths)
    }

    /// - Throws: ``RequestError`` if two names could not be distinguished.
    public func refuseLookAlikes() throws { try FolderListing.refuseLookAlikes(paths) }

    /// A digest of the list, which the parts of one run have in common.
    public var digest: String {
        hexDigest(of: zip(paths, weights).map { "\($0)\u{0}\($1)\u{0}" }.joined())
    }
}
