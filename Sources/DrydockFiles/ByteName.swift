import DrydockFindings
import Foundation
import SQLiteSchema
import Synchronization

/// The names of files that are not valid UTF-8. A `String` cannot hold such a name, so the file cannot be opened; it is named
/// with its bytes written as `\xE9`, and never passed over.
///
///     let path = ByteName.text(of: bytes)
///     if ByteName.isIn(path) { throw RequestError(.unreadable, ByteName.fault(of: path)) }
package enum ByteName {
    /// The parts of paths that were written so, and whether each is a folder as far as is known.
    private static let known = Mutex<[String: Bool]>([:])

    /// Returns a path, or a name in a folder, as text.
    /// - Parameters:
    ///   - folder: the folder of a name; nil for a path.
    ///   - isFolder: whether it is known to be a folder.
    package static func text(
        of bytes: some Collection<UInt8>, in folder: String? = nil, isFolder: Bool = false
    ) -> String {
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        var parts = bytes.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map {
            (text: escaped($0), isValid: String(validating: $0, as: UTF8.self) != nil)
        }
        func joined() -> String { parts.map(\.text).joined(separator: "/") }
        let prefix = folder.map { $0 + "/" } ?? ""
        // Another file may have the name that this one is given.
        while FolderListing.exists(prefix + joined()), let index = parts.lastIndex(where: { !$0.isValid }) {
            parts[index].text += "\u{FFFD}"
        }
        known.withLock { known in
            for (index, part) in parts.enumerated() where !part.isValid {
                known[part.text] = index < parts.count - 1 || isFolder
            }
        }
        return joined()
    }

    private static func escaped(_ bytes: some Collection<UInt8>) -> String {
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        var rest = Array(bytes)[...]
        var text = ""
        while let first = rest.first {
            // The longest that is one character; none is longer than four bytes.
            let length = (1...4).first { length in
                rest.count >= length
                    && String(validating: rest.prefix(length), as: UTF8.self)?.unicodeScalars.count == 1
            }
            if let length {
                text += String(decoding: rest.prefix(length), as: UTF8.self)
                rest = rest.dropFirst(length)
            } else {
                text += "\\x" + [first].hex.uppercased()
                rest = rest.dropFirst()
            }
        }
        return text
    }

    /// Whether a path has a part that was written so, and means no file.
    package static func isIn(_ path: String) -> Bool { isFolder(path) != nil }

    /// Whether that part is a folder, as far as is known; nil if there is none.
    package static func isFolder(_ path: String) -> Bool? {
        let known = known.withLock { $0 }
        guard !known.isEmpty else { return nil }
        return path.split(separator: "/").lazy.compactMap { known[String($0)] }.first
    }

    /// Returns what is said of such a path.
    package static func fault(of path: String) -> String {
        "the name '\(path)' is not valid UTF-8 (\\x begins a byte), so it cannot be opened, and nothing was done with it: "
            + "rename it"
    }
}

extension FolderListing {
    /// Returns why a path that exists cannot be used: what it leads to has a name that is not valid UTF-8. nil if it can.
    package static func nameFault(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        let bytes = UnsafeBufferPointer(start: resolved, count: strlen(resolved)).map {
            UInt8(bitPattern: $0)
        }
        guard String(validating: bytes, as: UTF8.self) == nil else { return nil }
        return
            "'\(path)' is '\(ByteName.text(of: bytes))', and this name is not valid UTF-8 (\\x begins a byte), so it "
            + "cannot be opened, and nothing was done with it: rename it"
    }
}
