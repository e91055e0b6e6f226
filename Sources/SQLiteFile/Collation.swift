// "BINARY: The built-in BINARY collation compares strings byte by byte using the memcmp() function from the
//  standard C library.
//  NOCASE: The NOCASE collation is like BINARY except that uppercase ASCII characters ('A' through 'Z') are
//  folded into their lowercase equivalents prior to running the comparison. Only ASCII characters are
//  case-folded.
//  RTRIM: RTRIM is like BINARY except that extra spaces at the end of either string do not change the
//  result."
// https://www.sqlite.org/fileformat2.html#record_sort_order

#if canImport(Glibc)
import SQLiteSchema
import Glibc
#else
import Darwin
#endif

/// SQLite's built-in collations. The file does not contain the order of an application's collation.
public enum Collation: Sendable {
    case binary, nocase, rtrim

    /// Compares two texts: negative if `left` sorts before `right`, 0 if they are equal, positive if after.
    ///
    /// BINARY is `memcmp` in every encoding. The other two exist only for UTF-8: SQLite first translates
    /// UTF-16, unpaired surrogates included, and this function does the same.
    func compare(
        _ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer, _ encoding: TextEncoding
    ) -> Int {
        switch (self, encoding) {
        case (.binary, _): left.compare(to: right)
        case (.nocase, .utf8): compareFolded(RawBytes(left), RawBytes(right))
        case (.rtrim, .utf8): compareTrimmed(RawBytes(left), RawBytes(right))
        case (.nocase, _): compareFolded(TranslatedBytes(left, encoding), TranslatedBytes(right, encoding))
        case (.rtrim, _): compareTrimmed(TranslatedBytes(left, encoding), TranslatedBytes(right, encoding))
        }
    }
}

extension UnsafeRawBufferPointer {
    /// Compares bytes, then lengths.
    @inline(__always) func compare(to other: UnsafeRawBufferPointer) -> Int {
        if let start = baseAddress, let otherStart = other.baseAddress {
            let order = memcmp(start, otherStart, Swift.min(count, other.count))
            if order != 0 { return Int(order) }
        }
        return count - other.count
    }
}

/// Compares like SQLite's NOCASE, which stops at a NUL that both texts have at the same position; of the
/// bytes after it only the number counts.
private func compareFolded<Bytes: IteratorProtocol<UInt8>>(_ left: Bytes, _ right: Bytes) -> Int {
    var (left, right) = (left, right)
    while true {
        switch (left.next(), right.next()) {
        case (nil, nil): return 0
        case (nil, _): return -1
        case (_, nil): return 1
        case (0?, 0?): return count(left) - count(right)
        case (let a?, let b?):
            let order = Int(folded(a)) - Int(folded(b))
            if order != 0 { return order }
        }
    }
}

private func folded(_ byte: UInt8) -> UInt8 { byte >= 65 && byte <= 90 ? byte + 32 : byte }

private func count<Bytes: IteratorProtocol<UInt8>>(_ bytes: Bytes) -> Int {
    var bytes = bytes
    var result = 0
    while bytes.next() != nil { result += 1 }
    return result
}

/// Compares like RTRIM: at the first difference, a side with only spaces left has ended.
private func compareTrimmed<Bytes: IteratorProtocol<UInt8>>(_ left: Bytes, _ right: Bytes) -> Int {
    var (left, right) = (left, right)
    while true {
        let (leftRest, rightRest) = (left, right)
        let (a, b) = (left.next(), right.next())
        if a == b, a != nil { continue }
        switch (isBlank(leftRest), isBlank(rightRest)) {
        case (true, true): return 0
        case (true, false): return -1
        case (false, true): return 1
        case (false, false): return Int(a ?? 0) - Int(b ?? 0)
        }
    }
}

private func isBlank<Bytes: IteratorProtocol<UInt8>>(_ bytes: Bytes) -> Bool {
    var bytes = bytes
    while let byte = bytes.next() { if byte != 32 { return false } }
    return true
}

private struct RawBytes: IteratorProtocol {
    private var bytes: UnsafeRawBufferPointer.Iterator

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes.makeIterator() }

    mutating func next() -> UInt8? { bytes.next() }
}

/// UTF-16 translated to UTF-8 as SQLite does it: a surrogate is combined with the next unit, whatever that
/// is.
private struct TranslatedBytes: IteratorProtocol {
    private let units: UnsafeRawBufferPointer
    private let isLittleEndian: Bool
    private var position = 0
    /// The remaining bytes of the last code point, the next one lowest.
    private var pending: UInt32 = 0
    private var pendingCount = 0

    init(_ bytes: UnsafeRawBufferPointer, _ encoding: TextEncoding) {
        units = UnsafeRawBufferPointer(rebasing: bytes.prefix(bytes.count & ~1))
        isLittleEndian = encoding == .utf16LittleEndian
    }

    mutating func next() -> UInt8? {
        if pendingCount == 0 {
            guard position < units.count else { return nil }
            translate()
        }
        defer {
            pending >>= 8
            pendingCount -= 1
        }
        return UInt8(truncatingIfNeeded: pending)
    }

    private mutating func unit() -> UInt32 {
        let (first, second) = (UInt32(units[position]), UInt32(units[position + 1]))
        position += 2
        return isLittleEndian ? second << 8 | first : first << 8 | second
    }

    private mutating func translate() {
        var point = unit()
        if point >= 0xd800, point < 0xe000, position < units.count {
            let low = unit()
            point = (low & 0x3ff) + ((point & 0x3f) << 10) + (((point & 0x3c0) + 0x40) << 10)
        }
        let tail = { (shift: UInt32) in 0x80 + (point >> shift & 0x3f) }
        switch point {
        case ..<0x80: (pending, pendingCount) = (point, 1)
        case ..<0x800: (pending, pendingCount) = (0xc0 + (point >> 6) | tail(0) << 8, 2)
        case ..<0x10000:
            (pending, pendingCount) = (0xe0 + (point >> 12) | tail(6) << 8 | tail(0) << 16, 3)
        default:
            let head = 0xf0 + (point >> 18 & 0x07)
            (pending, pendingCount) = (head | tail(12) << 8 | tail(6) << 16 | tail(0) << 24, 4)
        }
    }
}
