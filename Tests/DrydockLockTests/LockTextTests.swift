import Foundation
import TestTools
import Testing

@testable import DrydockFindings
@testable import DrydockLock
@testable import DrydockReplay
@testable import DrydockState
@testable import DrydockTestSupport

/// Checks that a lock reads back as it was written, with its lines in any order, and that errors are reported.
@Suite struct LockTextTests {
    @Test(arguments: seeds(60, of: 5_000)) func `a lock reads back as it was written`(
        _ seed: Int
    ) throws {
        var random = LockRandom(seed)
        let lock = random.lock()
        #expect(try Lock(lock.text, path: "drydock.lock") == lock)
        #expect(try Lock(lock.text, path: "drydock.lock").text == lock.text)
        #expect(try Lock("\u{FEFF}" + lock.text.replacing("\n", with: " \r\n"), path: "") == lock)
    }

    @Test(arguments: seeds(60, of: 5_000))
    func `a merge may mix the lines, except the order of migrations`(
        _ seed: Int
    ) throws {
        var random = LockRandom(seed)
        let lock = random.lock()
        let lines = lock.text.unicodeScalars.split(separator: "\n").map(String.init)
        let isOrdered = { (line: String) in line.utf8.starts(with: "migration ".utf8) }
        var ordered = lines.filter(isOrdered)[...]
        let mixed = lines.shuffled(using: &random.generator).map {
            isOrdered($0) ? ordered.removeFirst() : $0
        }
        #expect(try Lock(mixed.joined(separator: "\n"), path: "") == lock)
    }

    @Test func `two sides that add different entries merge by keeping all lines`() throws {
        var base = Lock(migrationsFolder: "Migrations", format: "drydock")
        base.migrations = [LockedMigration(identifier: "v1")]
        var (ours, theirs) = (base, base)
        ours.migrations.append(LockedMigration(identifier: "v2_ours"))
        theirs.migrations.append(LockedMigration(identifier: "v2_theirs"))
        ours.snapshots = [LockedSnapshot(path: "a", content: Self.digest, date: "d")]
        theirs.snapshots = [LockedSnapshot(path: "b", content: Self.digest, date: "d")]
        let new = theirs.text.split(separator: "\n").filter { !ours.text.contains($0) }
        let merged = try Lock(ours.text + new.joined(separator: "\n"), path: "")
        #expect(merged.migrations.map(\.identifier) == ["v1", "v2_ours", "v2_theirs"])
        #expect(merged.snapshots.map(\.path) == ["a", "b"])
    }

    private static let digest = String(repeating: "0a", count: 32)
    private static let head = "version 1\nmigrations M format=drydock\n"

