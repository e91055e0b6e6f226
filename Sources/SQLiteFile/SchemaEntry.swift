import SQLiteSchema

// "Page 1 of a database file is the root page of a table b-tree that holds a special table named
// "sqlite_schema". [...]
// CREATE TABLE sqlite_schema(
//   type text,
//   name text,
//   tbl_name text,
//   rootpage integer,
//   sql text
// );"
// https://www.sqlite.org/fileformat2.html#ffschema

/// A row of the schema table.
public struct SchemaEntry: Equatable, Sendable {
    public let rowid: Int64
    /// "table", "index", "view" or "trigger".
    public let type: String
    public let name: String
    public let tableName: String
    /// 0 if there is no tree: views, triggers and virtual tables.
    public let rootPage: UInt32
    /// Nil for an index that a constraint creates.
    public let sql: String?
}

extension DatabaseFile {
    /// Returns the schema table's rows in the order of their rowids. The table does not list itself; its root
    /// page is 1.
    /// - Throws: ``FileDamage``.
    public func schema() throws(FileDamage) -> [SchemaEntry] {
        guard pageCount > 0 else { return [] }
        var cursor = try TreeCursor(self, root: 1)
        guard cursor.isTable else { throw FileDamage(1, .treeKind) }
        var buffer = PayloadBuffer()
        var fields: [Field] = []
        var entries: [SchemaEntry] = []
        while let row = try cursor.next() {
            try RecordReader.read(
                try bytes(of: row.payload, in: &buffer), page: row.payload.page, into: &fields)
            guard fields.count >= 5, let type = text(fields[0]), let name = text(fields[1]),
                let tableName = text(fields[2]), let root = UInt32(exactly: fields[3].integer)
            else { throw FileDamage(row.payload.page, .schemaRow) }
            entries.append(
                SchemaEntry(
                    rowid: row.rowid, type: type, name: name, tableName: tableName, rootPage: root,
                    sql: text(fields[4])))
        }
        return entries
    }

    /// Returns the records of a table or index as they are stored, in the order of their keys.
    /// - Parameter root: 1 for the schema table.
    /// - Throws: ``FileDamage``.
    public func records(ofTree root: UInt32) throws(FileDamage) -> [[UInt8]] {
        var cursor = try TreeCursor(self, root: root)
        var buffer = PayloadBuffer()
        var records: [[UInt8]] = []
        while let row = try cursor.next() { records.append(Array(try bytes(of: row.payload, in: &buffer))) }
        return records
    }

    /// Returns a text of this database, with invalid sequences replaced; nil for any other storage class.
    public func text(_ field: Field) -> String? {
        guard field.storageClass == .text else { return nil }
        return header.encoding.decode(field.bytes)
    }
}
