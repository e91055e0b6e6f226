/// A view (https://www.sqlite.org/lang_createview.html).
public struct View: Sendable, Hashable {
    public var name: String
    /// The column list after the name; nil if there is none.
    public var columns: [String]?
    public var query: SQLFragment

    public init(name: String, columns: [String]? = nil, query: SQLFragment) {
        self.name = name
        self.columns = columns
        self.query = query
    }
}

extension View {
    /// The column names that the view gives: in its column list, otherwise with AS.
    var columnNames: [String] { columns ?? query.resultNames }
}
