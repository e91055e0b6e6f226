import DatabaseEngine
import DrydockFindings
import SQLiteSchema

/// How another R-Tree takes the place of a damaged one.
///
/// The rows that it indexes are in a table that only the app knows. SQLite drops an R-Tree that it opens, and it opens each
/// whose root node is a blob of at least 448 bytes (`getNodeSize` in ext/rtree).
struct SpatialRepair {
    private let index: VirtualTable
    /// What makes SQLite open the R-Tree.
    private var opening: [String] = []
    /// Whether pages are damaged: then SQLite does not drop the R-Tree.
    private var hasDamagedPages = false

    private static let smallestNode = 448

    /// Looks into the tables of the module, without the module: a connection may have opened the R-Tree while it was whole.
    /// - Throws: ``EngineError``.
    init?(_ table: Catalog.Table, _ connection: any Connection) throws {
        guard let index = table.virtual else { return nil }
        self.index = index
        connection.releaseMemory()
        do {
            let size = try connection.firstRow(
                "SELECT length(data) FROM main.\(quotedName(name("node"))) WHERE nodeno = 1"
            ) { $0.integer(0) }
            if size ?? 0 < Self.smallestNode {
                opening.append(
                    "INSERT OR REPLACE INTO \(quotedIfNeeded(name("node"))) VALUES(1, zeroblob(\(Self.smallestNode)));"
                )
            }
            hasDamagedPages = try connection.hasDamagedPages(in: ["node", "rowid", "parent"].map(name))
        } catch let error as EngineError where !error.isInterrupt && !error.isOutage && !error.isOverLimit {
            hasDamagedPages = true
        }
    }

    private func name(_ suffix: String) -> String { "\(index.name)_\(suffix)" }

    var help: String {
        let (old, new) = (quotedIfNeeded(index.name), quotedIfNeeded(name("new")))
        let arguments = index.arguments.map(\.text).joined(separator: ", ")
        let creation = "\n  CREATE VIRTUAL TABLE \(new) USING \(index.module)(\(arguments));"
        if hasDamagedPages {
            return
                "Its own tables are damaged, so SQLite cannot drop it. Restore a backup, or create "
                + "another one and fill it from the rows that it indexes:" + creation
        }
        let exchange = opening + ["DROP TABLE \(old);", "ALTER TABLE \(new) RENAME TO \(old);"]
        return
            "Create another one, and fill it from the rows that it indexes, or with what can still be read of \(old) if "
            + "they are nowhere else:" + creation + "\nThen replace the damaged one with it:"
            + exchange.map { "\n  \($0)" }.joined()
    }
}
