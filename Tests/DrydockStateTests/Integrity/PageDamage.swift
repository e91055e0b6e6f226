import Foundation

@testable import DrydockTestSupport

/// Damage to a database file, of a kind and at a place that a seed decides.
///
///     let damage = PageDamage(seed: 7, of: whole)
///     try damage.bytes.write(to: file)
///
/// The kinds are what faulty disks, lost writes and programs do that write such a file by themselves: each part of the format
/// (https://www.sqlite.org/fileformat2.html) has at least one.
struct PageDamage: CustomStringConvertible {
    /// What was done.
    private(set) var kind: Kind
    /// The page on which it was done, counted from 1.
    private(set) var page = 1
    private(set) var bytes: Data
    private var random: LinearGenerator

    var description: String { "\(kind) on page \(page)" }

    enum Kind: CaseIterable {
        // Any page
        case bit, byte, cleared, zeroPage, copiedPage, swappedPages, shiftedPage
        // The header of a tree's page
        case otherPageType, unknownPageType, cellCount, contentStart, freeblock, fragments, rightChild
        // Cells
        case child, divider, swappedCells, doubledCell, cellOutside, cellMoved
        case rowid, payloadSize, recordHeader, serialType, value, overflowStart
        // Other pages
        case overflowNext, overflowCut, trunkCount, trunkNext, trunkLeaf, pointerMap
        // The file
        case pageCount, freelistCount, freelistStart, largestRoot, rootPage, cutFile, longerFile
    }

    init(seed: Int, of whole: Data) {
        (bytes, random) = (whole, LinearGenerator(seed: UInt64(seed) &* 7919 &+ 13))
        let first = random.below(Kind.allCases.count)
        kind = Kind.allCases[first]
        // Not every database has a page for each kind.
        for next in 0..<Kind.allCases.count {
            kind = Kind.allCases[(first + next) % Kind.allCases.count]
            if apply(), bytes != whole { return }
            bytes = whole
        }
    }

    // MARK: - The file's pages

    private var pageSize: Int {
        let size = Int(bytes[16]) << 8 | Int(bytes[17])
        return size == 1 ? 65536 : size
    }
    private var pages: Int { bytes.count / pageSize }
    private var start: Int { (page - 1) * pageSize }
    /// Where the header of the page's tree begins: page 1 has that of the file before it.
    private var head: Int { page == 1 ? 100 : start }
    private var type: UInt8 { bytes[head] }
    private var isInterior: Bool { type == 2 || type == 5 }
    private var cellCount: Int { number(head + 3, 2) }
    private func pointer(_ cell: Int) -> Int { head + (isInterior ? 12 : 8) + cell * 2 }

    private func number(_ place: Int, _ count: Int) -> Int {
        (0..<count).reduce(0) { $0 << 8 | Int(bytes[place + $1]) }
    }

    private mutating func set(_ place: Int, _ count: Int, _ value: Int) {
        for index in 0..<count {
            bytes[place + index] = UInt8(truncatingIfNeeded: value >> (8 * (count - 1 - index)))
        }
    }

    /// The trunk pages of the freelist, which only the header and one another lead to.
    private var trunks: [Int] {
        var (found, next) = ([Int](), number(32, 4))
        while next > 1, next <= pages, !found.contains(next) {
            found.append(next)
            next = number((next - 1) * pageSize, 4)
        }
        return found
    }

    private mutating func choosePage(_ isWanted: (Self) -> Bool = { _ in true }) -> Bool {
        for _ in 0..<200 {
            page = 1 + random.below(pages)
            if isWanted(self) { return true }
        }
        return false
    }

    /// Chooses a page of a tree and one of its cells.
    /// - Returns: where the cell begins.
    private mutating func chooseCell(_ types: Set<UInt8> = [2, 5, 10, 13]) -> Int? {
        guard choosePage({ types.contains($0.type) && $0.cellCount > 1 && $0.cellCount < 9000 }) else {
            return nil
        }
        let place = start + number(pointer(random.below(cellCount)), 2)
        return place + 16 < bytes.count ? place : nil
    }

