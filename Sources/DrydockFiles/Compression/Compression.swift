import DrydockFindings

/// A way of compressing a file that snapshots may have.
package enum Compression: String, CaseIterable, Sendable {
    case gzip
    case zstd
    case xz
    case zip

    /// The name that people know it by.
    var title: String {
        switch self {
        case .gzip: "gzip"
        case .zstd: "Zstandard"
        case .xz: "xz"
        case .zip: "ZIP"
        }
    }

    /// The endings of names, without the dot.
    private var endings: [String] {
        switch self {
        case .gzip: ["gz"]
        case .zstd: ["zst", "zstd"]
        case .xz: ["xz"]
        case .zip: ["zip"]
        }
    }

    /// What such a file begins with.
    private var magics: [[UInt8]] {
        switch self {
        case .gzip: [[0x1f, 0x8b]]
        // A skippable frame may come first (https://www.rfc-editor.org/rfc/rfc8878#section-3.1.2).
        case .zstd: [[0x28, 0xb5, 0x2f, 0xfd]] + (0x50...0x5f).map { [$0, 0x2a, 0x4d, 0x18] }
        case .xz: [[0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00]]
        // The second is that of an archive without a file.
        case .zip: [[0x50, 0x4b, 0x03, 0x04], [0x50, 0x4b, 0x05, 0x06]]
        }
    }

    /// Whether other kinds of files are such archives too: documents, programs.
    var isContainer: Bool { self == .zip }

    /// How many of the first bytes tell what a file is.
    static let headCount = 6

    /// Returns what the first bytes of a file show it to be compressed with; nil if it is not compressed.
    init?(head: some Collection<UInt8>) {
        let found = Self.allCases.first { $0.magics.contains { head.starts(with: $0) } }
        guard let found else { return nil }
        self = found
    }

    /// Returns what the name of a file says that it is compressed with; nil if it says nothing.
    init?(named path: String) {
        let name = PathParts.name(of: path)
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return nil }
        let ending = name[name.index(after: dot)...].lowercased()
        guard let found = Self.allCases.first(where: { $0.endings.contains(ending) }) else { return nil }
        self = found
    }

    /// Returns a path without the ending of a compressed file: `v3.sqlite` of `v3.sqlite.gz`.
    package static func inner(of path: String) -> String {
        guard Compression(named: path) != nil, let dot = path.lastIndex(of: ".") else { return path }
        return String(path[..<dot])
    }
}
