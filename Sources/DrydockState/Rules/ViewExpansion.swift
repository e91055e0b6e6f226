import DrydockFindings
import DrydockMigrations
import SQLiteSchema

/// How many views each view stands for, counted as often as they are named.
///
/// SQLite puts the text of a view in the place of its name when it compiles a statement, and so for the views in it: a
/// view that joins another with itself doubles what that one stands for, and twenty such make a million. Compiling
/// one of those takes minutes and proves nothing that the views below it do not.
struct ViewExpansion {
    /// More than people write, and less than SQLite needs a second for.
    static let limit = 4096

    private let counts: [String: Int]

    /// - Parameter views: their names and CREATE statements.
    init(_ views: [(name: String, sql: String)]) {
        let names = Set(views.map(\.name.foldedASCII))
        var mentions: [String: [String]] = [:]
        for view in views {
            mentions[view.name.foldedASCII] = Self.names(in: view.sql, of: names).filter {
                $0 != view.name.foldedASCII
            }
        }
        var counts: [String: Int] = [:]
        // A view may name one that comes later, or itself by way of others, which SQLite refuses: as many rounds as
        // there are views reach whatever there is to reach.
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

    /// Whether a view stands for more views than are compiled.
    func isTooLarge(_ view: String) -> Bool { counts[view.foldedASCII] ?? 0 > Self.limit }

    var hasTooLarge: Bool { counts.values.contains { $0 > Self.limit } }

    /// Whether a text, such as a trigger's, names views that stand for more than are compiled.
    func isTooLarge(naming text: String) -> Bool {
        guard counts.values.contains(where: { $0 > 1 }) else { return false }
        return Self.names(in: text, of: Set(counts.keys)).reduce(0) { $0 + (counts[$1] ?? 0) } > Self.limit
    }

    /// Why a view or trigger is not compiled.
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
