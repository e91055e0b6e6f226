// Serial Type    Content Size  Meaning
// 0              0             Value is a NULL.
// 1              1             Value is an 8-bit twos-complement integer.
// 2              2             Value is a big-endian 16-bit twos-complement integer.
// 3              3             Value is a big-endian 24-bit twos-complement integer.
// 4              4             Value is a big-endian 32-bit twos-complement integer.
// 5              6             Value is a big-endian 48-bit twos-complement integer.
// 6              8             Value is a big-endian 64-bit twos-complement integer.
// 7              8             Value is a big-endian IEEE 754-2008 64-bit floating point number.
// 8              0             Value is the integer 0. (Only available for schema format 4 and higher.)
// 9              0             Value is the integer 1. (Only available for schema format 4 and higher.)
// 10,11          variable      Reserved for internal use.
// N>=12 and even (N-12)/2      Value is a BLOB that is (N-12)/2 bytes in length.
// N>=13 and odd  (N-13)/2      Value is a string in the text encoding and (N-13)/2 bytes in length.
//                              The nul terminator is not stored.
// https://www.sqlite.org/fileformat2.html#record_format

/// The storage classes, in the order in which SQLite sorts them.
public enum StorageClass: Sendable {
    case null, integer, real, text, blob
}

/// A value of a record, in place.
public struct Field {
    public let serialType: UInt64
    let start: UnsafeRawPointer

    /// The size in bytes.
    @inline(__always) public var size: Int {
        switch serialType {
        case 0, 8, 9, 10, 11: 0
        case 1...4: Int(truncatingIfNeeded: serialType)
        case 5: 6
        case 6, 7: 8
        default: Int(truncatingIfNeeded: (serialType - 12) / 2)
        }
    }

    /// The storage class. A NaN is a NULL, as SQLite reads it.
    public var storageClass: StorageClass {
        switch serialType {
        case 0, 10, 11: .null
        case 7: storedReal.isNaN ? .null : .real
        case 1...9: .integer
        default: serialType & 1 == 0 ? .blob : .text
        }
    }

    /// The bytes of a text, in the database's encoding, or of a blob.
    public var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start, count: size) }

    /// The value of an integer; 0 for any other class.
    public var integer: Int64 {
        switch serialType {
        case 1: Int64(Int8(bitPattern: start.uint8(at: 0)))
        case 2: Int64(Int16(truncatingIfNeeded: start.uint16(at: 0)))
        case 3: Int64(Int8(bitPattern: start.uint8(at: 0))) << 16 | Int64(start.uint16(at: 1))
        case 4: Int64(Int32(bitPattern: start.uint32(at: 0)))
        case 5: Int64(Int16(truncatingIfNeeded: start.uint16(at: 0))) << 32 | Int64(start.uint32(at: 2))
        case 6: Int64(bitPattern: start.uint64(at: 0))
        case 9: 1
        default: 0
        }
    }

    /// The value of a real, or of an integer converted to a real: a column of REAL affinity stores 3.0 as the
    /// integer 3.
    public var real: Double { serialType == 7 ? storedReal : Double(integer) }

    private var storedReal: Double { Double(bitPattern: start.uint64(at: 0)) }

    public var value: StoredValue {
        switch storageClass {
        case .null: .null
        case .integer: .integer(integer)
        case .real: .real(real)
        case .text: .text(Array(bytes))
        case .blob: .blob(Array(bytes))
        }
    }
}

/// A value as a record stores it, copied out of the file.
///
/// Equal values are stored alike: 1 is not 1.0, and 0.0 is not -0.0.
public enum StoredValue: Hashable, Sendable {
    case null
    case integer(Int64)
    case real(Double)
    /// In the database's encoding, valid or not.
    case text([UInt8])
    case blob([UInt8])

    public static func == (left: StoredValue, right: StoredValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.integer(let a), .integer(let b)): a == b
        case (.real(let a), .real(let b)): a.bitPattern == b.bitPattern
        case (.text(let a), .text(let b)), (.blob(let a), .blob(let b)): a == b
        default: false
        }
    }

    public func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .integer(let integer): hasher.combine(integer)
        case .real(let real): hasher.combine(real.bitPattern)
        case .text(let bytes), .blob(let bytes): hasher.combine(bytes)
        }
    }
}

extension Field {
    /// Returns whether a value of the same serial type has the same bytes.
    @inline(__always) public func hasSameBytes(as other: Field) -> Bool {
        start.isEqual(to: other.start, count: size)
    }
}
