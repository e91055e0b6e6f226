import DrydockFindings
import DrydockMigrations
import SQLiteSchema

/// The number of views that each view expands to, counted as often as they are named.
///
/// SQLite replaces the name of a view with its text when it compiles a statement, and likewise for the views in that
/// text: a view that joins another with itself doubles the other's count, and twenty such views make a million.
/// Compiling one of them takes minutes and proves nothing that the views below it do not.
struct ViewExpansion {
    /// More than people write, and few enough that SQLite needs less than a second.
    static let limit = 4096

    private let counts: [String: Int]

    /// - Parameter views: the names of the views and their CREATE statements.
    init(_ views: [(name: String, sql: String)]) {
        let names = Set(views.map(\.name.foldedASCII))
        var mentions: [String: [String]] = [:]
        for view in views {
            mentions[view.name.foldedASCII] = Self.names(in: view.sql, of: names).filter {
                $0 != view.name.foldedASCII
            }
        }
        var counts: [String: Int] = [:]
        // A view may name one that comes later, or itself through others, which SQLite refuses: as many rounds as there
        // are views reach every view.
        for name in names { counts[name] = 1 }
        for _ in 0..<max(1, names.count) {
            var hasChanged = false
            for (name, named) in mentions {
                let count = min(Self.limit + 1, named.reduce(1) { $0 + min(counts[$1] ?? 0, Self.limit + 1) })
                if counts[name] != count { (counts[name], hasChanged) = (count, true) }
            }
            guard hasChanged else { break }
        }
        self.counts = counts
    }

    /// Whether a view expands to more views than the limit for compiling.
    func isTooLarge(_ view: String) -> Bool { counts[view.foldedASCII] ?? 0 > Self.limit }

    var hasTooLarge: Bool { counts.values.contains { $0 > Self.limit } }

    /// Whether a text, such as a trigger's, names views that expand to more than the limit for compiling.
    func isTooLarge(naming text: String) -> Bool {
        guard counts.values.contains(where: { $0 > 1 }) else { return false }
        return Self.names(in: text, of: Set(counts.keys)).reduce(0) { $0 + (counts[$1] ?? 0) } > Self.limit
    }

    /// Returns why a view or trigger is not compiled.
    static func reason(_ kind: String, _ name: String) -> String {
        "\(kind) \(name) was not compiled: it names views over views, which SQLite would expand to more than "
            + "\(limit) in all"
    }

    private static func names(in sql: String, of names: Set<String>) -> [String] {
        let source = SQLSource(name: "view", sql)
        return source.tokens().compactMap { token in
            guard let name = token.name(in: source)?.foldedASCII, names.contains(name) else { return nil }
            return name
        }
    }
}
