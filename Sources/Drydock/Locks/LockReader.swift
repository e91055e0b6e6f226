/// Reads the text of a lock, in whatever order its lines stand.
struct LockReader {
    private let path: String
    private var migrationsLine: (folder: String, format: String)?
    private var migrations: [LockedMigration] = []
    private var snapshots: [LockedSnapshot] = []
    private var closures: [LockedClosure] = []
    /// Lines that belong to a snapshot, which may come later.
    private var counts: [(snapshot: String, rows: [String: Int], line: Int)] = []
    private var baselines: [(snapshot: String, key: String, text: String, line: Int)] = []
    /// Where each entry stands.
    private var places: [[String]: Int] = [:]

    init(path: String) { self.path = path }

    mutating func read(_ text: String) throws -> Lock {
        let lines = Self.lines(of: text)
        try refuseConflicts(lines)
        var isVersionKnown = false
        for (index, line) in lines.enumerated() {
            var cursor = LockCursor(line)
            guard !cursor.isAtEnd, !cursor.isAtComment else { continue }
            do {
                let kind = try cursor.word()
                guard isVersionKnown else {
                    try readVersion(kind, &cursor)
                    isVersionKnown = true
                    continue
                }
                try readEntry(kind, &cursor, index + 1)
            } catch let fault as LockFault {
                throw error(index + 1, fault.message)
            }
        }
        guard isVersionKnown, migrationsLine != nil || !closures.isEmpty && migrations.isEmpty else {
            throw error(
                max(1, lines.count),
                "the lock has no line '\(isVersionKnown ? "migrations FOLDER format=NAME" : "version 1")'; restore it"
            )
        }
        var lock = Lock(
            migrationsFolder: migrationsLine?.folder ?? "", format: migrationsLine?.format ?? "")
        lock.closures = closures
        lock.migrations = migrations
        lock.snapshots = try assembled()
        return lock
    }

