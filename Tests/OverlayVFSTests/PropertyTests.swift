import CSQLite
import Foundation
import TestTools
import Testing

@testable import OverlayVFS

/// The overlay must behave exactly as an ordinary file.
@Suite struct PropertyTests {
    @Test(arguments: seeds(10, of: 24, soak: 3_000)) func overlayActsAsAFile(seed: Int) throws {
        var pair = try Pair(seed: seed)
        let before = try pair.folder.state()
        for step in 1...80 {
            try pair.step(step)
            if step % 10 == 0 { try pair.compare(step) }
        }
        try pair.finish()
        #expect(try pair.folder.state() == before, "seed \(seed)")
        try pair.overlay.checkUnchanged()
    }
}

/// A snapshot with an overlay on it, and an ordinary copy of it, which run the same statements.
private struct Pair {
    let seed: Int
    let folder = Folder()
    private let copies = Folder()
    private var workload: Workload
    private(set) var overlay: Overlay
    private var onOverlay: Database
    private var onFile: Database
    private var copy: String
    private var image: Image
    private var log: [String] = []

    init(seed: Int) throws {
        self.seed = seed
        workload = Workload(SeededGenerator(seed: seed))
        let settings = workload.settings()
        let path = try folder.database("main.db", settings + "create table t1(id integer primary key, b, c);")
        let made = try Database(path.uri)
        for _ in 0..<30 { try? made.execute(workload.next(isIdle: sqlite3_get_autocommit(made.handle) != 0)) }
        try? made.execute("commit")
        try made.execute("pragma journal_mode = delete")
        copy = copies.file("main.db")
        try FileManager.default.copyItem(atPath: path, toPath: copy)
        overlay = try Overlay(snapshot: path, memoryLimit: seed % 3 == 0 ? 1 << 20 : 64 << 20)
        image = overlay.freeze().image
        let connection = workload.connectionSettings()
        onOverlay = try Database(overlay)
        onFile = try Database(copy.uri)
        try onOverlay.execute(connection)
        try onFile.execute(connection)
    }

    mutating func step(_ number: Int) throws {
        let isIdle = sqlite3_get_autocommit(onFile.handle) != 0
        if isIdle, workload.random.chance(6) {
            try freeze(number)
            if workload.random.chance(50) { try reopen() }
        }
        let sql = workload.next(isIdle: isIdle)
        log.append(sql)
        let ours = Result { try onOverlay.rows(sql) }
        let theirs = Result { try onFile.rows(sql) }
        switch (ours, theirs) {
        case (.success(let left), .success(let right)): #expect(left == right, "\(place(number))")
        case (.failure(let left as SQLiteError), .failure(let right as SQLiteError)):
            #expect(left.code == right.code, "\(place(number)): \(left) and \(right)")
        default: Issue.record("\(place(number)): \(ours) and \(theirs)")
        }
    }

    func compare(_ number: Int) throws {
        let schema = "select type, name, tbl_name, rootpage, sql from sqlite_schema order by rowid"
        #expect(try onOverlay.rows(schema) == onFile.rows(schema), "\(place(number))")
        for name in try onFile.rows("select name from sqlite_schema where type = 'table'").joined() {
            let sql = "select rowid, * from \"\(name)\""
            #expect(try onOverlay.rows(sql) == onFile.rows(sql), "\(place(number)) \(name)")
        }
        for pragma in [
            "page_size", "page_count", "freelist_count", "auto_vacuum", "encoding", "journal_mode",
        ] {
            let sql = "pragma \(pragma)"
            #expect(try onOverlay.rows(sql) == onFile.rows(sql), "\(place(number)) \(pragma)")
        }
        #expect(try onOverlay.value("pragma integrity_check") == "ok", "\(place(number))")
    }

    /// Freezes and compares the footprint with the bytes of the whole file.
    private mutating func freeze(_ number: Int) throws {
        let (after, footprint) = overlay.freeze()
        #expect(try footprint == bruteForce(image, after), "\(place(number))")
        image = after
    }

    /// Reopens the frozen state in a new overlay, and copies of the files as they are: closing the last
    /// connection would move the log into the file.
    private mutating func reopen() throws {
        let old = copy
        copy = copies.file("\(UUID().uuidString).db")
        for suffix in Sidecar.content where FileManager.default.fileExists(atPath: old + suffix) {
            try FileManager.default.copyItem(atPath: old + suffix, toPath: copy + suffix)
        }
        overlay = try Overlay(image, memoryLimit: 2 << 20)
        let connection = workload.connectionSettings()
        onOverlay = try Database(overlay)
        onFile = try Database(copy.uri)
        try onOverlay.execute(connection)
        try onFile.execute(connection)
    }

    /// Ends what is open and compares both a last time, from the frozen state.
    ///
    /// Not byte for byte: when SQLite writes a page early depends on how full the cache is that all
    /// connections of a process share, and two ordinary files differ in free pages and counters too.
    mutating func finish() throws {
        for database in [onOverlay, onFile] {
            try? database.execute("commit")
            try database.execute("pragma journal_mode = delete")
        }
        try freeze(99)
        try reopen()
        try compare(99)
    }

    private func place(_ number: Int) -> String {
        "DRYDOCK_SEED=\(seed) step \(number)\n\(log.map { String($0.prefix(90)) }.joined(separator: "\n"))"
    }
}

/// Returns the footprint by its definition: every page of both files, side by side.
func bruteForce(_ before: Image, _ after: Image) throws -> Footprint {
    let (old, new) = (try before.bytes, try after.bytes)
    let size = after.pageSize
    let pages = stride(from: 0, to: new.count, by: size).filter { start in
        let end = start + size
        return old[min(start, old.count)..<min(end, old.count)] != new[start..<min(end, new.count)]
    }
    return Footprint(
        pages: pages.map { UInt32($0 / size + 1) }, pageSize: size, sizeBefore: old.count,
        sizeAfter: new.count)
}

extension Image {
    /// All bytes of the main database file.
    var bytes: [UInt8] {
        get throws {
            var result = [UInt8](repeating: 0, count: byteCount)
            try result.withUnsafeMutableBytes { try read(into: $0, at: 0) }
            return result
        }
    }
}

extension String {
    /// The path as a URI for an ordinary connection.
    var uri: String { "file:" + FilePath(self).percentEncoded }
}
