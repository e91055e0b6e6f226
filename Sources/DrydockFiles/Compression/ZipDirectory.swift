import DrydockFindings

/// The list of files at the end of a ZIP archive (https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT).
struct ZipDirectory {
    /// A file of the archive.
    struct Member {
        var name: String
        /// 0 for stored, 8 for deflate, 93 for Zstandard, 95 for xz.
        var method: Int
        var isEncrypted: Bool
        var checksum: UInt32
        var compressedSize: Int
        var size: Int
        /// Where its own header is, from the start of the archive.
        fileprivate var header: Int

        /// Whether it is a folder, or one of the files that macOS adds to what people compress.
        fileprivate var isIncidental: Bool {
            name.hasSuffix("/") || name.hasPrefix("__MACOSX/") || PathParts.name(of: name) == ".DS_Store"
        }
    }

    /// The files that people put into it.
    let members: [Member]

    /// Whatever an archive lists, no more is read: this many bytes of directory are those of a million files.
    private static let limit = 64 << 20

    /// - Parameters:
    ///   - size: of the archive, in bytes.
    ///   - read: returns the bytes at an offset; fewer at the end of the archive.
    /// - Throws: ``Damage``; what `read` throws.
    init(size: Int, _ read: (_ offset: Int, _ count: Int) throws -> [UInt8]) throws {
        let tailCount = min(size, Self.endCount + 0xffff)
        let tailStart = size - tailCount
        let tail = try Bytes(read(tailStart, tailCount))
        guard let end = Self.lastEnd(in: tail) else { throw Damage() }
        var (disk, count) = (try tail.number(end + 4, 2), try tail.number(end + 10, 2))
        var (length, start) = (try tail.number(end + 12, 4), try tail.number(end + 16, 4))
        if count == 0xffff || length == 0xffff_ffff || start == 0xffff_ffff {
            // The locator of the larger record comes just before.
            let locator = try Bytes(read(tailStart + end - 20, 20))
            if try locator.number(0, 4) == 0x0706_4b50 {
                let large = try Bytes(read(try locator.number(8, 8), 56))
                guard try large.number(0, 4) == 0x0606_4b50 else { throw Damage() }
                (disk, count) = (try large.number(16, 4), try large.number(32, 8))
                (length, start) = (try large.number(40, 8), try large.number(48, 8))
            }
        }
        guard disk == 0 else { throw Damage("it is one part of several") }
        guard length <= Self.limit, start <= size - length, start >= 0 else { throw Damage() }
        let list = try Bytes(read(start, length))
        var found: [Member] = []
        var offset = 0
        for _ in 0..<count {
            guard offset < length else { throw Damage() }
            let (member, next) = try Self.member(list, at: offset)
            found.append(member)
            offset = next
        }
        members = found.filter { !$0.isIncidental }
    }

    private static let endCount = 22

    /// Returns where the last record of the archive begins; a comment may follow it.
    private static func lastEnd(in tail: Bytes) -> Int? {
        var offset = tail.count - endCount
        while offset >= 0 {
            if (try? tail.number(offset, 4)) == 0x0605_4b50,
                let comment = try? tail.number(offset + 20, 2), offset + endCount + comment <= tail.count
            {
                return offset
            }
            offset -= 1
        }
        return nil
    }

    private static func member(_ list: Bytes, at offset: Int) throws -> (Member, Int) {
        guard try list.number(offset, 4) == 0x0201_4b50 else { throw Damage() }
        let (nameCount, extraCount) = (try list.number(offset + 28, 2), try list.number(offset + 30, 2))
        let nameStart = offset + 46
        var member = Member(
            name: String(decoding: try list.slice(nameStart, nameCount), as: UTF8.self),
            method: try list.number(offset + 10, 2),
            isEncrypted: try list.number(offset + 8, 2) & 1 == 1,
            checksum: UInt32(truncatingIfNeeded: try list.number(offset + 16, 4)),
            compressedSize: try list.number(offset + 20, 4), size: try list.number(offset + 24, 4),
            header: try list.number(offset + 42, 4))
        // What does not fit into four bytes is in an extra field, in this order.
        var (field, end) = (nameStart + nameCount, nameStart + nameCount + extraCount)
        while field + 4 <= end {
            let (kind, count) = (try list.number(field, 2), try list.number(field + 2, 2))
            if kind == 1 {
                var place = field + 4
                for key in [\Member.size, \Member.compressedSize, \Member.header]
                where member[keyPath: key] == 0xffff_ffff {
                    member[keyPath: key] = try list.number(place, 8)
                    place += 8
                }
            }
            field += 4 + count
        }
        end += try list.number(offset + 32, 2)
        return (member, end)
    }

    /// Returns where the compressed bytes of a member begin.
    /// - Throws: ``Damage`` if that is not inside the archive; what `read` throws.
    static func content(
        of member: Member, size: Int, _ read: (_ offset: Int, _ count: Int) throws -> [UInt8]
    ) throws -> Int {
        guard member.header >= 0, member.header < size else { throw Damage() }
        let header = try Bytes(read(member.header, 30))
        guard try header.number(0, 4) == 0x0403_4b50 else { throw Damage() }
        let start = member.header + 30 + (try header.number(26, 2)) + (try header.number(28, 2))
        guard start <= size, member.compressedSize >= 0, member.compressedSize <= size - start else {
            throw Damage()
        }
        return start
    }

    /// What is wrong with an archive.
    struct Damage: Error {
        var fact: String

        init(_ fact: String = "it is damaged or incomplete: its list of files cannot be read") {
            self.fact = fact
        }
    }

    /// Little-endian numbers, read with a check of every offset.
    private struct Bytes {
        private let bytes: [UInt8]

        init(_ bytes: [UInt8]) { self.bytes = bytes }

        var count: Int { bytes.count }

        func slice(_ offset: Int, _ count: Int) throws -> ArraySlice<UInt8> {
            guard offset >= 0, count >= 0, count <= bytes.count, offset <= bytes.count - count else {
                throw Damage()
            }
            return bytes[offset..<offset + count]
        }

        func number(_ offset: Int, _ count: Int) throws -> Int {
            let value = try slice(offset, count).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            guard let number = Int(exactly: value) else { throw Damage() }
            return number
        }
    }
}
