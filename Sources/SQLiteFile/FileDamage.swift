/// A violation of the format in a database file: the page, and what is wrong with it.
public struct FileDamage: Error, Equatable, Sendable {
    /// The number of the page that is wrong, the first being 1. In a write-ahead log, the number of the page
    /// that a frame holds, or 0 for the log's header.
    public let page: UInt32
    public let fault: Fault

    public init(_ page: UInt32, _ fault: Fault) {
        self.page = page
        self.fault = fault
    }

    public enum Fault: Equatable, Sendable {
        case notADatabase
        case pageSize
        case payloadFractions
        case reservedBytes
        case readVersion(UInt8)
        case schemaFormat(UInt32)
        case fileTooShort(pages: UInt32)
        case pageOutsideFile
        case pageUnreadable
        case pageKind(UInt8)
        case treeKind
        case treeDepth
        case pageUnused
        case pageUsedTwice
        case cellCount
        case cellOutsidePage
        case freeblock
        case bytesUsedTwice
        case fragments
        case keyOrder
        case keyTwice
        case payloadTooLarge
        case overflowEnds
        case overflowGoesOn
        case freelistTrunk
        case freelistCount(stored: UInt32)
        case pointerMap(UInt8)
        case pointerMapEntry
        case largestRoot(stored: UInt32)
        case record
        case recordLength
        case serialType(UInt64)
        case schemaRow
        case logVersion(UInt32)
        case logPageSize
    }
}

extension FileDamage: CustomStringConvertible {
    public var description: String { "page \(page): \(fault)" }
}

extension FileDamage.Fault: CustomStringConvertible {
    public var description: String {
        switch self {
        case .notADatabase: "the file does not begin as an SQLite database does"
        case .pageSize: "the page size is not a power of two between 512 and 65536"
        case .payloadFractions: "the payload fractions are not 64, 32 and 32"
        case .reservedBytes: "so many bytes are reserved that fewer than 480 of a page are usable"
        case .readVersion(let version): "the file needs a reader of version \(version); SQLite knows 1 and 2"
        case .schemaFormat(let format): "the schema has format \(format); SQLite knows 1 to 4"
        case .fileTooShort(let pages): "the header says that the file has \(pages) pages, but it is shorter"
        case .pageOutsideFile: "something refers to this page, which the file does not have"
        case .pageUnreadable: "the page cannot be read"
        case .pageKind(let byte): "a b-tree page cannot begin with the byte \(byte)"
        case .treeKind: "a page of an index is in the tree of a table, or the other way round"
        case .treeDepth: "the leaves of the tree do not all lie at the same depth"
        case .pageUnused: "nothing refers to the page"
        case .pageUsedTwice: "the page is used in two places, or within itself"
        case .cellCount: "the page claims more cells than it has room for"
        case .cellOutsidePage: "a cell lies outside the page's cell content area"
        case .freeblock: "the chain of free blocks leaves the page or runs backwards"
        case .bytesUsedTwice: "cells or free blocks of the page overlap"
        case .fragments: "the number of bytes between the page's cells differs from its own count"
        case .keyOrder: "the entries are not in the order of their keys"
        case .keyTwice: "two entries of a unique index have the same key"
        case .payloadTooLarge: "a cell claims a payload larger than the file"
        case .overflowEnds: "a chain of overflow pages ends before its payload does"
        case .overflowGoesOn: "a chain of overflow pages is longer than its payload"
        case .freelistTrunk: "the freelist trunk claims more leaves than it has room for"
        case .freelistCount(let stored):
            "the header counts \(stored) free pages, but the freelist has a different number"
        case .pointerMap(let byte): "an entry of the pointer map has the type \(byte), which does not exist"
        case .pointerMapEntry: "the pointer map's entry for the page does not match what refers to it"
        case .largestRoot(let page):
            "the header says that page \(page) is the last root page, which is not true"
        case .record: "a record ends before its columns do"
        case .recordLength: "a record is longer than its columns"
        case .serialType(let type): "a record has the serial type \(type), which is reserved"
        case .schemaRow: "a row of the schema table has no type, name or root page"
        case .logVersion(let version): "the write-ahead log has version \(version); SQLite knows 3007000"
        case .logPageSize: "the write-ahead log's page size differs from the database's"
        }
    }
}