    @Test(arguments: [
        ("", "1: the lock has no line 'version 2'"), ("# only\n", "the lock has no line 'version 2'"),
        ("version 1\n", "the lock has no line 'migrations FOLDER format=NAME'"),
        (
            "version 3\nwhatever is new = here\n",
            "1: a newer drydock wrote this lock (version 3, this one reads 2); update"
        ),
        ("# x\nversion 0\n", "2: there is no version 0"),
        ("migration a\n", "the lock has no line 'version 2'"),
        ("version two\n", "1: the version of a lock is a number"),
        ("whatever is new = here\nversion 3\n", "2: a newer drydock wrote this lock"),
        (head + "version 2\n", "3: the line 'version' is here and in line 1"),
        ("migrations N format=x\n" + head, "3: the line 'migrations' is here and in line 1"),
        (head + "migrations N format=drydock\n", "3: the line 'migrations' is here and in line 2"),
        (head + "migration a marks=some\n", "3: marks=some is not a digest of 16 hexadecimal digits"),
        (head + "migration a #00000000\n", "3: the line was edited by hand"),
        (head + "down a bytes=\(digest) tokens=\(digest)\n", "3: there is no line 'migration' for 'a'"),
        (head + "down a bytes=\(digest)\n", "3: 'tokens=' is missing"),
        (head + "migraton a\n", "3: 'migraton' does not begin a line of a lock"),
        (head + "migration a\nmigration a file=x\n", "4: migration 'a' is here and in line 3"),
        (head + "migration a bytes=12\n", "3: bytes=12 is not a digest of 64 hexadecimal digits"),
        (head + "migration a colour=red\n", "3: 'colour' does not belong here"),
        (head + "migration a file=x file=y\n", "3: 'file' appears twice"),
        (head + "migration\n", "3: the line ends too soon"),
        (head + "migration \"a\n", "3: a quote is not closed"),
        (head + "migration \"a\\x\"\n", "3: a backslash is followed by none of"),
        (head + "snapshot a locked=x\n", "3: 'content=' is missing"),
        (head + "snapshot a content=\(digest)\n", "3: 'locked=' is missing"),
        (head + "rows a t=1\n", "3: there is no line 'snapshot' for 'a'"),
        (head + "rows a t=-1\n", "3: '-1' is not a number of rows"),
        (head + "rows a t\n", "3: 't' has no value"),
        (head + "baseline a by=0123456789abcdef dirty\n", "3: this is not a baseline"),
        (
            head + "migration a\n<<<<<<< HEAD\nmigration b\n=======\nmigration c\n>>>>>>> other\n",
            "4: a merge left its conflict markers in the lock; delete the markers and keep the lines of both sides"
        ),
        (
            "<<<<<<< HEAD\nversion 1\n=======\nversion 2\n>>>>>>> other\n",
            "1: a merge left its conflict markers"
        ),
    ]) func `an invalid lock is reported with its line`(_ text: String, _ message: String) throws {
        let error = #expect(throws: RequestError.self) { try Lock(text, path: "drydock.lock") }
        let description = error?.description ?? ""
        #expect(description.hasPrefix("drydock.lock:") && description.contains(message), "\(description)")
    }

    @Test func `a lock that was cut short is refused, wherever it ends`() throws {
        var random = LockRandom(7)
        var lock = random.lock()
        while lock.migrations.isEmpty || lock.snapshots.isEmpty { lock = random.lock() }
        let folder = try TemporaryFolder()
        let bytes = Array(lock.text.utf8)
        for count in bytes.indices where count == 0 || bytes[count - 1] != UInt8(ascii: "\n") {
            try folder.write("drydock.lock", bytes[..<count])
            let error = #expect(throws: RequestError.self) { try Lock.load(folder.file("drydock.lock")) }
            #expect(error?.description.contains("drydock.lock:") == true)
        }
        // Cut at the end of a line, it has fewer entries: the rest are not locked, and --check lists them.
        try folder.write("drydock.lock", bytes)
        #expect(try Lock.load(folder.file("drydock.lock")) == lock)
    }

    @Test(arguments: seeds(20, of: 2_000)) func `a change of one character is noticed`(
        _ seed: Int
    ) throws {
        var random = LockRandom(seed)
        let text = random.lock().text
        let lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).map(
            String.init)
        let kinds = ["migration ", "down ", "snapshot ", "rows ", "baseline "]
        for (index, line) in lines.enumerated() where kinds.contains(where: line.hasPrefix) {
            var scalars = Array(line.unicodeScalars)
            let place = Int.random(in: 0..<scalars.count, using: &random.generator)
            guard scalars[place].properties.isAlphabetic || ("0"..."9").contains(scalars[place]) else {
                continue
            }
            scalars[place] = scalars[place] == "7" ? "8" : "7"
            var edited = lines
            edited[index] = scalars.reduce(into: "") { $0.unicodeScalars.append($1) }
            let error = #expect(throws: RequestError.self) {
                try Lock(edited.joined(separator: "\n"), path: "drydock.lock")
            }
            #expect(error?.description.hasPrefix("drydock.lock:\(index + 1): ") == true, "\(line)")
        }
    }

    @Test func `a lock of the first version is still read`() throws {
        let text = """
            version 1
            migrations M format=drydock
            migration a bytes=\(Self.digest) tokens=\(Self.digest)
            migration a bytes=\(Self.digest) tokens=\(Self.digest)

            """
        let lock = try Lock(text, path: "")
        #expect(
            lock.migrations.count == 1 && lock.migrations[0].marks == nil && lock.migrations[0].down == nil)
    }

    @Test func `a missing file is not a lock, and a file that is not text is refused`() throws {
        let folder = try TemporaryFolder()
        #expect(try Lock.load(folder.file("drydock.lock")) == nil)
        try folder.write("drydock.lock", [0xFF, 0xFE])
        let error = #expect(throws: RequestError.self) { try Lock.load(folder.file("drydock.lock")) }
        #expect(error?.description.contains("not UTF-8 text") == true)
    }
}