    static func lines(of text: String) -> [String] {
        var scalars = text.unicodeScalars[...]
        if scalars.first == "\u{FEFF}" { scalars = scalars.dropFirst() }
        return scalars.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            String(line.last == "\r" ? line.dropLast() : line)
        }
    }

    private func refuseConflicts(_ lines: [String]) throws {
        let marks = ["<<<<<<<", "=======", ">>>>>>>", "|||||||"]
        guard let index = lines.firstIndex(where: { line in marks.contains { line.hasPrefix($0) } }) else {
            return
        }
        throw error(
            index + 1,
            "a merge left its conflict markers in the lock; delete the markers and keep the lines of both sides, or "
                + "take one side whole and run 'drydock lock', which adds what is missing")
    }

    private func error(_ line: Int, _ message: String) -> RequestError {
        RequestError("\(path):\(line): \(message)")
    }

    // MARK: - Lines

    private func readVersion(_ kind: String, _ cursor: inout LockCursor) throws {
        guard kind == "version", let number = Int(try cursor.word()) else {
            throw LockFault("the first line of a lock is 'version \(Lock.version)'; restore it")
        }
        guard number <= Lock.version else {
            throw LockFault(
                "a newer drydock wrote this lock (version \(number), this one reads \(Lock.version)); update drydock"
            )
        }
        guard number > 0 else { throw LockFault("there is no version \(number) of the lock; restore it") }
        try cursor.expectEnd()
    }

    private mutating func readEntry(_ kind: String, _ cursor: inout LockCursor, _ line: Int) throws {
        let name: String
        switch kind {
        case "migrations", "migration", "closure", "snapshot", "rows", "baseline": name = try cursor.word()
        case "version": throw LockFault("the version stands here twice; restore the lock")
        default:
            throw LockFault(
                "'\(kind)' begins no line of a lock, which are: migrations, migration, closure, snapshot, rows, baseline"
            )
        }
        switch kind {
        case "migrations":
            try once([kind], line)
            let values = try cursor.pairs(["format"])
            migrationsLine = (name, try cursor.require("format", in: values))
        case "migration":
            try once([kind, name], line)
            migrations.append(try migration(name, &cursor))
        case "closure":
            try once([kind, name], line)
            closures.append(try closure(name, &cursor))
        case "snapshot":
            try once([kind, name], line)
            snapshots.append(try snapshot(name, &cursor))
        case "rows":
            try once([kind, name], line)
            var rows: [String: Int] = [:]
            for (table, count) in try cursor.pairs(nil) {
                guard let number = Int(count), number >= 0 else {
                    throw LockFault("'\(count)' is no number of rows")
                }
                rows[table] = number
            }
            counts.append((name, rows, line))
        default:
            let key = try cursor.digest("by", try cursor.pair(), count: BaselineKey.digitCount)
            try once([kind, name, key], line)
            let text = cursor.rest
            guard Baseline(lockText: text) != nil else {
                throw LockFault("this is no baseline; delete the line, or restore it")
            }
            baselines.append((name, key, text, line))
        }
    }

    private func migration(_ name: String, _ cursor: inout LockCursor) throws -> LockedMigration {
        let values = try cursor.pairs(["file", "bytes", "tokens", "checksum"])
        var migration = LockedMigration(identifier: name)
        migration.file = values["file"]
        migration.bytes = try values["bytes"].map { try cursor.digest("bytes", ("bytes", $0), count: 64) }
        migration.tokens = try values["tokens"].map { try cursor.digest("tokens", ("tokens", $0), count: 64) }
        migration.checksum = values["checksum"]
        return migration
    }

    private func closure(_ name: String, _ cursor: inout LockCursor) throws -> LockedClosure {
        let values = try cursor.pairs(["sql", "values"])
        let sql = try cursor.require("sql", in: values)
        return LockedClosure(
            identifier: name, sql: try cursor.digest("sql", ("sql", sql), count: 64),
            values: try values["values"].map { try cursor.digest("values", ("values", $0), count: 64) })
    }

    private func snapshot(_ name: String, _ cursor: inout LockCursor) throws -> LockedSnapshot {
        let values = try cursor.pairs(["content", "tokens", "at", "sqlite", "locked"])
        let content = try cursor.require("content", in: values)
        var snapshot = LockedSnapshot(
            path: name, content: try cursor.digest("content", ("content", content), count: 64),
            date: try cursor.require("locked", in: values))
        snapshot.tokens = try values["tokens"].map { try cursor.digest("tokens", ("tokens", $0), count: 64) }
        snapshot.version = values["at"]
        snapshot.library = values["sqlite"]
        return snapshot
    }

    // MARK: - The whole

    /// Notes where an entry stands, and refuses a second one.
    private mutating func once(_ entry: [String], _ line: Int) throws {
        guard let first = places.updateValue(line, forKey: entry) else { return }
        let what = entry.count > 1 ? "\(entry[0]) '\(entry[1])'" : "the line '\(entry[0])'"
        throw LockFault("\(what) stands here and in line \(first); delete the one that is wrong")
    }

    private func assembled() throws -> [LockedSnapshot] {
        var result = snapshots
        func index(_ snapshot: String, _ line: Int) throws -> Int {
            guard let index = result.firstIndex(where: { $0.path == snapshot }) else {
                throw error(
                    line, "no line 'snapshot' has '\(snapshot)'; restore it, or delete the lines that name it"
                )
            }
            return index
        }
        for entry in counts { result[try index(entry.snapshot, entry.line)].rows = entry.rows }
        for entry in baselines {
            result[try index(entry.snapshot, entry.line)].baselines[entry.key] = entry.text
        }
        return result.sorted { naturallyPrecedes($0.path, $1.path) }
    }
}

extension LockCheck {
    /// Where an entry stands in the lock: asked where something is said of it, so that a lock keeps no lines.
    func entry(_ kind: String, _ name: String) -> Finding.Place {
        var result = Finding.Place(file: place.path)
        guard let bytes = try? FolderListing.contents(of: place.path) else { return result }
        let index = LockReader.lines(of: String(decoding: bytes, as: UTF8.self)).firstIndex { line in
            var cursor = LockCursor(line)
            return (try? cursor.word()) == kind && (try? cursor.word()) == name
        }
        result.line = index.map { $0 + 1 }
        return result
    }
}

/// Why a line is none of a lock.
struct LockFault: Error {
    var message: String

    init(_ message: String) { self.message = message }
}

extension Lock {
    /// - Throws: ``RequestError`` with file and line.
    init(_ text: String, path: String) throws {
        var reader = LockReader(path: path)
        self = try reader.read(text)
    }
}
