import DatabaseEngine
import SQLiteSchema

/// Completes chosen rows by those that they refer to, whatever the foreign keys are: of several columns, of a table to
/// itself, in circles. The keys are in temporary tables, so that memory does not grow with them.
struct ReferenceClosure {
    let connection: any Connection
    let source: SubsetSource

    /// Chooses the rows to which chosen rows refer, and those to which these refer.
    func addParents() throws {
        let tables = source.tables.filter { !$0.isKeyless }
        for table in tables where hasLinks(table) {
            try connection.execute("INSERT OR IGNORE INTO \(table.open) SELECT * FROM \(table.chosen)")
        }
        for table in source.tables where table.isKeyless { try follow(table, all: true) }
        // Children first, so that most parents are looked for once.
        let order = tables.filter(hasLinks).reversed()
        while let table = try order.first(where: isOpen) {
            try connection.execute(
                """
                DELETE FROM \(table.work);
                INSERT INTO \(table.work) SELECT * FROM \(table.open);
                DELETE FROM \(table.open);
                """)
            try follow(table, all: false)
        }
    }

    /// Chooses the rows of a table that refer to chosen rows.
    func addChildren(in table: SubsetTable) throws {
        guard !table.isKeyless else { return }
        for link in source.links where link.child == table.name {
            guard let parent = source.table(link.parent), !parent.isKeyless else { continue }
            try connection.execute(
                "INSERT OR IGNORE INTO \(table.chosen) SELECT \(table.key(of: "c")) FROM \(table.source) AS c "
                    + "WHERE \(link.refers) AND EXISTS (SELECT 1 FROM \(parent.source) AS p, \(parent.chosen) AS k "
                    + "WHERE \(link.isParent) AND \(parent.isRow("p", of: "k")))")
        }
    }

    /// Chooses the rows of full-text and spatial indexes that belong to chosen rows.
    func addFollowers() throws {
        for table in source.tables {
            guard let leader = table.leader.flatMap(source.table), !leader.isKeyless, !table.isKeyless else {
                continue
            }
            try connection.execute(
                "INSERT OR IGNORE INTO \(table.chosen) SELECT k.k0 FROM \(leader.chosen) AS k "
                    + "WHERE EXISTS (SELECT 1 FROM \(table.source) AS c WHERE \(table.isRow("c", of: "k")))")
        }
    }

    /// Drops chosen rows that refer to one that is not chosen, until there is none.
    func dropOrphans() throws {
        var isDone = false
        while !isDone {
            isDone = true
            for link in source.links {
                guard let child = source.table(link.child), !child.isKeyless,
                    let parent = source.table(link.parent)
                else { continue }
                let rows =
                    parent.isKeyless
                    ? "\(parent.source) AS p"
                    : "\(parent.source) AS p JOIN \(parent.chosen) AS k ON \(parent.isRow("p", of: "k"))"
                let before = connection.totalChanges
                try connection.execute(
                    "DELETE FROM \(child.chosen) WHERE (\(child.keyColumns)) IN (SELECT \(child.key(of: "c")) "
                        + "FROM \(child.chosenRows) WHERE \(link.hasNoParent(in: rows)))")
                if connection.totalChanges != before { isDone = false }
            }
        }
    }

    /// Returns how many chosen rows refer to one that the database does not have, by foreign key.
    func orphans() throws -> [SubsetReport.Orphans] {
        try source.links.compactMap { link in
            guard source.schema.isUnique(link), let child = source.table(link.child),
                let parent = source.table(link.parent)
            else { return nil }
            let count = try connection.firstRow(
                "SELECT count(*) FROM \(child.chosenRows) WHERE \(link.hasNoParent(in: "\(parent.source) AS p"))"
            ) { Int($0.integer(0)) }
            guard let count, count > 0 else { return nil }
            return .init(table: child.name, columns: link.columns, parent: parent.name, rows: count)
        }
    }

    private func hasLinks(_ table: SubsetTable) -> Bool { source.links.contains { $0.child == table.name } }

    private func isOpen(_ table: SubsetTable) throws -> Bool {
        try connection.firstRow("SELECT 1 FROM \(table.open) LIMIT 1") { _ in true } ?? false
    }

    /// Chooses the parents of the rows whose keys are in the table of work.
    private func follow(_ table: SubsetTable, all: Bool) throws {
        for link in source.links where link.child == table.name {
            guard let parent = source.table(link.parent), !parent.isKeyless else { continue }
            let rows =
                all
                ? "\(table.source) AS c"
                : "\(table.work) AS w CROSS JOIN \(table.source) AS c ON \(table.isRow("c", of: "w"))"
            let isKnown = "EXISTS (SELECT 1 FROM \(parent.chosen) AS k WHERE \(parent.isRow("p", of: "k")))"
            try connection.execute(
                "INSERT OR IGNORE INTO \(parent.open) SELECT \(parent.key(of: "p")) FROM \(rows) "
                    + "CROSS JOIN \(parent.source) AS p ON \(link.isParent) WHERE NOT \(isKnown); "
                    + "INSERT OR IGNORE INTO \(parent.chosen) SELECT * FROM \(parent.open)")
            if !hasLinks(parent) { try connection.execute("DELETE FROM \(parent.open)") }
        }
    }
}
