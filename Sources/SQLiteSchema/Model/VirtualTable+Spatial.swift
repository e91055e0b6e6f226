/// What the definition of an R-Tree says (https://www.sqlite.org/rtree.html).
extension VirtualTable {
    /// The columns of an R-Tree or geopoly table, as its definition names them; nil for another module.
    ///
    /// The module takes the first word of each argument. Auxiliary columns have a `+` before it.
    package var spatialColumns: [String]? {
        let hidden: [String]
        switch module.foldedASCII {
        case "rtree", "rtree_i32": hidden = []
        case "geopoly": hidden = ["_shape"]
        default: return nil
        }
        return hidden
            + arguments.compactMap { argument in
                let source = SQLSource(name: "", argument.text)
                let words = Lexer(source).lazy.filter(\.isSignificant).map { $0.text(in: source) }
                return words.first { $0 != "+" }.map(Self.unquoted)
            }
    }
}
