import DrydockFindings
import DrydockMigrations
import DatabaseEngine

/// An R-Tree: its nodes, and the two tables that record the node of each row and the parent of each node
/// (https://www.sqlite.org/rtree.html#integrity_checks_using_the_rtreecheck_sql_function).
package struct SpatialIndex {
    package let table: Catalog.Table
    package let connection: any Connection

    package init(_ table: Catalog.Table, _ connection: any Connection) {
        self.table = table
        self.connection = connection
    }

    /// How another one takes the place of a damaged one.
    package func remedy() throws -> String? { try SpatialRepair(table, connection)?.help }

    /// Returns the messages of `rtreecheck()`.
    package func messages() throws -> [String] {
        let answer: String?
        do {
            answer = try connection.firstRow("SELECT rtreecheck('main', ?)", [SQLValue(table.name)]) {
                $0.string(0)
            }
        } catch let error as EngineError where error.isCorruption {
            // Without its root node the module does not even open the table.
            return [error.message]
        }
        guard let answer, answer != "ok" else { return [] }
        return answer.split(separator: "\n").map(String.init)
    }

    package func faults() throws -> [Fault] {
        let messages = try messages()
        guard let first = messages.first else { return [] }
        let name = quotedIfNeeded(table.name)
        var fault = Fault(
            id: .init(rule: .searchIndexStale, kind: "spatial", names: [table.name.foldedASCII]),
            sentence: "spatial index \(table.name) is damaged: \(first)",
            help:
                "Do not write to the tables in which the module keeps it (\(name)_node, \(name)_parent, \(name)_rowid); "
                + "change rows only through \(name).", table: table.name,
            evidence: Evidence(
                rowCount: messages.count, details: Array(messages.prefix(Evidence.detailLimit))))
        fault.count = messages.count
        return [fault]
    }
}
