/// A virtual table (https://www.sqlite.org/lang_createvtab.html).
///
/// The tables in which the module keeps its data belong to it and are no part of the schema.
public struct VirtualTable: Sendable, Hashable {
    /// One argument of the module, between two commas.
    ///
    /// Modules read the text themselves, most of them without regard for whitespace and quoting style, so
    /// these make no difference here; the text is printed with its spaces, for some (fts4) mind them.
    public struct Argument: Sendable {
        /// As written, runs of whitespace and comments made one space.
        public let text: String
        /// The tokens; what is quoted in any way is a name where it could be one.
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

    /// Whether a table of this name is where the module keeps its data (the suffixes that the `xShadowName`
    /// methods of SQLite's own modules, and of two that are often met, know:
    /// https://www.sqlite.org/vtab.html#the_xshadowname_method).
    public func owns(table: String) -> Bool {
        let prefix = name.foldedASCII + "_"
        let folded = table.foldedASCII
        guard folded.hasPrefix(prefix) else { return false }
        let suffix = String(folded.dropFirst(prefix.count))
        switch module.foldedASCII {
        case "fts3", "fts4", "fts5":
            // With `content=` there is no table of that name but one that the user made.
            if suffix == "content" { return content == nil }
            return module.foldedASCII == "fts5"
                ? ["data", "idx", "docsize", "config"].contains(suffix)
                : ["segments", "segdir", "docsize", "stat"].contains(suffix)
        case "rtree", "rtree_i32", "geopoly": return ["node", "rowid", "parent"].contains(suffix)
        case "spellfix1": return suffix == "vocab"
        case "vec0":
            return ["chunks", "rowids", "info", "auxiliary"].contains(suffix)
                || ["vector_chunks", "metadatachunks", "metadatatext"].contains { suffix.hasPrefix($0) }
        default: return false
        }
    }
}

extension VirtualTable.Argument: Hashable {
    public static func == (a: Self, b: Self) -> Bool { a.normalized == b.normalized }

    public func hash(into hasher: inout Hasher) { hasher.combine(normalized) }
}
