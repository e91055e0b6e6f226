/// A view (https://www.sqlite.org/lang_createview.html).
public struct View: Sendable, Hashable {
    public var name: String
    /// The column list behind the name; nil where there is none.
    public var columns: [String]?
    public var query: SQLFragment

    public init(name: String, columns: [String]? = nil, query: SQLFragment) {
        self.name = name
        self.columns = columns
        self.query = query
    }
}

extension View {
    /// The columns that the view names itself: in its list, else by AS.
    var columnNames: [String] { columns ?? query.resultNames }
}
