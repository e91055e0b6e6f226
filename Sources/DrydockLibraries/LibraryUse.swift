import DatabaseEngine
import DrydockFindings
import DrydockReplay
import DrydockState
import SQLiteSchema

/// What the usual library makes of a state where it is used: the statements that compile, and the values of virtual generated
/// columns.
struct LibraryUse: Sendable {
    private let statements: [String]
    private var computed: [(table: ComputedTable, values: ComputedTable.Values)] = []
    private let encoding: TextEncoding

    init(of catalog: Catalog, on connection: any Connection) throws {
        statements = try UseStatements.compiling(in: catalog, on: connection)
        encoding = catalog.encoding
        for table in try ComputedTable.all(in: catalog, on: connection) {
            if let values = try table.values(on: connection) { computed.append((table, values)) }
        }
    }

    var job: RepeatedBatch.Use { .init(statements: statements, computed: computed.map(\.table)) }

    /// Leaves out the computed values that are those of the state before: of the same rows any library computes the same
    /// again.
    /// - Parameter uses: of the states in their order.
    static func changed(_ uses: [LibraryUse]) -> [LibraryUse] {
        var changed = uses
        for index in changed.indices.dropFirst() {
            let earlier = uses[index - 1].computed
            changed[index].computed.removeAll { own in
                earlier.contains { $0.table == own.table && $0.values == own.values }
            }
        }
        if changed.dropFirst().allSatisfy(\.computed.isEmpty), !changed.isEmpty { changed[0].computed = [] }
        return changed
    }

    /// What another library computes otherwise.
    struct Differences: Sendable {
        var parts: Set<StateComparison.Part> = []
        var rows: [Evidence.Row] = []
    }

    /// - Parameters:
    ///   - theirs: what another library computes for the tables of ``job``.
    ///   - known: what it computed otherwise before.
    func differences(_ theirs: [ComputedTable.Values?], without known: Differences = .init()) -> Differences {
        var differences = Differences()
        for (own, values) in zip(computed, theirs) {
            guard let values else { continue }
            let columns = own.table.differences(own.values, values).filter {
                !known.parts.contains(.column(table: own.table.name, $0))
            }
            guard !columns.isEmpty else { continue }
            differences.parts.formUnion(columns.map { .column(table: own.table.name, $0) })
            differences.rows += own.table.rows(own.values, values, of: columns, encoding)
        }
        differences.rows = Array(differences.rows.prefix(Evidence.rowLimit))
        return differences
    }
}
