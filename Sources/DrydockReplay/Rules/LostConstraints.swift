import DrydockFindings
import DrydockMigrations
import SQLiteSchema

/// Constraints that a table has lost, as one finding: one, or those that several of its columns have lost alike.
package struct LostConstraints {
    package let losses: [LostConstraint]
    /// The table's name now.
    package let table: String
    private let definition: Table?

    /// Returns the findings for what a table has lost.
    /// - Parameter definition: the table as it is now.
    package static func groups(
        _ losses: [LostConstraint], of table: String, _ definition: Table?
    ) -> [LostConstraints] {
        var groups: [[LostConstraint]] = []
        for loss in losses {
            let place = groups.firstIndex { group in
                guard let first = group.first, [.notNull, .collate].contains(loss.constraint.kind) else {
                    return false
                }
                return first.constraint.sql == loss.constraint.sql && first.now == loss.now
            }
            if let place { groups[place].append(loss) } else { groups.append([loss]) }
        }
        return groups.map { LostConstraints(losses: $0, table: table, definition: definition) }
    }

    private var wanted: [TableConstraint] { losses.map(\.wanted) }

    /// An enumeration that only got longer is taken as intended.
    package var severity: Finding.Severity { losses.allSatisfy(\.isLongerList) ? .note : .warning }

    package var column: String? { wanted.count == 1 ? wanted[0].column : nil }

    package var message: String {
        guard let first = losses.first else { return "" }
        let columns = wanted.compactMap(\.column).map { "\(table).\($0)" }
        let subject = columns.isEmpty ? table : listed(columns)
        return "\(first.wanted.sql) of \(subject) is " + (first.now.map { "now \($0)" } ?? "gone")
    }

    package var help: Help {
        let lines = wanted.map { constraint -> String in
            guard let name = constraint.column else {
                return constraint.kind == .strict
                    ? "CREATE TABLE \(quotedIfNeeded(table)) (...) STRICT" : constraint.sql
            }
            let type = definition?.column(name)?.declaredType ?? ""
            return [quotedIfNeeded(name), type, constraint.sql].filter { !$0.isEmpty }.joined(separator: " ")
        }
        return Help(
            "It belongs in the definition of \(table):\n" + proposed(lines.joined(separator: "\n")) + "\n")
            + remedy(
                "it may go",
                "drops constraint \(DeclaredConstraint(wanted).words) of \(quotedIfNeeded(table))")
    }
}
