import SQLiteSchema

/// A version of SQLite, or of a system that includes one.
public struct SQLiteVersion: Sendable, Hashable, Comparable {
    public let minor: Int
    public let patch: Int

    package init(_ minor: Int, _ patch: Int = 0) {
        self.minor = minor
        self.patch = patch
    }

    /// `3.24`, `3.24.0`, or the name of a system such as `ios-15`; nil for anything else.
    public init?(_ text: String) {
        if let known = Self.systems.first(where: { $0.name == text.lowercased() }) {
            self = known.version
            return
        }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).map { Int($0) }
        guard (2...4).contains(parts.count), parts[0] == 3, let minor = parts[1],
            parts.allSatisfy({ ($0 ?? -1) >= 0 })
        else { return nil }
        self.init(minor, parts.count > 2 ? parts[2] ?? 0 : 0)
    }

    public static func < (a: SQLiteVersion, b: SQLiteVersion) -> Bool {
        (a.minor, a.patch) < (b.minor, b.patch)
    }

    /// Describes what `init(_:)` accepts, for a text that it does not accept.
    public static func expectation(for text: String) -> String {
        let names = systems.map(\.name)
        return "a version of SQLite 3, such as 3.24, or of a system that is known"
            + (nearestName(to: text, in: names).map { "; did you mean '\($0)'?" }
                ?? ": " + names.joined(separator: ", "))
    }

    /// The SQLite version of a system's own library, the lowest one known for a release.
    ///
    /// Android: https://developer.android.com/reference/android/database/sqlite/package-summary. Debian and Ubuntu:
    /// their packages. Apple publishes no list: the values are those of `sqlite3_libversion()` on the first releases, as in
    /// https://github.com/groue/GRDB.swift/wiki.
    private static let systems: [(name: String, version: SQLiteVersion)] = [
        ("android-5", .init(8)), ("android-6", .init(8)), ("android-7", .init(9)), ("android-8", .init(18)),
        ("android-9", .init(22)), ("android-10", .init(22)), ("android-11", .init(28)),
        ("android-12", .init(32)), ("android-13", .init(32)), ("android-14", .init(39)),
        ("android-15", .init(44)), ("android-16", .init(44)),
        ("debian-10", .init(27, 2)), ("debian-11", .init(34, 1)), ("debian-12", .init(40, 1)),
        ("debian-13", .init(46, 1)),
        ("ubuntu-18.04", .init(22)), ("ubuntu-20.04", .init(31, 1)), ("ubuntu-22.04", .init(37, 2)),
        ("ubuntu-24.04", .init(45, 1)),
        ("ios-12", .init(24)), ("ios-13", .init(28)), ("ios-14", .init(32, 3)), ("ios-15", .init(36)),
        ("ios-16", .init(39)), ("ios-17", .init(39, 5)), ("ios-18", .init(43, 2)), ("ios-26", .init(51)),
        ("macos-10.14", .init(24)), ("macos-10.15", .init(28)), ("macos-11", .init(32, 3)),
        ("macos-12", .init(36)), ("macos-13", .init(39)), ("macos-14", .init(39, 5)),
        ("macos-15", .init(43, 2)),
    ]
}

extension SQLiteVersion: CustomStringConvertible {
    public var description: String { "3.\(minor)" + (patch == 0 ? "" : ".\(patch)") }
}
