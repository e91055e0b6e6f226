import DrydockFindings
import DatabaseEngine
import OverlayVFS
import SQLiteFile
import SQLiteSchema

/// The result of `PRAGMA integrity_check` (https://www.sqlite.org/pragma.html#pragma_integrity_check), divided into
/// damaged structure and rows that break a constraint.
package struct IntegrityCheck: Sendable, Codable {
    /// Messages about pages, trees and indexes.
    package var damage: [String] = []
    /// Messages about rows that break NOT NULL, CHECK, UNIQUE or a STRICT type.
    package var brokenConstraints: [String] = []
    /// Why the whole database or a table could not be checked.
    package var notChecked: [String] = []

    /// Creates a result without problems.
    init() {}

    /// Whether nothing is wrong, and everything was checked.
    package var isFaultless: Bool { damage.isEmpty && brokenConstraints.isEmpty && notChecked.isEmpty }

    /// `integrity_check` stops at 100 messages unless another limit is given.
    private static let messageLimit = 100_000

    /// Checks some tables with their indexes, and the schema table.
    ///
    /// Problems that only a check of the whole file finds are left out: unreferenced pages, and pages that two trees
    /// share.
    /// - Parameter pragma: `integrity_check`, or `quick_check`, which does not compare indexes with their tables.
    package init(
        _ connection: any Connection, catalog: Catalog, tables: [String], pragma: String = "integrity_check"
    ) throws {
        try repeatably(on: connection) { check in
            for name in ["sqlite_schema"] + tables { try check.run(pragma, of: name, connection) }
        }
        brokenConstraints = try brokenConstraints.filter { try !Self.isFalseNull($0, connection, catalog) }
    }

    /// Checks some tables as above: in a large file by ``IntegrityScan``, which also sees a page that two of them share.
    /// - Parameters:
    ///   - file: the pages that the connection shows, where they can be read.
    ///   - leastPages: from which size on a scan is worth its threads.
    package init(
        _ connection: any Connection, catalog: Catalog, tables: [String], file: DatabaseFile?,
        leastPages: UInt32 = 1000
    ) throws {
        guard let file, Self.canScan(file, leastPages) else {
            try self.init(connection, catalog: catalog, tables: tables)
            return
        }
        let scan = try IntegrityScan(file, catalog, connection, tables: tables)
        try self.init(connection, catalog: catalog, tables: scan.damage == nil ? scan.others : tables)
        if let found = scan.damage, damage.isEmpty, notChecked.isEmpty { damage = ["\(found)"] }
    }

    /// Checks the whole database of a state, to which the connection is.
    package init(_ connection: any Connection, catalog: Catalog, image: Image) throws {
        // Pages that cannot be read are for SQLite to describe.
        try self.init(connection, catalog: catalog, file: try? DatabaseFile(ImagePages(image)))
    }

    /// Checks the whole database: a large one by ``IntegrityScan``.
    /// - Parameters:
    ///   - file: the pages that the connection shows, where they can be read.
    ///   - leastPages: from which size on a scan is worth its threads.
    ///   - pragma: see above; `quick_check` is quick by itself.
    package init(
        _ connection: any Connection, catalog: Catalog, file: DatabaseFile? = nil, leastPages: UInt32 = 1000,
        pragma: String = "integrity_check"
    ) throws {
        if pragma == "integrity_check" {
            self = try Self.whole(connection, catalog: catalog, file: file, leastPages: leastPages).check
        } else {
            try self.init(connection, catalog, wholeBy: pragma)
        }
    }

    /// Checks the whole database as above.
    /// - Parameter hashing: what is hashed in the same pass, of a large database.
    /// - Returns: also the parents of all pages, where they were seen on the way.
    static func whole(
        _ connection: any Connection, catalog: Catalog, file: DatabaseFile?, leastPages: UInt32 = 1000,
        hashing: ContentHashing? = nil
    ) throws -> (check: IntegrityCheck, parents: PageParents?) {
        guard let file, canScan(file, leastPages) else {
            return (try IntegrityCheck(connection, catalog, wholeBy: "integrity_check"), nil)
        }
        let scan = try IntegrityScan(file, catalog, connection, hashing: hashing)
        guard let found = scan.damage else {
            return (try IntegrityCheck(connection, catalog: catalog, tables: scan.others), scan.parents)
        }
        var check = try IntegrityCheck(connection, catalog, wholeBy: "integrity_check")
        // Where SQLite sees nothing, as with a record of an index that is too long, the scan's own words must do.
        if check.damage.isEmpty, check.notChecked.isEmpty { check.damage = ["\(found)"] }
        return (check, nil)
    }

    private static func canScan(_ file: DatabaseFile, _ leastPages: UInt32) -> Bool {
        (leastPages...PageUses.mostPages).contains(file.pageCount)
    }

    /// Checks a database that was whole before some changes, which left its schema as it was: only what has changed, by
    /// ``IntegrityDelta``, where that is possible.
    /// - Parameter connection: shows the later state.
    package init(_ connection: any Connection, catalog: Catalog, since changes: PageChanges) throws {
        if let delta = try IntegrityDelta(changes, catalog, connection) {
            try self.init(connection, catalog: catalog, tables: delta.others)
        } else {
            try self.init(connection, catalog: catalog, file: changes.after.file)
        }
    }

    private init(_ connection: any Connection, _ catalog: Catalog, wholeBy pragma: String) throws {
        try repeatably(on: connection) { check in
            do {
                try check.run("PRAGMA main.\(pragma)(\(Self.messageLimit))", connection)
            } catch let error as EngineError where !error.isInterrupt && !error.isOutage {
                // A table that cannot be read, or with an unknown collation, aborts the whole check: check each table
                // separately.
                if error.isCorruption { check.damage.append(error.message) }
                var tables = IntegrityCheck()
                for table in catalog.tables.values.sorted(by: { $0.name < $1.name }) {
                    try tables.run(pragma, of: table.name, connection)
                }
                check.add(tables)
            }
        }
        brokenConstraints = try brokenConstraints.filter { try !Self.isFalseNull($0, connection, catalog) }
    }

    /// Adds what another check has found and this one has not.
    private mutating func add(_ other: IntegrityCheck) {
        let known = Set(damage + brokenConstraints)
        damage += other.damage.filter { !known.contains($0) }
        brokenConstraints += other.brokenConstraints.filter { !known.contains($0) }
        notChecked += other.notChecked
    }

    /// Makes a check that says the same of the same damage each time.
    ///
    /// Where a cell of a damaged page reaches beyond its end, SQLite goes on in whatever is there in memory, unless it looks
    /// at the cells of each page first (https://www.sqlite.org/pragma.html#pragma_cell_size_check). Only damage is worth that.
    private mutating func repeatably(
        on connection: any Connection, _ check: (inout IntegrityCheck) throws -> Void
    ) throws {
        try check(&self)
        guard !damage.isEmpty else { return }
        self = IntegrityCheck()
        let isOn = try connection.firstRow("PRAGMA cell_size_check", [], { $0.integer(0) }) == 1
        if !isOn { try connection.execute("PRAGMA cell_size_check = ON") }
        defer { if !isOn { try? connection.execute("PRAGMA cell_size_check = OFF") } }
        connection.releaseMemory()
        try check(&self)
    }

    private mutating func run(_ pragma: String, of table: String, _ connection: any Connection) throws {
        do {
            try run("PRAGMA main.\(pragma)(\(quotedName(table)))", connection)
        } catch let error as EngineError where error.isCorruption {
            damage.append("table \(table): \(error.message)")
        } catch let error as EngineError where !error.isInterrupt && !error.isOutage {
            notChecked.append("\(table): \(error.message)")
        }
    }

    /// SQLite 3.40 reads the wrong column of some WITHOUT ROWID tables for "NULL value in table.column": the message is
    /// false where a query finds no such row. SQLite would optimise `IS NULL` to false where the column is NOT NULL.
    private static func isFalseNull(_ message: String, _ connection: any Connection, _ catalog: Catalog)
        throws
        -> Bool
    {
        guard let path = SQLiteMessage.nullValue.rest(of: message) else { return false }
        for table in catalog.tables.values where path.hasPrefix(table.name + ".") {
            let column = String(path.dropFirst(table.name.count + 1))
            guard table.column(column) != nil else { continue }
            let sql =
                "SELECT 1 FROM main.\(quotedName(table.name)) WHERE typeof(\(quotedName(column))) = 'null' LIMIT 1"
            return try connection.firstRow(sql) { _ in true } == nil
        }
        return false
    }

    private mutating func run(_ sql: String, _ connection: any Connection) throws {
        // SQLite looks at the cells of a page only when it reads the page again.
        defer { if !damage.isEmpty { connection.releaseMemory() } }
        do {
            try connection.forEachRow(sql) { row in
                // Several problems of one tree come in one row, on separate lines.
                for line in row.string(0).split(separator: "\n")
                where line != "ok" && !SQLiteMessage.checkedDatabase.matches(line) {
                    if SQLiteMessage.isBrokenConstraint(line) {
                        brokenConstraints.append(String(line))
                    } else {
                        damage.append(String(line))
                    }
                }
            }
        } catch let error as EngineError where error.isCorruption {
            connection.releaseMemory()
            throw error
        }
    }

    /// Returns a message about a table or column (folded) under the table's last name.
    package static func renaming(_ message: String, _ lastName: (String) -> String?) -> String {
        let folded = message.foldedASCII
        guard let start = folded.ranges(of: " in ").last?.upperBound else { return folded }
        let parts = folded[start...].split(separator: ".", maxSplits: 1)
        guard let table = parts.first, let name = lastName(String(table)) else { return folded }
        return folded[..<start] + name + (parts.count > 1 ? "." + parts[1] : "")
    }
}
