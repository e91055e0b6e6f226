/// Paths as a code review names files: from the root of the repository, wherever in it the command runs.
package struct SourcePaths: Sendable {
    /// The root of the repository, an absolute path; nil if there is none.
    private let root: String?
    /// The folder from which relative paths start, an absolute path.
    private let folder: String

    package init(root: String? = nil, folder: String = "") {
        (self.root, self.folder) = (root, folder)
    }

    /// Returns a path from the root of the repository; an absolute one for what is outside.
    package func path(_ path: String) -> String {
        guard let root else { return Self.resolved(path) }
        let absolute = Self.resolved(path.hasPrefix("/") ? path : folder + "/" + path)
        if absolute == root { return "." }
        let prefix = root == "/" ? "/" : root + "/"
        return absolute.hasPrefix(prefix) ? String(absolute.dropFirst(prefix.count)) : absolute
    }

    /// Returns the path without `.`, and without `..` after a folder.
    private static func resolved(_ path: String) -> String {
        var parts: [Substring] = []
        for part in path.split(separator: "/") where part != "." {
            if part == "..", let last = parts.last, last != ".." {
                parts.removeLast()
            } else if part != ".." || !path.hasPrefix("/") {
                parts.append(part)
            }
        }
        let text = parts.joined(separator: "/")
        return path.hasPrefix("/") ? "/" + text : text.isEmpty ? "." : text
    }

    /// Returns a path as a reference in a URI (https://www.rfc-editor.org/rfc/rfc3986#section-4.2).
    static func uri(_ path: String) -> String {
        let plain = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/".utf8)
        let digits = Array("0123456789ABCDEF".utf8)
        var bytes: [UInt8] = []
        for byte in path.utf8 {
            if plain.contains(byte) {
                bytes.append(byte)
            } else {
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return (path.hasPrefix("/") ? "file://" : "") + String(decoding: bytes, as: UTF8.self)
    }
}
