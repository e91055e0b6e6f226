/// A virtual table (https://www.sqlite.org/lang_createvtab.html).
///
/// The tables in which the module stores its data belong to it and are not part of the schema.
public struct VirtualTable: Sendable, Hashable {
    /// One argument of the module, between two commas.
    ///
    /// Modules read the text themselves, most of them ignoring whitespace and quoting style, so these make no
    /// difference here. The text is printed with its spaces, since they matter to some modules (fts4).
    public struct Argument: Sendable {
        /// The text as written, with each run of whitespace and comments made one space.
        public let text: String
        /// The tokens; anything quoted is a name if it could be one.
        public let normalized: NormalizedSQL
    }

    public var name: String
    public var module: String
    public var arguments: [Argument]

    public init(name: String, module: String, arguments: [Argument] = []) {
        self.name = name
        self.module = module
        self.arguments = arguments
    }

    /// Returns whether a table is one in which the module stores its data.
    ///
    /// SQLite decides by the name only (https://www.sqlite.org/vtab.html#the_xshadowname_method). Which of
    /// these names the module uses depends on its arguments. If it creates a table with such a name, no other
    /// table can have it, with one exception: `_stat`, which FTS3 and FTS4 create if it is missing, FTS3 when
    /// it is first needed.
    /// - Parameter sql: the table's CREATE TABLE statement; nil if only the name counts.
    public func owns(table: String, sql: String? = nil) -> Bool {
        let prefix = name.foldedASCII + "_"
        let folded = table.foldedASCII
        guard folded.hasPrefix(prefix) else { return false }
        let suffix = String(folded.dropFirst(prefix.count))
        switch module.foldedASCII {
        case "fts3", "fts4":
            switch suffix {
            case "segments", "segdir": return true
            case "content": return content == nil
            case "docsize": return module.foldedASCII == "fts4" && option("matchinfo") == nil
            case "stat": return sql.map(Self.isStatTable) ?? (module.foldedASCII == "fts4")
            default: return false
            }
        case "fts5":
            switch suffix {
            case "data", "idx", "config": return true
            case "content":
                return content == nil || option("contentless_unindexed").map { $0 != "0" } ?? false
            case "docsize": return option("columnsize") != "0"
            default: return false
            }
        case "rtree", "rtree_i32", "geopoly": return ["node", "rowid", "parent"].contains(suffix)
        case "spellfix1": return suffix == "vocab"
        case "vec0":
            return ["chunks", "rowids", "info", "auxiliary"].contains(suffix)
                || ["vector_chunks", "metadatachunks", "metadatatext"].contains { suffix.hasPrefix($0) }
        default: return false
        }
    }

    /// Whether the tables that the module creates are known.
    public var isOfKnownModule: Bool {
        isFullText || ["rtree", "rtree_i32", "geopoly", "spellfix1", "vec0"].contains(module.foldedASCII)
    }

    /// Returns whether SQL is that of a `_stat` table. The module writes
    /// `CREATE TABLE 'x_stat'(id INTEGER PRIMARY KEY, value BLOB)` with the name in quotes, which a rename of
    /// the table keeps.
    private static func isStatTable(_ sql: String) -> Bool {
        let source = SQLSource(name: "sqlite_schema", sql)
        let tokens = Lexer(source).filter(\.isSignificant).map { $0.text(in: source).foldedASCII }
        guard tokens.count > 3, let quote = tokens[2].first, "'\"`[".contains(quote) else { return false }
        return Array(tokens[3...]) == ["(", "id", "integer", "primary", "key", ",", "value", "blob", ")"]
    }
}

extension VirtualTable.Argument: Hashable {
    public static func == (a: Self, b: Self) -> Bool { a.normalized == b.normalized }

    public func hash(into hasher: inout Hasher) { hasher.combine(normalized) }
}
