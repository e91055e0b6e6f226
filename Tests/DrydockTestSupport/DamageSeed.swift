import DatabaseEngine
import Foundation
import SQLiteFile

/// Damage to a database file, different for each seed, such as bad disks, bad memory and bugs do.
struct DamageSeed {
    static let kinds = [
        "bits", "cell pointers", "cell copied", "freelist", "pointer map", "overflow", "index key",
        "entry lost",
        "entry left over", "entry astray", "page copied", "page count",
    ]

    let kind: String
    private var random: LinearGenerator

    init(_ number: Int) {
        kind = Self.kinds[number % Self.kinds.count]
        random = LinearGenerator(seed: UInt64(number) &* 7919 &+ 7)
    }

    /// - Parameter whole: the bytes of an undamaged file with 1024-byte pages.
    mutating func damage(_ path: String, _ whole: Data, _ census: PageCensus) throws {
        var bytes = whole
        switch kind {
        case "bits":
            for _ in 0...random.below(3) {
                let page = random.below(bytes.count / 1024)
                // Headers and pointers are at a page's beginning.
                let offset = page * 1024 + random.below(random.below(2) == 0 ? 40 : 1024)
                bytes[offset] ^= UInt8(1 << random.below(8))
            }
        case "cell pointers": moveCellPointers(&bytes, census, isSwapped: true)
        case "cell copied": moveCellPointers(&bytes, census, isSwapped: false)
        case "freelist":
            guard let page = page(census, [.freelistTrunk, .freelistTrunk, .freelistLeaf]) else { break }
            let offset = page + random.below(6) * 4
            put(UInt32(random.below(bytes.count / 1024 + 3)), at: offset, &bytes)
        case "pointer map":
            guard let page = page(census, [.pointerMap]) else { break }
            bytes[page + random.below(5 * min(180, bytes.count / 1024 - 3))] ^= UInt8(1 << random.below(3))
        case "overflow":
            guard let page = page(census, [.overflow]) else { break }
            put(UInt32(random.below(2) * random.below(bytes.count / 1024)), at: page, &bytes)
        case "index key":
            guard let page = page(census, [.leaf]) else { break }
            bytes[page + 200 + random.below(820)] = UInt8(random.below(256))
        case "page copied":
            let (from, to) = (
                1 + random.below(bytes.count / 1024 - 1), 1 + random.below(bytes.count / 1024 - 1)
            )
            bytes.replaceSubrange(to * 1024..<(to + 1) * 1024, with: whole[from * 1024..<(from + 1) * 1024])
        case "page count":
            put(UInt32(bytes.count / 1024 - random.below(3)), at: 28, &bytes)
            put(UInt32(random.below(30)), at: 36, &bytes)
        default: break
        }
        try bytes.write(to: URL(filePath: path))
        try disagree(path)
        // The file must look as if it was written a while ago.
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: -3600)], ofItemAtPath: path)
    }

    private mutating func page(_ census: PageCensus, _ uses: [PageCensus.Use]) -> Int? {
        let use = uses[random.below(uses.count)]
        let pages = (1...census.pageCount).filter { census[$0].use == use && $0 > 1 }
        return pages.isEmpty ? nil : Int(pages[random.below(pages.count)] - 1) * 1024
    }

    private func put(_ number: UInt32, at offset: Int, _ bytes: inout Data) {
        for index in 0..<4 { bytes[offset + index] = UInt8(truncatingIfNeeded: number >> (24 - 8 * index)) }
    }

    /// Swaps two entries, or writes one of them twice.
    private mutating func moveCellPointers(_ bytes: inout Data, _ census: PageCensus, isSwapped: Bool) {
        guard let page = page(census, [.leaf, .leaf, .interior]) else { return }
        let count = Int(bytes[page + 3]) << 8 | Int(bytes[page + 4])
        guard count > 1 else { return }
        let start = page + (bytes[page] < 8 ? 12 : 8)
        let (a, b) = (start + 2 * random.below(count), start + 2 * random.below(count))
        for index in 0..<2 {
            let old = bytes[b + index]
            bytes[b + index] = bytes[a + index]
            if isSwapped { bytes[a + index] = old }
        }
    }

    /// Makes rows and entries disagree: the index is hidden while the table is written.
    private mutating func disagree(_ path: String) throws {
        let id = 1 + random.below(399)
        let change: String
        switch kind {
        case "entry lost": change = "INSERT INTO t VALUES(\(1000 + id), 'new', \(1000 + id))"
        case "entry left over": change = "DELETE FROM t WHERE id = (SELECT min(id) FROM t WHERE id >= \(id))"
        case "entry astray":
            change = "UPDATE t SET x = 'astray' WHERE id = (SELECT min(id) FROM t WHERE id >= \(id))"
        default: return
        }
        let sql =
            random.below(2) == 0
            ? "CREATE INDEX t_x ON t(x)" : "CREATE INDEX t_e ON t(x || 'e') WHERE x > '1'"
        let name = sql.contains("t_x") ? "t_x" : "t_e"
        let target = name == "t_x" ? "t(x)" : "t(x || 'e')"
        func define(_ sql: String) throws {
            try PlainDatabase(path).execute(
                "PRAGMA writable_schema = on; UPDATE sqlite_schema SET sql = '\(sql.replacing("'", with: "''"))' WHERE name = '\(name)'"
            )
        }
        try define("CREATE INDEX \(name) ON \(target) WHERE x = 0")
        try PlainDatabase(path).execute(change)
        try define(sql)
    }
}

/// Random numbers that are the same for the same seed.
struct LinearGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func below(_ count: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int(state >> 33) % count
    }
}
