/// The meaning of a database's schema: its objects by folded name, and the settings in its header.
///
/// State is left out: SQLite's own tables (`sqlite_sequence`, `sqlite_stat1`), the tables in which virtual
/// tables store their data, the indexes of constraints, and the history tables of migration tools.
public struct Schema: Sendable, Hashable {
    public var tables: [String: Table] = [:]
    public var indexes: [String: Index] = [:]
    public var views: [String: View] = [:]
    public var triggers: [String: Trigger] = [:]
    public var virtualTables: [String: VirtualTable] = [:]
    /// The objects that could not be parsed, by folded name; compared by tokens.
    public var unparsed: [String: Unparsed] = [:]
    public var settings: DatabaseSettings

    public init(settings: DatabaseSettings = DatabaseSettings()) { self.settings = settings }

    /// Whether every object was parsed.
    public var isComplete: Bool { unparsed.isEmpty }

    public func table(_ name: String) -> Table? { tables[name.foldedASCII] }

    /// Returns the indexes of a table, sorted by folded name.
    public func indexes(on table: String) -> [Index] { sorted(indexes) { $0.table.isSameName(as: table) } }

    /// Returns the triggers on a table or view, sorted by folded name.
    public func triggers(on table: String) -> [Trigger] {
        sorted(triggers) { $0.table.isSameName(as: table) }
    }

    /// Returns the columns of the parent that a foreign key references: those that it names, otherwise the
    /// parent's primary key (https://www.sqlite.org/foreignkeys.html#fk_composite); nil if the parent is not
    /// known.
    public func parentColumns(of key: ForeignKey) -> [String]? {
        if let columns = key.parentColumns { return columns }
        return table(key.parent)?.primaryKey?.terms.map(\.column)
    }

    private func sorted<T>(_ objects: [String: T], where isWanted: (T) -> Bool) -> [T] {
        objects.filter { isWanted($0.value) }.sorted { $0.key < $1.key }.map(\.value)
    }
}

extension String {
    /// Returns whether SQLite takes both for the same name.
    func isSameName(as other: String) -> Bool { self == other || foldedASCII == other.foldedASCII }

    var uppercasedASCII: String {
        String(
            decoding: utf8.map { $0 >= UInt8(ascii: "a") && $0 <= UInt8(ascii: "z") ? $0 & 0xDF : $0 },
            as: UTF8.self)
    }
}
