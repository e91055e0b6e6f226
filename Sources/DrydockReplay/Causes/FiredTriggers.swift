import DatabaseEngine
import DrydockFindings
import DrydockMigrations
import DrydockState
import SQLiteSchema

/// The triggers that a statement fires, as a database has them just before it.
package struct FiredTriggers {
    private struct Fired {
        let name: String
        let text: String
        /// The tables that its statements write, folded.
        let targets: Set<String>
        let isTemporary: Bool
    }

    private let fired: [Fired]
    private let verb: String
    private let statement: SQLStatement

    /// - Returns: nil where it fires none.
    /// - Throws: ``EngineError``.
    package init?(_ statement: SQLStatement, on connection: any Connection) throws {
        guard let (verb, table, events) = Self.effect(of: statement.action) else { return nil }
        (self.verb, self.statement) = (verb, statement)
        fired = try ["main", "temp"].flatMap { schema in
            try connection.rows(
                "SELECT name, sql FROM \(schema).sqlite_schema WHERE type = 'trigger' AND tbl_name = ? COLLATE NOCASE ORDER BY name",
                [SQLValue(table)]
            ) { (name: $0.string(0), text: $0.string(1)) }
            .compactMap { name, text -> Fired? in
                let row = SchemaRow(type: "trigger", name: name, table: table, sql: text)
                let trigger = SchemaParser().schema(of: [row]).triggers.values.first
                guard trigger.map({ events($0.event) }) ?? true else { return nil }
                let body = SQLSource(name: "", text).statements().first?.triggerBody ?? []
                return Fired(
                    name: name, text: text, targets: Set(body.compactMap { $0.action.target?.folded }),
                    isTemporary: schema == "temp")
            }
        }
        if fired.isEmpty { return nil }
    }

    /// Returns what a statement does to the rows of a table, and which events that is.
    private static func effect(
        of action: StatementAction
    ) -> (verb: String, table: String, events: (Trigger.Event) -> Bool)? {
        switch action {
        case .insert(let table, _, _): ("INSERT", table.name, { $0 == .insert })
        case .delete(let table): ("DELETE", table.name, { $0 == .delete })
        case .update(let table, let columns):
            (
                "UPDATE", table.name,
                { event in
                    guard case .update(let named) = event else { return false }
                    return named.isEmpty
                        || named.contains { name in
                            columns.contains { $0.foldedASCII == name.foldedASCII }
                        }
                }
            )
        default: nil
        }
    }

    package func drop(on connection: any Connection) throws {
        for trigger in fired {
            try connection.execute(
                "DROP TRIGGER \(trigger.isTemporary ? "temp" : "main").\(quotedName(trigger.name))")
        }
    }

    /// Those that write a table, otherwise all of them.
    private func writers(of tables: Set<String>) -> [Fired] {
        let writers = fired.filter { !$0.targets.isDisjoint(with: tables) }
        return writers.isEmpty ? fired : writers
    }

    /// Returns text such as `UPDATE in line 2 fires trigger note_changed`.
    /// - Parameter tables: the tables that matter, folded.
    package func cause(_ place: String, on tables: Set<String>) -> String {
        let names = writers(of: tables).map { quotedIfNeeded($0.name) }
        return "\(verb) in \(place) fires trigger\(names.count == 1 ? "" : "s") \(listed(names))"
    }

    /// Returns what to do so that the statement does not fire them.
    package func help(_ place: String, on tables: Set<String>) -> Help {
        let writers = writers(of: tables)
        let others = writers.reduce(into: Set<String>()) { $0.formUnion($1.targets) }.subtracting(tables)
        let it = writers.count == 1 ? "the trigger" : "them"
        let advice =
            "Drop \(it) before \(place), and create \(writers.count == 1 ? "it" : "them") again after it"
        guard others.isEmpty, !writers.contains(where: \.isTemporary) else {
            let written =
                others.isEmpty
                ? ""
                : "; what \(it) would have written to \(listed(others.sorted())) must then be written as well"
            return Help("\(advice)\(written).")
        }
        let lines =
            writers.map { "DROP TRIGGER \(quotedIfNeeded($0.name));" } + [statement.text + ";"]
            + writers.map { $0.text + ";" }
        return Help("\(advice):\n\(proposed(lines.joined(separator: "\n")))")
    }
}
