// "A variable-length integer or "varint" is a static Huffman encoding of 64-bit twos-complement integers
// that uses less space for small positive values. A varint is between 1 and 9 bytes in length. The varint
// consists of either zero or more bytes which have the high-order bit set followed by a single byte with
// the high-order bit clear, or nine bytes, whichever is shorter. The lower seven bits of each of the first
// eight bytes and all 8 bits of the ninth byte are used to reconstruct the 64-bit twos-complement integer.
// Varints are big-endian."
// https://www.sqlite.org/fileformat2.html#varint

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

extension UnsafeRawPointer {
    @inline(__always) func uint8(at offset: Int) -> UInt8 { load(fromByteOffset: offset, as: UInt8.self) }

    @inline(__always) func uint16(at offset: Int) -> Int {
        Int(UInt16(bigEndian: loadUnaligned(fromByteOffset: offset, as: UInt16.self)))
    }

    @inline(__always) func uint32(at offset: Int) -> UInt32 {
        UInt32(bigEndian: loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }

    @inline(__always) func uint64(at offset: Int) -> UInt64 {
        UInt64(bigEndian: loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    /// Reads a varint and moves past it; returns nil if it does not end before `end`.
    @inline(__always) mutating func readVarint(before end: UnsafeRawPointer) -> UInt64? {
        guard self < end else { return nil }
        var value = UInt64(uint8(at: 0))
        self += 1
        if value < 0x80 { return value }
        value &= 0x7f
        for _ in 0..<7 {
            guard self < end else { return nil }
            let byte = uint8(at: 0)
            self += 1
            value = value << 7 | UInt64(byte & 0x7f)
            if byte < 0x80 { return value }
        }
        guard self < end else { return nil }
        value = value << 8 | UInt64(uint8(at: 0))
        self += 1
        return value
    }

    @inline(__always) func isEqual(to other: UnsafeRawPointer, count: Int) -> Bool {
        memcmp(self, other, count) == 0
    }
}
