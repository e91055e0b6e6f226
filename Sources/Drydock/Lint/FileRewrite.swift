import Foundation
import SQLiteSchema

/// Rewrites of one file, which leave every other byte as it is.
public struct FileRewrite: Sendable {
    public var path: String
    public var edits: [SQLEdit]
    /// The file as it was linted.
    let bytes: [UInt8]

    /// The file with the edits made.
    public var result: [UInt8] {
        var result: [UInt8] = []
        var offset = 0
        for edit in edits.sorted(by: { $0.range.lowerBound < $1.range.lowerBound })
        where edit.range.lowerBound >= offset {
            result += bytes[offset..<edit.range.lowerBound]
            result += edit.text.utf8
            offset = edit.range.upperBound
        }
        return result + bytes[offset...]
    }

    /// Replaces the file at once.
    /// - Throws: ``RequestError`` when it is no longer what was linted, or cannot be written.
    public func write() throws {
        guard let now = try? FolderListing.contents(of: path), now == bytes else {
            throw RequestError("'\(path)' is not what was linted, and was left alone; lint it again")
        }
        do {
            let target = FolderListing.realPath(path)
            let mode = try FileManager.default.attributesOfItem(atPath: target)[.posixPermissions]
            try Data(result).write(to: URL(fileURLWithPath: target), options: .atomic)
            if let mode {
                try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: target)
            }
        } catch {
            throw RequestError("'\(path)' cannot be written: \(error.localizedDescription)")
        }
    }
}
