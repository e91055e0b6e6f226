import DrydockFiles

/// A database as a released version left it.
public struct Snapshot: Sendable, Hashable {
    public enum Kind: Sendable, Hashable {
        /// A SQLite file, which may be compressed, as a dump may be.
        case database
        /// SQL text, as `.dump` writes it.
        case dump
    }

    /// The path, as reports show it.
    public var path: String
    public var kind: Kind
    /// Where its bytes are, if not at ``path``: the copy of a live database.
    var copy: String?

    public init(path: String) {
        self.path = path
        kind = CompressedFile.contentName(of: path).lowercased().hasSuffix(".sql") ? .dump : .database
    }

    package init(live path: String, copy: String) {
        self.path = path
        kind = .database
        self.copy = copy
    }

    package var file: String { copy ?? path }
}
