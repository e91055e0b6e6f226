import Foundation
import SQLiteFile

/// A folder that is deleted with the test.
final class Folder {
    let path: String

    init() {
        path = FileManager.default.temporaryDirectory.path + "/file-\(UUID().uuidString)"
        try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func file(_ name: String) -> String { "\(path)/\(name)" }
}

/// Bytes with a stable address.
final class Memory: @unchecked Sendable {
    let bytes: UnsafeMutableRawBufferPointer

    init(_ contents: [UInt8]) {
        bytes = .allocate(byteCount: contents.count, alignment: 16)
        bytes.copyBytes(from: contents)
    }

    deinit { bytes.deallocate() }
}

func contents(_ path: String) throws -> [UInt8] {
    FileManager.default.fileExists(atPath: path)
        ? [UInt8](try Data(contentsOf: URL(fileURLWithPath: path))) : []
}

extension DatabaseFile {
    convenience init(bytes: [UInt8]) throws {
        let memory = Memory(bytes)
        try self.init(try FilePages(UnsafeRawBufferPointer(memory.bytes), owner: memory))
    }

    convenience init(path: String) throws { try self.init(bytes: try contents(path)) }

    /// Returns all entries of a tree, every value copied.
    func rows(root: UInt32) throws -> [(rowid: Int64, values: [StoredValue])] {
        var cursor = try TreeCursor(self, root: root)
        var buffer = PayloadBuffer()
        var fields: [Field] = []
        var result: [(Int64, [StoredValue])] = []
        while let row = try cursor.next() {
            try RecordReader.read(
                try bytes(of: row.payload, in: &buffer), page: row.payload.page, into: &fields)
            result.append((row.rowid, fields.map(\.value)))
        }
        return result
    }

    func root(_ name: String) throws -> UInt32 {
        try schema().first { $0.name == name }?.rootPage ?? 0
    }
}

/// Describes where two lists of rows first differ, for a test's message.
func mismatch<Row: Equatable>(_ ours: [Row], _ theirs: [Row]) -> String {
    let index = zip(ours, theirs).enumerated().first { $1.0 != $1.1 }?.offset ?? min(ours.count, theirs.count)
    let (left, right) = (ours.dropFirst(index).first, theirs.dropFirst(index).first)
    return "row \(index) of \(ours.count) and \(theirs.count): "
        + "\(String(describing: left).prefix(400)) and \(String(describing: right).prefix(400))"
}
