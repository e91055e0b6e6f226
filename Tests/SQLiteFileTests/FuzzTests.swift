import TestTools
import SQLiteSchema
import Testing

@testable import SQLiteFile

/// Damage is an error that names a page, whatever was damaged: nothing traps or runs for ever.
@Suite struct FuzzTests {
    @Test(arguments: seeds(12, of: 25, soak: 1_000)) func damageIsAnError(seed: Int) throws {
        let folder = Folder()
        var random = SeededGenerator(seed: seed)
        let size = random.pick([512, 512, 1024, 4096])
        let made = try RandomDatabase(seed: seed, in: folder, pageSize: size, rows: 25)
        try made.database.execute("pragma wal_checkpoint(truncate)")
        let whole = try contents(made.path)
        let before = try DatabaseFile(bytes: whole)
        for _ in 0..<40 {
            var bytes = whole
            random.damage(&bytes, pageSize: size)
            try readAll(bytes, before, made)
        }
    }

    @Test(arguments: seeds(10, of: 20, soak: 500)) func anyBytesAreRefusedOrRead(seed: Int) throws {
        var random = SeededGenerator(seed: seed)
        let header = SparsePages(pageSize: 512, pageCount: 1).page(1).prefix(100)
        for _ in 0..<50 {
            var bytes = (0..<(512 * random.int(1...6))).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            bytes.replaceSubrange(0..<100, with: header)
            for page in stride(from: 0, to: bytes.count, by: 512) {
                let start = page == 0 ? 100 : page
                bytes[start] = random.pick([2, 5, 10, 13])
                bytes[start + 3] = 0
                bytes[start + 4] &= 0x1f
            }
            try expectDamage {
                let file = try DatabaseFile(bytes: bytes)
                for root in 1...file.pageCount { try expectDamage { _ = try file.rows(root: root) } }
                _ = try PageCensus(file)
            }
            bytes.withUnsafeBytes { bytes in
                try? expectDamage { _ = try WriteAheadLog(bytes) }
                var fields: [Field] = []
                try? expectDamage { try RecordReader.read(bytes, page: 1, into: &fields) }
                for (a, b) in zip(fields, fields.dropFirst()) {
                    for collation in [Collation.binary, .nocase, .rtrim] {
                        for encoding in [TextEncoding.utf8, .utf16LittleEndian, .utf16BigEndian] {
                            #expect(
                                a.compare(to: b, collation, encoding).signum()
                                    == -b.compare(to: a, collation, encoding).signum())
                        }
                    }
                }
            }
        }
    }

    /// Reads a damaged database in every way there is, compared with the undamaged one.
    private func readAll(_ bytes: [UInt8], _ before: DatabaseFile, _ made: RandomDatabase) throws {
        try expectDamage {
            let file = try DatabaseFile(bytes: bytes)
            try expectDamage { _ = try PageCensus(file) }
            try expectDamage { _ = try file.schema() }
            for entry in try before.schema() where entry.rootPage != 0 {
                let root = entry.rootPage
                try expectDamage { _ = try file.rows(root: root) }
                try expectDamage {
                    var cursor = try TreeCursor(file, root: root)
                    for rowid in [Int64.min, 7, 40, .max] {
                        try cursor.seek(to: rowid)
                        _ = try cursor.next()
                    }
                }
                try expectDamage {
                    try file.forEachPage(ofTree: root) { visit in
                        if case .tree(let page) = visit.content { _ = try page.unusedBytes() }
                    }
                }
                var difference: PageDifference?
                try expectDamage { difference = try PageDifference(comparing: before, file) }
                let order = made.tables.first { $0.name == entry.name }?.key.map {
                    KeyOrder($0.map { KeyColumn($0.collation, isDescending: $0.isDescending) }, in: before)
                }
                try expectDamage {
                    let pair = try TreePair(
                        before, root: root, file, root: root, difference: difference, order: order)
                    _ = try pair?.merge { _ in }
                    _ = try pair?.isUntouched()
                }
            }
            for page in 1...max(1, file.pageCount) {
                try expectDamage { _ = try file.pointerMapEntry(for: page) }
            }
        }
    }

    private func expectDamage(_ body: () throws -> Void) throws {
        do {
            try body()
        } catch let damage as FileDamage {
            #expect(!damage.description.isEmpty)
        }
    }
}

extension SeededGenerator {
    /// Flips bits, writes page numbers and cell pointers over one another, cuts the file short.
    fileprivate mutating func damage(_ bytes: inout [UInt8], pageSize: Int) {
        for _ in 0..<int(1...6) {
            let page = int(0...(bytes.count / pageSize - 1)) * pageSize
            let offset = chance(60) ? page + int(0...min(40, pageSize - 1)) : page + int(0...(pageSize - 1))
            switch int(0...5) {
            case 0: bytes[offset] ^= UInt8(1 << int(0...7))
            case 1: bytes[offset] = pick([0, 1, 2, 5, 10, 13, 0x7f, 0x80, 0xff])
            case 2:
                let number = UInt32(int(0...(bytes.count / pageSize)))
                for (index, shift) in [24, 16, 8, 0].enumerated() where offset + index < bytes.count {
                    bytes[offset + index] = UInt8(number >> shift & 0xff)
                }
            case 3:
                let other = int(0...(bytes.count / pageSize - 1)) * pageSize
                let copy = Array(bytes[other..<(other + pageSize)])
                if page > 0, other > 0 { bytes.replaceSubrange(page..<(page + pageSize), with: copy) }
            case 4:
                for index in offset..<min(offset + int(1...20), bytes.count) {
                    bytes[index] = UInt8(truncatingIfNeeded: next())
                }
            default:
                if chance(10) { bytes.removeLast(int(0...(bytes.count - pageSize))) }
            }
        }
    }
}
