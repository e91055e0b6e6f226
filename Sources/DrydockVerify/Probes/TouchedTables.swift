import DrydockReplay
import DrydockState
import SQLiteSchema

/// The tables that a step changed, as the states before and after it show: what a project's own command runs is not known.
struct TouchedTables {
    /// The folded names of tables that were there before, and differ or are gone.
    let names: Set<String>

    init(from before: DatabaseState, to after: DatabaseState) {
        names = Set(
            before.catalog.tables.values.filter { table in
                guard let now = after.catalog.table(table.name), now.text == table.text, table.module == nil,
                    Self.objects(of: table, in: before) == Self.objects(of: table, in: after)
                else { return true }
                return after.changes?.isWhollyUntouched(table: table.name, now: table.name) != true
            }.map(\.name.foldedASCII))
    }

    /// The definitions of a table's triggers. Its indexes are compared with their entries.
    private static func objects(of table: Catalog.Table, in state: DatabaseState) -> Set<String?> {
        Set(
            state.catalog.objects.values.filter {
                $0.tableName.foldedASCII == table.name.foldedASCII && $0.kind == .trigger
            }.map(\.text))
    }
}
