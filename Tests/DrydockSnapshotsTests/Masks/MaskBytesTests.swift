import DatabaseEngine
import DrydockFindings
import DrydockSnapshots
import Foundation
import Testing

@testable import DrydockTestSupport

/// No byte of a masked value is in the file, wherever SQLite may put it.
@Suite struct MaskBytesTests {
    private static let schema = """
        CREATE TABLE person (email TEXT PRIMARY KEY, name TEXT COLLATE NOCASE UNIQUE, secret BLOB, card INTEGER, about TEXT);
        CREATE TABLE letter (id INTEGER PRIMARY KEY AUTOINCREMENT, sender TEXT REFERENCES person (email), body TEXT,
          start TEXT AS (substr(body, 1, 30)) STORED);
        CREATE INDEX by_name ON person (upper(name), about);
        CREATE INDEX by_body ON letter (body, sender);
        CREATE VIRTUAL TABLE words USING fts5(body);
        CREATE VIRTUAL TABLE others USING fts5(body, sender, content=letter, content_rowid=id);
        CREATE TRIGGER t AFTER INSERT ON letter BEGIN INSERT INTO words (rowid, body) VALUES (new.id, new.body); END;
        """

    private static func make(_ encoding: String) throws -> SubsetCase {
        try SubsetCase(
            """
            PRAGMA encoding = '\(encoding)'; \(schema)
            \(SubsetCase.numbers) INSERT INTO person SELECT
              'user' || i || '.mail@privatedomain' || i || '.org', 'Zacharias Number ' || i, randomblob(40), 1000000000000000 + i * 7919,
              '{"home": "Secretstreet ' || i || '", "age": ' || (1000000 + i) || '}' FROM n;
            \(SubsetCase.numbers) INSERT INTO letter (sender, body) SELECT
              'user' || (i % 1000 + 1) || '.mail@privatedomain' || (i % 1000 + 1) || '.org', 'Dearest' || i || ' confidential matter ' || i * 31337 || ' é' FROM n;
            ANALYZE;
            """)
    }

    /// What must not be in the file: whole values, and each of their longer words.
    private static func secrets(of whole: SubsetCase) throws -> Set<[UInt8]> {
        let database = try PlainDatabase(whole.path)
        try database.execute("PRAGMA encoding")
        var secrets: Set<[UInt8]> = []
        for sql in [
            "SELECT email FROM person", "SELECT name FROM person", "SELECT about FROM person",
            "SELECT body FROM letter",
        ] {
            for text in try database.rows(sql, [], { $0.string(0) }) {
                let words = text.split { !$0.isLetter && !$0.isNumber }.map(String.init)
                for word in [text] + words where word.utf8.count >= 8 && word != "confidential" {
                    secrets.insert(Array(word.utf8))
                    secrets.insert(Array(word.utf16.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }))
                    secrets.insert(Array(word.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }))
                }
            }
        }
        for blob in try database.rows("SELECT secret FROM person", [], { $0.withBytes(0) { Array($0) } }) {
            secrets.insert(blob)
        }
        for number in try database.rows("SELECT card FROM person", [], { UInt64(bitPattern: $0.integer(0)) })
        {
            secrets.insert((0..<8).reversed().map { UInt8(number >> (UInt64($0) * 8) & 255) })
        }
        return secrets
    }

    /// Returns the secrets that some bytes have. Each has at least eight bytes.
    private static func found(_ secrets: Set<[UInt8]>, in bytes: [UInt8]) -> [[UInt8]] {
        func head(_ bytes: some Sequence<UInt8>) -> UInt64 {
            bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
        }
        let lengths = Dictionary(grouping: secrets, by: head).mapValues { Set($0.map(\.count)) }
        var found: [[UInt8]] = []
        var window: UInt64 = 0
        for end in bytes.indices {
            window = window << 8 | UInt64(bytes[end])
            guard end >= 7, let counts = lengths[window] else { continue }
            for count in counts where end - 7 + count <= bytes.count {
                let part = Array(bytes[(end - 7)..<(end - 7 + count)])
                if secrets.contains(part) { found.append(part) }
            }
        }
        return found
    }

    @Test(arguments: ["UTF-8", "UTF-16le", "UTF-16be"])
    func `no byte of a masked value is left`(_ encoding: String) async throws {
        let whole = try Self.make(encoding)
        let secrets = try Self.secrets(of: whole)
        #expect(secrets.count > 20_000)
        let plain = try await whole.take("plain.sqlite") { $0.amount = .rows(300) }
        let before = Array(try Data(contentsOf: URL(filePath: plain.path)))
        #expect(Self.found(secrets, in: before).count > 1000)
        let masked = try await whole.take {
            $0.amount = .rows(300)
            $0.masks.columns = ["person.*", "letter.body"]
        }
        try masked.checkSound()
        let bytes = Array(try Data(contentsOf: URL(filePath: masked.path)))
        let left = Self.found(secrets, in: bytes).map { String(decoding: $0, as: UTF8.self) }
        #expect(left.isEmpty, "\(left.prefix(5))")
        // The masks are searched as the words were.
        for table in ["words", "others"] {
            try masked.database.execute("INSERT INTO \(table) (\(table)) VALUES ('integrity-check')")
        }
        let count = try masked.number("SELECT count(*) FROM letter")
        #expect(try masked.number("SELECT count(*) FROM words") == count)
        #expect(try masked.number("SELECT count(*) FROM letter JOIN person ON email = sender") == count)
        #expect(
            try masked.number(
                "SELECT count(*) FROM person WHERE email LIKE '%_@_%.org' AND json_valid(about)")
                == masked.number("SELECT count(*) FROM person"))
    }

    @Test func `a masked rowid is masked in its indexes and marks as well`() async throws {
        let whole = try Self.make("UTF-8")
        try PlainDatabase(whole.path).execute(
            "UPDATE letter SET id = id + 700000; DELETE FROM words; INSERT INTO words (rowid, body) SELECT id, body FROM letter"
        )
        let masked = try await whole.take { $0.masks.columns = ["letter.id"] }
        #expect(
            try masked.number("SELECT count(*) FROM letter WHERE id BETWEEN 700001 AND 705000") == 0
                || masked.number("SELECT max(id) FROM letter") > 705_000)
        #expect(
            try masked.number(
                "SELECT count(*) FROM letter JOIN words ON words.rowid = letter.id WHERE words.body = letter.body"
            ) == masked.number("SELECT count(*) FROM letter"))
        #expect(
            try masked.number("SELECT seq FROM sqlite_sequence WHERE name = 'letter'")
                == masked.number("SELECT max(id) FROM letter"))
    }
}