    /// Reads a variable-length integer, and returns where the next begins.
    private func end(ofNumberAt place: Int) -> Int {
        var place = place
        for _ in 0..<8 where place + 1 < bytes.count && bytes[place] & 0x80 != 0 { place += 1 }
        return place + 1
    }

    /// Where the record of a leaf's cell begins.
    private func record(of cell: Int) -> Int {
        let payload = end(ofNumberAt: cell)
        return type == 13 ? end(ofNumberAt: payload) : payload
    }

    // MARK: - Kinds

    private mutating func apply() -> Bool {
        switch kind {
        case .bit, .byte, .cleared, .zeroPage, .copiedPage, .swappedPages, .shiftedPage: damagePage()
        case .otherPageType, .unknownPageType, .cellCount, .contentStart, .freeblock, .fragments, .rightChild:
            damageHead()
        case .child, .divider, .swappedCells, .doubledCell, .cellOutside, .cellMoved: damagePointers()
        case .rowid, .payloadSize, .recordHeader, .serialType, .value, .overflowStart: damageCell()
        case .overflowNext, .overflowCut: damageOverflow()
        case .trunkCount, .trunkNext, .trunkLeaf: damageFreelist()
        case .pointerMap: damagePointerMap()
        case .pageCount, .freelistCount, .freelistStart, .largestRoot, .rootPage, .cutFile, .longerFile:
            damageFile()
        }
    }

    private mutating func damagePage() -> Bool {
        guard choosePage({ $0.page > 1 }) else { return false }
        let (place, whole) = (start, start..<start + pageSize)
        switch kind {
        case .bit: bytes[place + random.below(pageSize)] ^= UInt8(1 << random.below(8))
        case .byte: bytes[place + random.below(pageSize)] = UInt8(random.below(256))
        case .cleared:
            let first = place + random.below(pageSize - 8)
            bytes.replaceSubrange(first..<first + 8, with: Data(count: 8))
        case .zeroPage: bytes.replaceSubrange(whole, with: Data(count: pageSize))
        case .shiftedPage: bytes.replaceSubrange(whole, with: [0] + bytes[whole].dropLast())
        default:
            let old = Data(bytes[whole])
            let first = (1 + random.below(pages - 1)) * pageSize
            let other = first..<first + pageSize
            bytes.replaceSubrange(whole, with: Data(bytes[other]))
            if kind == .swappedPages { bytes.replaceSubrange(other, with: old) }
        }
        return true
    }

    private mutating func damageHead() -> Bool {
        let isOfInterior = kind == .rightChild
        guard choosePage({ isOfInterior ? $0.isInterior : [2, 5, 10, 13].contains($0.type) }) else {
            return false
        }
        switch kind {
        case .otherPageType: bytes[head] = [2, 5, 10, 13][random.below(4)]
        case .unknownPageType: bytes[head] = UInt8(random.below(256))
        case .cellCount: set(head + 3, 2, max(0, cellCount + [-1, 1, 2, 300][random.below(4)]))
        case .contentStart: set(head + 5, 2, random.below(pageSize))
        case .freeblock: set(head + 1, 2, random.below(pageSize))
        case .fragments: bytes[head + 7] = UInt8(random.below(90))
        default: set(head + 8, 4, random.below(pages + 3))
        }
        return true
    }

    private mutating func damagePointers() -> Bool {
        guard let cell = chooseCell(kind == .child || kind == .divider ? [2, 5] : [2, 5, 10, 13]) else {
            return false
        }
        let (one, other) = (pointer(random.below(cellCount)), pointer(random.below(cellCount)))
        let value = number(one, 2)
        switch kind {
        case .child: set(cell, 4, random.below(pages + 3))
        case .divider:
            // The key between two children: a rowid, or the record behind its size.
            let end = end(ofNumberAt: cell + 4)
            let place = type == 5 ? end - 1 : end + Int(bytes[end]) + random.below(6)
            guard place < bytes.count else { return false }
            bytes[place] ^= UInt8(1 << random.below(7))
        case .swappedCells:
            set(one, 2, number(other, 2))
            set(other, 2, value)
        case .doubledCell: set(one, 2, number(other, 2))
        case .cellOutside: set(one, 2, pageSize - random.below(4))
        default: set(one, 2, max(0, value + random.below(9) - 4))
        }
        return true
    }

