/// The abilities of the SQLite that will run a plan, by its version (https://www.sqlite.org/changes.html).
public struct AlterSupport: Sendable, Hashable {
    /// The second part of the version number.
    let minor: Int

    public var renamesColumns: Bool { minor >= 25 }
    public var dropsColumns: Bool { minor >= 35 }

    /// - Parameter version: such as `3.24`; the third part is optional.
    /// - Returns: nil if it is not a version of SQLite 3.
    public init?(version: String) {
        let parts = version.split(separator: ".", omittingEmptySubsequences: false).map { Int($0) }
        guard (2...3).contains(parts.count), parts[0] == 3, let minor = parts[1],
            parts.allSatisfy({ $0 != nil })
        else { return nil }
        self.minor = minor
    }

    /// The newest SQLite.
    public static let current = AlterSupport(minor: .max)

    /// Only ADD COLUMN and RENAME TO: any other change is a rebuild.
    public static let oldest = AlterSupport(minor: 24)

    private init(minor: Int) { self.minor = minor }

    /// Returns the features of a schema that SQLite of this version cannot read, one sentence each.
    public func missing(in schema: Schema) -> [String] {
        let tables = schema.tables.sorted { $0.key < $1.key }.map(\.value)
        let indexes = schema.indexes.sorted { $0.key < $1.key }.map(\.value)
        let needs: [(minor: Int, what: String, names: [String])] = [
            (8, "partial indexes", indexes.filter { $0.condition != nil }.map(\.name)),
            (
                9, "indexes on expressions",
                indexes.filter { $0.terms.contains(where: \.isExpression) }.map(\.name)
            ),
            (8, "WITHOUT ROWID", tables.filter(\.isWithoutRowid).map(\.name)),
            (
                31, "generated columns",
                tables.filter { $0.columns.contains { $0.generated != nil } }.map(\.name)
            ),
            (37, "STRICT tables", tables.filter(\.isStrict).map(\.name)),
        ]
        return needs.filter { $0.minor > minor && !$0.names.isEmpty }.map { need in
            "\(need.what) (\(need.names.joined(separator: ", "))) came with SQLite 3.\(need.minor)"
        }
    }
}

extension Index.Term {
    fileprivate var isExpression: Bool { if case .expression = value { true } else { false } }
}
