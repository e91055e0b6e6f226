#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A path as the system sees it: bytes.
///
/// `String` compares by canonical equivalence, so two files whose names differ only in Unicode normalisation
/// would be one key. A name need not be UTF-8 at all.
struct FilePath: Hashable, Sendable {
    /// The bytes and a terminating zero, for a C call.
    let cString: [CChar]

    init(_ string: String) {
        cString = Array(string.utf8CString)
    }

    init(cString: UnsafePointer<CChar>) {
        self.cString = Array(UnsafeBufferPointer(start: cString, count: strlen(cString) + 1))
    }

    private init(bytes: some Sequence<CChar>) {
        cString = Array(bytes) + [0]
    }

    /// All at once: a path is looked up for each operation.
    func hash(into hasher: inout Hasher) {
        cString.withUnsafeBytes { hasher.combine(bytes: $0) }
    }

    var bytes: ArraySlice<CChar> { cString.dropLast() }

    var string: String { String(decoding: bytes.map { UInt8(bitPattern: $0) }, as: UTF8.self) }

    func appending(_ suffix: String) -> FilePath {
        FilePath(bytes: bytes + suffix.utf8.map { CChar(bitPattern: $0) })
    }

    /// Returns the path without an ending; nil if it has another.
    func removing(suffix: String) -> FilePath? {
        let ending = suffix.utf8.map { CChar(bitPattern: $0) }
        guard bytes.suffix(ending.count).elementsEqual(ending) else { return nil }
        return FilePath(bytes: bytes.dropLast(ending.count))
    }

    /// The last component, as a name that a person recognises.
    var lastComponent: String {
        string.split(separator: "/").last.map(String.init) ?? "drydock.sqlite"
    }
}

extension FilePath {
    private static let slash = CChar(bitPattern: UInt8(ascii: "/"))
    private static let dot = CChar(bitPattern: UInt8(ascii: "."))

    /// The absolute path. `.` and `..` are removed from the text without looking at the disk.
    var absolute: FilePath {
        var components: [ArraySlice<CChar>] = []
        let isAbsolute = bytes.first == Self.slash
        let whole = isAbsolute ? Array(bytes) : Self.workingDirectory + [Self.slash] + bytes
        for component in whole.split(separator: Self.slash) {
            if component.elementsEqual([Self.dot]) { continue }
            if component.elementsEqual([Self.dot, Self.dot]) {
                _ = components.popLast()
            } else {
                components.append(component)
            }
        }
        return FilePath(bytes: [Self.slash] + components.joined(separator: [Self.slash]))
    }

    /// The file's real path: symbolic links are followed, as SQLite's own `unixFullPathname` does, since the
    /// `-wal` and `-journal` files stand beside the file itself and not beside a link to it.
    ///
    /// For a file that does not exist yet the folder is resolved; if that does not exist either, this is
    /// ``absolute``.
    var resolved: FilePath {
        if let real = Self.realPath(self) { return real }
        guard let cut = bytes.lastIndex(of: Self.slash) else {
            return Self.realPath(FilePath(".")).map { $0.joined(bytes) } ?? absolute
        }
        let last = bytes[(cut + 1)...]
        if last.isEmpty || last.elementsEqual([Self.dot]) || last.elementsEqual([Self.dot, Self.dot]) {
            return absolute
        }
        let folder = cut == bytes.startIndex ? FilePath("/") : FilePath(bytes: bytes[..<cut])
        return Self.realPath(folder).map { $0.joined(last) } ?? absolute
    }

    private func joined(_ last: ArraySlice<CChar>) -> FilePath {
        bytes.last == Self.slash
            ? FilePath(bytes: bytes + last) : FilePath(bytes: bytes + [Self.slash] + last)
    }

    private static func realPath(_ path: FilePath) -> FilePath? {
        guard let real = realpath(path.cString, nil) else { return nil }
        defer { free(real) }
        return FilePath(cString: real)
    }

    private static var workingDirectory: [CChar] {
        guard let name = getcwd(nil, 0) else { return [] }
        defer { free(name) }
        return Array(FilePath(cString: name).bytes)
    }

    /// The path as it is written in a `file:` URI.
    ///
    /// Every byte except letters, digits and a few marks is escaped. An unescaped `#` or `?` would open
    /// another file, and SQLite creates an empty file where none exists (https://www.sqlite.org/uri.html).
    var percentEncoded: String {
        let hex = Array("0123456789ABCDEF")
        var result = ""
        for signed in bytes {
            let byte = UInt8(bitPattern: signed)
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "-"),
                UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"):
                result.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                result.append("%")
                result.append(hex[Int(byte >> 4)])
                result.append(hex[Int(byte & 15)])
            }
        }
        return result
    }
}

/// Returns the path that SQLite uses for a file; the `-wal` and `-journal` files stand beside it.
package func realPath(of path: String) -> String { FilePath(path).resolved.string }

/// Returns a `file:` URI that opens this file and never creates one. No name is taken for `:memory:` or
/// another URI.
package func fileURI(of path: String) -> String { "file:\(FilePath(path).resolved.percentEncoded)?mode=rw" }