    private mutating func damageCell() -> Bool {
        let types: Set<UInt8> = kind == .rowid ? [13] : [10, 13]
        guard let cell = chooseCell(types) else { return false }
        let record = record(of: cell)
        switch kind {
        case .rowid: bytes[record - 1] ^= UInt8(1 << random.below(7))
        case .payloadSize: bytes[cell] ^= UInt8(1 << random.below(8))
        case .recordHeader: bytes[record] = UInt8(random.below(20))
        case .serialType: bytes[record + 1 + random.below(3)] = UInt8(random.below(40))
        case .value:
            let place = record + Int(bytes[record]) + random.below(8)
            guard place < bytes.count else { return false }
            bytes[place] ^= UInt8(1 << random.below(8))
        default:
            // The last four bytes of what a large record leaves in its cell.
            let size = random.below(2) == 0 ? 4 : 8
            guard cell + size < bytes.count else { return false }
            set(start + pageSize - size, 4, random.below(pages + 3))
        }
        return true
    }

    /// Overflow pages have no mark; those of large values begin with a page number and hold zeros or hexadecimal digits.
    private mutating func damageOverflow() -> Bool {
        guard
            choosePage({ damage in
                guard damage.page > 1 else { return false }
                let next = damage.number(damage.start, 4)
                return next > 1 && next <= damage.pages
                    && ![2, 5, 10, 13].contains(damage.bytes[damage.start])
                    && !damage.trunks.contains(damage.page)
            })
        else { return false }
        set(start, 4, kind == .overflowCut ? 0 : random.below(pages + 3))
        return true
    }

    private mutating func damageFreelist() -> Bool {
        let trunks = trunks
        guard !trunks.isEmpty else { return false }
        page = trunks[random.below(trunks.count)]
        switch kind {
        case .trunkCount: set(start + 4, 4, [0, number(start + 4, 4) + 1, 1 << 20][random.below(3)])
        case .trunkNext: set(start, 4, random.below(pages + 3))
        default:
            guard number(start + 4, 4) > 0 else { return false }
            set(start + 8, 4, random.below(pages + 3))
        }
        return true
    }

    /// With auto_vacuum, page 2 is the first pointer map: five bytes for each page behind it.
    private mutating func damagePointerMap() -> Bool {
        guard number(52, 4) > 0 else { return false }
        page = 2
        let entry = start + random.below(min(pages - 2, pageSize / 5)) * 5
        if random.below(2) == 0 {
            bytes[entry] = UInt8(random.below(7))
        } else {
            set(entry + 1, 4, random.below(pages + 3))
        }
        return true
    }

    private mutating func damageFile() -> Bool {
        page = 1
        switch kind {
        case .pageCount: set(28, 4, max(1, pages - 1 - random.below(3)))
        case .freelistCount: set(36, 4, random.below(40))
        case .freelistStart: set(32, 4, random.below(pages + 3))
        case .largestRoot: set(52, 4, random.below(pages + 3))
        case .rootPage:
            guard type == 13 else { return false }
            let cell = start + number(pointer(random.below(cellCount)), 2)
            let header = record(of: cell)
            // The root page is a small number among short texts: any byte of the record's head or its names.
            bytes[header + Int(bytes[header]) + random.below(40)] ^= UInt8(1 << random.below(4))
        case .cutFile: bytes.removeLast(pageSize * (1 + random.below(3)))
        default: bytes.append(Data(count: pageSize))
        }
        return true
    }
}
