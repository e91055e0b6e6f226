import DrydockFindings
import DatabaseEngine
import SQLiteSchema

/// `view-broken`: a view or trigger that compiled before no longer does, because a table or column that it names is
/// gone. SQLite reports that only when it is used.
///
/// A view is compiled by preparing a SELECT from it, a trigger by preparing a statement that fires it. Neither is run.
/// A table that shows the words of a full-text index is a view of that index in all but name.
package struct ViewRule: StateRule {
    package let rule = Rule.viewBroken

    package init() {}

    package func faults(in view: StateView) throws -> [Fault] {
        if view.facts?.knows(.compiles) == true { return [] }
        let objects = view.catalog.objects.values.sorted { $0.name < $1.name }
        var faults: [Fault] = []
        let expansion = Self.expansion(view)
        for object in objects where object.kind == .view && !expansion.isTooLarge(object.name) {
            if let message = try failure(
                of: "SELECT * FROM main.\(quotedName(object.name))", on: view.connection)
            {
                faults.append(fault(object, message, view))
            }
        }
        let triggers = objects.filter { $0.kind == .trigger && !expansion.isTooLarge(naming: $0.text) }
        // A statement fires all triggers of its table, so leaving one out leaves out the others.
        let left = Set(
            objects.filter { $0.kind == .trigger && expansion.isTooLarge(naming: $0.text) }.map(\.tableName))
        for (table, onTable) in Dictionary(grouping: triggers, by: \.tableName).sorted(by: { $0.key < $1.key }
        )
        where !left.contains(table) && !expansion.isTooLarge(table) {
            faults += try brokenTriggers(onTable, of: table, in: view)
        }
        // What a list of words shows depends on the index that is there.
        let hasWordLists = !wordLists(in: view).isEmpty
        if faults.isEmpty, !expansion.hasTooLarge, !hasWordLists { view.facts?.note(.compiles) }
        return try faults + brokenWordLists(in: view)
    }

    package func notChecked(in view: StateView) -> [NotChecked.Reason] {
        if view.facts?.knows(.compiles) == true { return [] }
        let expansion = Self.expansion(view)
        return view.catalog.objects.values.sorted { $0.name < $1.name }.compactMap { object in
            switch object.kind {
            case .view where expansion.isTooLarge(object.name):
                .unsupported(ViewExpansion.reason("view", object.name))
            case .trigger where expansion.isTooLarge(naming: object.text):
                .unsupported(ViewExpansion.reason("trigger", object.name))
            default: nil
            }
        }
    }

    private static func expansion(_ view: StateView) -> ViewExpansion {
        ViewExpansion(
            view.catalog.objects.values.filter { $0.kind == .view }.map { (name: $0.name, sql: $0.text) })
    }

    private func fault(_ object: Catalog.Object, _ message: String, _ view: StateView) -> Fault {
        let kind = object.kind.rawValue
        return Fault(
            id: .init(rule: rule, kind: kind, names: [object.name.foldedASCII]),
            sentence: "\(kind) \(object.name) does not compile: \(message)",
            help: BrokenObjectAdvice(
                object: object, message: message, catalog: view.catalog, earlier: view.earlier?.catalog,
                compiles: { text in
                    do { return try failure(of: object, as: text, in: view) == nil } catch { return false }
                }
            ).help,
            table: object.kind == .trigger ? object.tableName : nil)
    }

    /// The tables that show the words of a full-text index.
    private func wordLists(in view: StateView) -> [Catalog.Table] {
        view.catalog.tables.values.filter { ["fts5vocab", "fts4aux"].contains($0.module ?? "") }
            .sorted { $0.name < $1.name }
    }

    /// Returns the tables whose index is gone. The module looks for it only when the table is queried
    /// (https://www.sqlite.org/fts5.html#the_fts5vocab_virtual_table_module).
    private func brokenWordLists(in view: StateView) throws -> [Fault] {
        try wordLists(in: view).compactMap { table in
            do {
                _ = try view.connection.firstRow("SELECT * FROM main.\(quotedName(table.name)) LIMIT 1") {
                    _ in
                }
                return nil
            } catch let error as EngineError where error.isStatementError {
                return Fault(
                    id: .init(rule: rule, kind: "words", names: [table.name.foldedASCII]),
                    sentence: "table \(table.name) cannot be read: \(error.message)",
                    help: """
                        It shows the words of a full-text index, and has no data of its own. Give that index back its former \
                        name, or drop the table as well:
                          DROP TABLE \(quotedIfNeeded(table.name));
                        """, table: table.name)
            }
        }
    }

    /// Compiles all triggers of a table at once; only when that fails, each one separately, with the others dropped on
    /// this fork meanwhile.
    private func brokenTriggers(
        _ triggers: [Catalog.Object], of table: String, in view: StateView
    ) throws -> [Fault] {
        let connection = view.connection
        let statements: [String]
        do {
            statements = try Self.firingStatements(table, on: view.connection)
        } catch let error as EngineError where error.isStatementError {
            // They are on a view that does not compile, which is a fault of its own.
            return []
        }
        guard try statements.contains(where: { try failure(of: $0, on: connection) != nil }) else {
            return []
        }
        var faults: [Fault] = []
        for trigger in triggers {
            try connection.execute("SAVEPOINT drydock_trigger")
            defer { try? connection.execute("ROLLBACK TO drydock_trigger; RELEASE drydock_trigger") }
            for other in triggers where other.name != trigger.name {
                try connection.execute("DROP TRIGGER main.\(quotedName(other.name))")
            }
            for statement in statements {
                guard let message = try failure(of: statement, on: connection) else { continue }
                faults.append(fault(trigger, message, view))
                break
            }
        }
        return faults
    }

    /// Returns statements that together fire every trigger of a table.
    static func firingStatements(_ table: String, on connection: any Connection) throws -> [String] {
        let name = "main." + quotedName(table)
        let columns = try connection.rows("PRAGMA main.table_xinfo(\(quotedName(table)))") { row in
            row.integer(6) == 0 ? quotedName(row.string(1)) : ""
        }.filter { !$0.isEmpty }
        let assignments = columns.map { "\($0) = \($0)" }.joined(separator: ", ")
        let nulls = columns.map { _ in "NULL" }.joined(separator: ", ")
        var statements = ["DELETE FROM \(name)"]
        if !columns.isEmpty {
            statements.append("UPDATE \(name) SET \(assignments)")
            statements.append("INSERT INTO \(name)(\(columns.joined(separator: ", "))) VALUES(\(nulls))")
        }
        return statements
    }

    /// Returns why a view or trigger does not compile, were its statement another one.
    /// - Parameter text: the statement that creates it; nil for the one that it has.
    package func failure(
        of object: Catalog.Object, as text: String?, in view: StateView
    ) throws -> String? {
        let connection = view.connection
        let kind = object.kind.rawValue.uppercased()
        try connection.execute("SAVEPOINT drydock_view")
        defer { try? connection.execute("ROLLBACK TO drydock_view; RELEASE drydock_view") }
        let others = view.catalog.objects.values.filter { other in
            other.kind == .trigger && object.kind == .trigger && other.tableName == object.tableName
                && other.name != object.name
        }
        for other in others {
            try connection.execute("DROP TRIGGER IF EXISTS main.\(quotedName(other.name))")
        }
        if let text {
            // The triggers of a view go with it, which does not matter here.
            try connection.execute("DROP \(kind) main.\(quotedName(object.name)); \(text)")
        }
        guard object.kind == .trigger else {
            return try failure(of: "SELECT * FROM main.\(quotedName(object.name))", on: connection)
        }
        for statement in try Self.firingStatements(object.tableName, on: view.connection) {
            if let message = try failure(of: statement, on: connection) { return message }
        }
        return nil
    }

    private func failure(of sql: String, on connection: any Connection) throws -> String? {
        do {
            _ = try connection.prepare(sql)
            return nil
        } catch let error as EngineError {
            if error.isOutage || error.isInterrupt { throw error }
            // A view without INSTEAD OF triggers for the statement does not make the others faulty.
            return SQLiteMessage.cannotModify.matches(error.message) ? nil : error.message
        } catch {
            return nil
        }
    }
}
