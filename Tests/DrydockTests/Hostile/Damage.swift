import Foundation
import TestTools

@testable import DrydockTestSupport

/// Damages a database file, its log and its journal at random.
struct Damage {
    var random: SeededGenerator

    mutating func spoil(_ folder: TemporaryFolder, _ path: String) throws {
        var bytes = [UInt8](FileManager.default.contents(atPath: folder.file(path)) ?? Data())
        let size = bytes.count > 18 ? max(512, Int(bytes[16]) << 8 | Int(bytes[17])) : 512
        for _ in 0...random.below(3) where !bytes.isEmpty {
            let pages = max(1, bytes.count / size)
            switch random.below(14) {
            case 0...2: for _ in 0...random.below(8) { flip(&bytes, random.below(bytes.count)) }
            case 3: flip(&bytes, random.below(min(100, bytes.count)))
            case 4: bytes[min(bytes.count - 1, random.below(100))] = UInt8(random.below(256))
            case 5: bytes.removeLast(random.below(bytes.count))
            case 6: bytes += (0..<random.below(3000)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            case 7: copy(&bytes, random.below(pages) * size, random.below(pages) * size, size)
            case 8: fill(&bytes, random.below(pages) * size, size)
            case 9:
                // A different page size, or an invalid one.
                let wrong = random.pick([0, 1, 2, 256, 512, 1024, 4096, 32768, 513, 65535])
                (bytes[min(16, bytes.count - 1)], bytes[min(17, bytes.count - 1)]) = (
                    UInt8(wrong >> 8), UInt8(wrong & 255)
                )
            case 10: header(&bytes, random.below(pages) * size)
            case 11:
                bytes = random.pick([
                    [], [0], Array("SQLite format 3\0".utf8), Array(repeating: 0, count: 512),
                    Array("CREATE TABLE t(a);".utf8),
                ])
            case 12: text(&bytes)
            default: number(&bytes)
            }
        }
        try folder.write(path, bytes)
        if random.chance(35) { try beside(folder, path, bytes) }
    }

    private mutating func flip(_ bytes: inout [UInt8], _ place: Int) {
        guard place < bytes.count else { return }
        bytes[place] ^= UInt8(1 << random.below(8))
    }

    private func copy(_ bytes: inout [UInt8], _ from: Int, _ to: Int, _ size: Int) {
        guard max(from, to) + size <= bytes.count else { return }
        bytes.replaceSubrange(to..<to + size, with: Array(bytes[from..<from + size]))
    }

    private mutating func fill(_ bytes: inout [UInt8], _ place: Int, _ size: Int) {
        let isZero = random.chance(30)
        for index in place..<max(place, min(bytes.count, place + size)) {
            bytes[index] = isZero ? 0 : UInt8(truncatingIfNeeded: random.next())
        }
    }

    /// Damages the header of a page: kind, cells, their pointers.
    private mutating func header(_ bytes: inout [UInt8], _ page: Int) {
        for _ in 0...random.below(4) {
            let place = page + (page == 0 ? 100 : 0) + random.below(30)
            if place < bytes.count {
                bytes[place] = random.pick([0, 1, 2, 5, 10, 13, 127, 128, 255, UInt8(random.below(256))])
            }
        }
    }

    /// Damages the text of the schema, so that SQL is read which nobody wrote.
    private mutating func text(_ bytes: inout [UInt8]) {
        let words = [
            "CREATE", "TABLE", "PRIMARY", "account", "item", "INTEGER", "fts5", "VIEW", "WITHOUT", "length",
        ].map { Array($0.utf8) }
        let word = random.pick(words)
        guard let place = bytes.indices.first(where: { bytes[$0...].starts(with: word) }) else { return }
        let by = random.pick([
            "((((((", "'\"`[--", "SELECT ", "\0\0\0\0", ",,,,,", "x AS (x)", "\u{7f}\u{80}",
        ])
        for (offset, byte) in by.utf8.prefix(word.count).enumerated() { bytes[place + offset] = byte }
    }

    /// Writes a number that is too large at a random offset.
    private mutating func number(_ bytes: inout [UInt8]) {
        let place = random.pick([28, 32, 36, 40, 44, 52, 56, 60, 64, 92, 96, random.below(bytes.count)])
        let value = random.pick(
            [[0, 0, 0, 0], [255, 255, 255, 255], [127, 255, 255, 255], [128, 0, 0, 0], [0, 0, 0, 9]]
                as [[UInt8]])
        for (offset, byte) in value.enumerated() where place + offset < bytes.count {
            bytes[place + offset] = byte
        }
    }

    /// Writes a log or journal that belongs to no database, or to this one.
    private mutating func beside(_ folder: TemporaryFolder, _ path: String, _ bytes: [UInt8]) throws {
        var content: [UInt8]
        switch random.below(5) {
        case 0: content = []
        case 1: content = (0..<random.below(5000)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        case 2:
            content =
                [
                    0x37, 0x7F, 0x06, UInt8(0x82 + random.below(2)), 0, 0x2D, 0xE2, 0x18, 0, 0,
                    UInt8(random.below(20)), 0,
                ] + Array(repeating: 0, count: 20) + bytes.prefix(3000)
        case 3:
            content = [
                0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7, 0, 0, 0, UInt8(random.below(9)), 0, 0, 0, 0,
                0, 0, 0, UInt8(random.below(60)), 0, 0, 2, 0, 0, 0, 2, 0,
            ]
            content += Array(repeating: 0, count: 484) + bytes.prefix(4000)
        default: content = bytes
        }
        if !content.isEmpty, random.chance(40) { flip(&content, random.below(content.count)) }
        try folder.write(path + random.pick(["-wal", "-wal", "-journal", "-journal", "-shm"]), content)
    }
}
