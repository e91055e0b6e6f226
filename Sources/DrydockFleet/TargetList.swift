import Foundation
import DatabaseEngine
import DrydockFindings
import DrydockReplay

/// The databases that a command is for, in order, and what each of them costs where that is known.
///
///     var targets = try TargetList(paths)
///     targets.add(try TargetList.read(file: "databases.txt"))
public struct TargetList: Sendable {
    public private(set) var paths: [String] = []
    /// What a database costs, from a manifest; equal for all where nothing is known.
    public private(set) var weights: [Double] = []
    private var seen: Set<String> = []

    public init() {}

    /// Adds databases that are not there yet, whatever name they go by.
    public mutating func add(_ paths: [String], weights: [Double]? = nil) {
        for (index, path) in paths.enumerated() where seen.insert(FolderListing.realPath(path)).inserted {
            self.paths.append(path)
            self.weights.append(weights?[index] ?? 1)
        }
    }

    /// Adds what the names on a command line mean: paths, patterns, and folders with all databases in them.
    /// - Throws: ``RequestError`` for a pattern or folder without a database.
    /// - Parameter takesDumps: whether dumps and compressed databases in folders count too.
    public mutating func add(names: [String], takesDumps: Bool = false) throws {
        for name in names {
            if FolderListing.isFolder(name) {
                let found = try SnapshotFolder.snapshots(in: name).filter {
                    takesDumps || $0.kind == .database && !CompressedFile.isSnapshot($0.path)
                }.map(\.path)
                if found.isEmpty { throw RequestError(.notFound, "there is no database in '\(name)'") }
                add(found)
            } else {
                add(try DatabaseNames.resolve([name]))
            }
        }
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
        guard !lines.isEmpty else { throw RequestError(.notFound, "\(name) lists no database") }
        var paths: [String] = []
        for (index, line) in lines.enumerated() {
            guard let path = String(validating: line, as: UTF8.self) else {
                throw RequestError(
                    .settingInvalid,
                    "the path in \(isNUL ? "entry" : "line") \(index + 1) of \(name) is not valid UTF-8")
            }
            paths.append(path)
        }
        add(paths)
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
            throw RequestError(.notFound, "there is no database '\(file)'")
        }
        let database = try await engine.open(.live(path: file), settings: ConnectionSettings())
        let rows: [SQLValue?]
        do {
            rows = try await database.read { connection in
                try connection.execute("PRAGMA query_only = 1")
                return try connection.rows(query) { $0.columnCount == 1 ? $0.value(0) : nil }
            }
        } catch let error as EngineError {
            try await database.close()
            throw RequestError(.init(error), "the query of '\(file)' fails: \(error)")
        }
        try await database.close()
        guard !rows.isEmpty else { throw RequestError(.notFound, "the query of '\(file)' gives no row") }
        var paths: [String] = []
        for (index, value) in rows.enumerated() {
            guard case .text(let bytes)? = value, let path = String(validating: bytes, as: UTF8.self),
                !path.isEmpty
            else {
                throw RequestError(
                    .settingInvalid,
                    "row \(index + 1) of the query of '\(file)' is not a path; it must have one column, which is text"
                )
            }
            paths.append(path)
        }
        add(paths)
    }

    /// A digest of the list, which the parts of one run have in common.
    public var digest: String {
        hexDigest(of: zip(paths, weights).map { "\($0)\u{0}\($1)\u{0}" }.joined())
    }
}
