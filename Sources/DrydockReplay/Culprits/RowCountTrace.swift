import DrydockFindings
import DrydockConservation
import DrydockState
import DatabaseEngine
import SQLiteSchema

/// Follows how many rows a table has, and the one that takes its place.
struct RowCountTrace {
    private let table: String
    private let places: [Int]
    private var before: Int?
    /// The statement since which there are more rows than before.
    private(set) var culprit: Int?

    init(_ match: TableMatch, from start: TableLineage, to end: TableLineage) {
        table = match.before.name
        places = [start[match.before.name]?.id, end[match.after.name]?.id].compactMap(\.self)
    }

    mutating func look(_ point: StatementPoint) {
        func count(_ schema: String, _ name: String) -> Int? {
            try? point.connection.firstRow(
                "SELECT count(*) FROM \(quotedName(schema)).\(quotedName(name))"
            ) { Int($0.integer(0)) }
        }
        before = before ?? count(point.beforeSchema, table)
        let counts = places.compactMap { point.lineage.key(of: $0) }.compactMap { count($0.schema, $0.name) }
        guard let before, let most = counts.max() else { return }
        culprit = most > before ? culprit ?? point.index : nil
    }
}
