import DatabaseEngine
import SQLiteSchema

/// What `PRAGMA integrity_check` says (https://www.sqlite.org/pragma.html#pragma_integrity_check), told
/// apart: damaged structure, and rows that break a constraint.
struct IntegrityCheck: Sendable {
    /// Messages about pages, trees and indexes.
    var damage: [String] = []
    /// Messages about rows that break NOT NULL, CHECK, UNIQUE or a STRICT type.
    var brokenConstraints: [String] = []
    /// Why the whole database or a table could not be checked.
    var notChecked: [String] = []

    /// `integrity_check` stops at 100 messages unless it is given a number.
    private static let messageLimit = 100_000

    init(_ connection: any Connection, catalog: Catalog) throws {
        do {
            try run("PRAGMA main.integrity_check(\(Self.messageLimit))", connection)
        } catch let error as EngineError where !error.isInterrupt {
            // One table that cannot be read, or one with an unknown collation, aborts the whole check: ask
            // each alone.
            if error.isCorruption { damage.append(error.message) }
            for table in catalog.tables.values.sorted(by: { $0.name < $1.name }) {
                do {
                    try run("PRAGMA main.integrity_check(\(quotedName(table.name)))", connection)
                } catch let error as EngineError where error.isCorruption {
                    damage.append("table \(table.name): \(error.message)")
                } catch let error as EngineError where !error.isInterrupt {
                    notChecked.append("\(table.name): \(error.message)")
                }
            }
        }
    }

    private mutating func run(_ sql: String, _ connection: any Connection) throws {
        for message in try connection.rows(sql, [], { $0.string(0) }) where message != "ok" {
            // Several findings of one tree come in one row, a line each.
            for line in message.split(separator: "\n") where !line.hasPrefix("*** in database") {
                if Self.isBrokenConstraint(line) {
                    brokenConstraints.append(String(line))
                } else {
                    damage.append(String(line))
                }
            }
        }
    }

    private static func isBrokenConstraint(_ line: Substring) -> Bool {
        ["NULL value in ", "CHECK constraint failed in ", "non-unique entry in index "].contains {
            line.hasPrefix($0)
        }
            || line.contains(" value in ")
    }

    /// The same message from state to state: rowids and counts may shift.
    static func normalized(_ message: String) -> String {
        String(message.map { $0.isNumber ? "#" : $0 })
    }
}
