import DrydockFiles
import DrydockFindings
import DrydockReplay
import DrydockState

/// Reads the text of a lock, with its lines in any order.
struct LockReader {
    private let path: String
    private var migrationsLine: (folder: String, format: String)?
    private var migrations: [LockedMigration] = []
    private var snapshots: [LockedSnapshot] = []
    private var closures: [LockedClosure] = []
    private var origins: [LockedOrigin] = []
    /// Lines that belong to a snapshot, whose own line may follow later.
    private var counts: [(snapshot: String, rows: [String: Int], line: Int)] = []
    /// Lines that belong to a migration, whose own line may follow later.
    private var downs: [(migration: String, down: LockedDown, line: Int)] = []
    private var baselines: [(snapshot: String, key: String, text: String, line: Int)] = []
    /// The line number and text of each entry.
    private var places: [[String]: (line: Int, text: String)] = [:]

    init(path: String) { self.path = path }

    mutating func read(_ text: String) throws -> Lock {
        let lines = Self.lines(of: text)
        try refuseConflicts(lines)
        try readVersion(lines)
        for (index, line) in lines.enumerated() {
            var cursor = LockCursor(line)
            guard !cursor.isAtEnd, !cursor.isAtComment else { continue }
            do {
                let kind = try cursor.word()
                guard try isNew(kind, cursor, line, index + 1) else { continue }
                try readEntry(kind, &cursor, index + 1)
            } catch let fault as LockFault {
                throw error(index + 1, fault.message)
            }
        }
        // An app's closures need no folder.
        guard migrationsLine != nil || !closures.isEmpty && migrations.isEmpty else {
            throw missing("migrations FOLDER format=NAME", lines)
        }
        var lock = Lock(
            migrationsFolder: migrationsLine?.folder ?? "", format: migrationsLine?.format ?? "")
        lock.closures = closures
        lock.origins = origins.sorted { naturallyPrecedes($0.path, $1.path) }
        lock.migrations = try migrationsWithDowns()
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
        RequestError(.lockInvalid, "\(path):\(line): \(message)", file: path, line: line)
    }

    private func missing(_ entry: String, _ lines: [String]) -> RequestError {
        error(max(1, lines.count), "the lock has no line '\(entry)'; restore it")
    }

    // MARK: - Lines

    /// Reads the version first, wherever it is: the lines of a newer lock may differ from these.
    private mutating func readVersion(_ lines: [String]) throws {
        for (index, line) in lines.enumerated() {
            var cursor = LockCursor(line)
            guard (try? cursor.word()) == "version" else { continue }
            do { try readVersion(&cursor) } catch let fault as LockFault {
                throw error(index + 1, fault.message)
            }
            places[["version"]] = (index + 1, LockCursor(line).rest)
            return
        }
        throw missing("version \(Lock.version)", lines)
    }

    private func readVersion(_ cursor: inout LockCursor) throws {
        guard let number = Int(try cursor.word()) else {
            throw LockFault("the version of a lock is a number: 'version \(Lock.version)'; restore it")
        }
        guard number <= Lock.version else {
            throw LockFault(
                "a newer drydock wrote this lock (version \(number), this one reads \(Lock.version)); update drydock"
            )
        }
        guard number > 0 else { throw LockFault("there is no version \(number) of the lock; restore it") }
        try cursor.expectEnd()
    }

    /// Refuses a second line for an entry; an identical line, as a merge leaves it, is ignored.
    private mutating func isNew(_ kind: String, _ cursor: LockCursor, _ line: String, _ number: Int) throws
        -> Bool
    {
        var cursor = cursor
        var entry = [kind]
        switch kind {
        case "version", "migrations": break
        case "migration", "down", "closure", "snapshot", "rows", "origin": entry.append(try cursor.word())
        case "baseline": entry += [try cursor.word(), try cursor.pair().value]
        default:
            throw LockFault(
                "'\(kind)' does not begin a line of a lock; these do: migrations, migration, down, closure, snapshot, rows, baseline, origin"
            )
        }
        let text = LockCursor(line).rest
        guard let first = places[entry] else {
            places[entry] = (number, text)
            return true
        }
        guard first.text != text else { return false }
        let what = entry.count > 1 ? "\(entry[0]) '\(entry[1])'" : "the line '\(entry[0])'"
        throw LockFault("\(what) is here and in line \(first.line); delete the one that is wrong")
    }