/// Makes random locks with unusual names.
private struct LockRandom {
    var generator: SeededGenerator

    init(_ seed: Int) { generator = SeededGenerator(seed: seed) }

    mutating func lock() -> Lock {
        var lock = Lock(migrationsFolder: word(), format: word())
        for index in 0..<Int.random(in: 0...4, using: &generator) {
            var migration = LockedMigration(identifier: word() + "\(index)")
            migration.file = maybe(word())
            migration.bytes = maybe(digest())
            migration.tokens = maybe(digest())
            migration.up = maybe(digest())
            migration.checksum = maybe(word())
            migration.marks = maybe(maybe("none") ?? "0123456789abcdef")
            if Bool.random(using: &generator) {
                migration.down = LockedDown(bytes: digest(), tokens: digest())
            }
            lock.migrations.append(migration)
        }
        for index in 0..<Int.random(in: 0...4, using: &generator) {
            var snapshot = LockedSnapshot(path: word() + "\(index)", content: digest(), date: word())
            snapshot.tokens = maybe(digest())
            snapshot.version = maybe(word())
            snapshot.library = maybe(word())
            for table in 0..<Int.random(in: 0...3, using: &generator) {
                snapshot.rows[word() + "\(table)"] = Int.random(in: 0...Int.max, using: &generator)
            }
            if Bool.random(using: &generator) { snapshot.baselines["0123456789abcdef"] = "clean" }
            if Bool.random(using: &generator) { snapshot.baselines["0123456789abcde0"] = Self.baseline }
            lock.snapshots.append(snapshot)
        }
        lock.snapshots.sort { naturallyPrecedes($0.path, $1.path) }
        for index in 0..<Int.random(in: 0...2, using: &generator) {
            var origin = LockedOrigin(
                path: word() + "\(index)", way: index == 0 ? .taken : .generated, library: word(),
                rows: Int.random(in: 0...Int.max, using: &generator), seed: 7, date: word())
            (origin.source, origin.version) = (maybe(word()), maybe(word()))
            if Bool.random(using: &generator) { origin.masked = ["a.b", "c d.é", "e.x,y%2C%"] }
            lock.origins.append(origin)
        }
        lock.origins.sort { naturallyPrecedes($0.path, $1.path) }
        return lock
    }

    private static let baseline =
        Baseline(
            integrity: IntegrityCheck(),
            faults: [
                Fault(
                    id: .init(rule: .foreignKeyViolation, names: ["a \"b\""]), sentence: "1 row\nof a",
                    help: "")
            ], notChecked: [], parents: nil
        ).lockText ?? ""

    private mutating func maybe(_ value: String) -> String? { Bool.random(using: &generator) ? value : nil }

    private mutating func digest() -> String {
        (0..<32).map { _ in UInt8.random(in: 0...255, using: &generator) }.hex
    }

    private mutating func word() -> String {
        let pieces = [
            "a", "v1_x", "é", "e\u{301}", "\u{301}", " ", "\t", "\n", "\r", "\r\n", "=", "\"", "\\", "#",
            "<<<<<<<",
            "\u{202E}", "\u{2028}", "\u{A0}", "\u{0}", "🛳️", "/", "{}", "\u{85}",
        ]
        return (0..<Int.random(in: 0...5, using: &generator)).map { _ in
            pieces.randomElement(using: &generator) ?? ""
        }
        .joined()
    }
}