    private mutating func readEntry(_ kind: String, _ cursor: inout LockCursor, _ line: Int) throws {
        let name = try cursor.word()
        switch kind {
        case "migrations":
            let values = try cursor.pairs(["format"])
            migrationsLine = (name, try cursor.require("format", in: values))
            try cursor.expectEnd()
        case "migration":
            let entry = try migration(name, &cursor)
            try expect(LockLine.of(entry), &cursor)
            migrations.append(entry)
        case "closure":
            let entry = try closure(name, &cursor)
            try expect(LockLine.of(entry), &cursor)
            closures.append(entry)
        case "down":
            let values = try cursor.pairs(["bytes", "tokens"])
            let down = LockedDown(
                bytes: try digest("bytes", in: values, &cursor),
                tokens: try digest("tokens", in: values, &cursor))
            try expect(LockLine.of(down, of: name), &cursor)
            downs.append((name, down, line))
        case "snapshot":
            let entry = try snapshot(name, &cursor)
            try expect(LockLine.of(entry), &cursor)
            snapshots.append(entry)
        case "origin":
            let entry = try origin(name, &cursor)
            try expect(LockLine.of(entry), &cursor)
            origins.append(entry)
        case "rows":
            let rows = try cursor.pairs(nil).mapValues { count in
                guard let number = Int(count), number >= 0 else {
                    throw LockFault("'\(count)' is not a number of rows")
                }
                return number
            }
            try expect(LockLine.of(rows: rows, of: name), &cursor)
            counts.append((name, rows, line))
        default:
            let key = try cursor.digest("by", try cursor.pair(), count: BaselineKey.digitCount)
            let digits = try cursor.digits()
            let text = cursor.rest
            guard Baseline(lockText: text) != nil else {
                throw LockFault("this is not a baseline; delete the line, or restore it")
            }
            try Self.expect(LockLine.of(baseline: text, by: key, of: name), digits)
            baselines.append((name, key, text, line))
        }
    }

    /// Compares a line with the checksum at its end; a line without a checksum is accepted.
    private func expect(_ line: LockLine, _ cursor: inout LockCursor) throws {
        let digits = try cursor.digits()
        try cursor.expectEnd()
        try Self.expect(line, digits)
    }

    private static func expect(_ line: LockLine, _ digits: String?) throws {
        guard let digits, digits != line.digits else { return }
        throw LockFault(
            "the line was edited by hand: its checksum #\(digits) does not match. Restore it, or delete it and run "
                + "'drydock lock'")
    }

    private func digest(_ name: String, in values: [String: String], _ cursor: inout LockCursor) throws
        -> String
    {
        try cursor.digest(name, (name, cursor.require(name, in: values)), count: 64)
    }

    private func migration(_ name: String, _ cursor: inout LockCursor) throws -> LockedMigration {
        let values = try cursor.pairs(["file", "bytes", "tokens", "up", "marks", "checksum"])
        var migration = LockedMigration(identifier: name)
        migration.file = values["file"]
        migration.bytes = try values["bytes"].map { try cursor.digest("bytes", ("bytes", $0), count: 64) }
        migration.tokens = try values["tokens"].map { try cursor.digest("tokens", ("tokens", $0), count: 64) }
        migration.up = try values["up"].map { try cursor.digest("up", ("up", $0), count: 64) }
        if let marks = values["marks"] {
            let isNone = marks == TokenDigest.noMarks
            migration.marks =
                isNone
                ? marks : try cursor.digest("marks", ("marks", marks), count: TokenDigest.markDigits)
        }
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

    private func origin(_ name: String, _ cursor: inout LockCursor) throws -> LockedOrigin {
        let values = try cursor.pairs([
            "by", "of", "at", "sqlite", "rows", "seed", "masked", "made", "content",
        ])
        func number(_ key: String) throws -> Int {
            let text = try cursor.require(key, in: values)
            guard let number = Int(text), number >= 0 else {
                throw LockFault("\(key)=\(text) is not a number; restore the line, or delete it")
            }
            return number
        }
        let word = try cursor.require("by", in: values)
        guard let way = LockedOrigin.Way(rawValue: word) else {
            throw LockFault(
                "by=\(word) does not say how a snapshot was made; the ways are: "
                    + LockedOrigin.Way.allCases.map(\.rawValue).joined(separator: ", "))
        }
        var origin = LockedOrigin(
            path: name, way: way, library: try cursor.require("sqlite", in: values), rows: try number("rows"),
            seed: try number("seed"), date: try cursor.require("made", in: values))
        (origin.source, origin.version, origin.content) = (values["of"], values["at"], values["content"])
        origin.masked = values["masked"].map(LockWord.names) ?? []
        return origin
    }

    // MARK: - Assembling

    private func migrationsWithDowns() throws -> [LockedMigration] {
        guard !downs.isEmpty else { return migrations }
        var result = migrations
        let indexes = Dictionary(
            migrations.enumerated().map { ($1.identifier, $0) }, uniquingKeysWith: { first, _ in first })
        for (name, down, line) in downs {
            guard let index = indexes[name] else { throw orphan("migration", name, line) }
            result[index].down = down
        }
        return result
    }

    private func orphan(_ kind: String, _ name: String, _ line: Int) -> RequestError {
        error(line, "there is no line '\(kind)' for '\(name)'; restore it, or delete the lines that name it")
    }

    private func assembled() throws -> [LockedSnapshot] {
        var result = snapshots
        func index(_ snapshot: String, _ line: Int) throws -> Int {
            guard let index = result.firstIndex(where: { $0.path == snapshot }) else {
                throw orphan("snapshot", snapshot, line)
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
    /// Returns the line of an entry in the lock. It is searched when a finding needs it, so that a lock keeps no line
    /// numbers.
    package func entry(_ kind: String, _ name: String) -> Finding.Place {
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

/// Why a line cannot be part of a lock.
struct LockFault: Error {
    var message: String

    init(_ message: String) { self.message = message }
}

extension Lock {
    /// Parses the text of a lock.
    /// - Throws: ``RequestError`` with file and line.
    package init(_ text: String, path: String) throws {
        var reader = LockReader(path: path)
        self = try reader.read(text)
    }
}
