import DrydockFindings
import DrydockMigrations
import DrydockConservation
import DrydockState
import SQLiteSchema

/// `object-lost`: an index, trigger or view disappeared although no statement dropped it by name and its table still
/// exists, or its rows are found in another table. SQLite drops the indexes and triggers of a table with it, so a
/// rebuild must create them again (https://www.sqlite.org/lang_altertable.html#otheralter, steps 3 and 8). An index is
/// not lost where another index or a key of the table replaces it.
struct ObjectLostRule: StepRule {
    func check(_ step: StepView, _ declarations: inout DeclarationUse) -> [StepFinding] {
        let before = step.before.catalog.objects.sorted {
            ($0.value.kind.rawValue, $0.key.name) < ($1.value.kind.rawValue, $1.key.name)
        }
        let homes = Dictionary(
            step.conservation.kept.map {
                ($0.match.before.name.foldedASCII, $0.match.after.name.foldedASCII)
            },
            uniquingKeysWith: { first, _ in first })
        return before.compactMap { id, object in
            guard step.lineage.dropStatement(of: id) == nil, !moved(id, in: step) else { return nil }
            // What is where it was may still be missing where its table's rows went.
            let loss = isUnchanged(object, id, in: step, homes) ? nil : loss(of: object, id, in: step)
            guard let finding = loss ?? disinheritance(of: object, id, in: step)
            else { return nil }
            let kind = object.kind.rawValue
            let isDeclared = declarations.covers {
                guard case .dropsObject(let declared, let name) = $0 else { return false }
                return declared.rawValue == kind && name.foldedASCII == id.name
            }
            return isDeclared ? nil : finding
        }
    }

    /// Whether the object and its table are the very ones of before the step.
    /// - Parameter homes: the tables that have the rows of those from before the step, by folded name.
    private func isUnchanged(
        _ object: Catalog.Object, _ id: Catalog.ObjectID, in step: StepView, _ homes: [String: String]
    ) -> Bool {
        guard let now = step.after.catalog.objects[id], now.text == object.text,
            now.tableName == object.tableName
        else { return false }
        let table = object.tableName.foldedASCII
        return object.kind == .view || homes[table] == table && step.lineage[table]?.origin == table
    }

    // MARK: - The same table

    /// Returns the finding for an object of a table that still exists.
    private func loss(
        of object: Catalog.Object, _ id: Catalog.ObjectID, in step: StepView
    ) -> StepFinding? {
        guard let home = home(of: object, in: step) else { return nil }
        let sought = SoughtObject(object, in: step)
        let presence = sought.presence(on: home, in: step.after.catalog)
        guard presence != .same, !sought.wentWithColumn(of: step) else { return nil }
        let stands: StepFinding.Stands = { end, lastName in
            guard let home = object.kind == .view ? home : lastName(home) else { return false }
            return end.catalog.has(home) && !sought.presence(on: home, in: end.catalog).isReplaced
                || object.kind == .view && end.catalog.objects[id] == nil
        }
        if case .renamed(let name) = presence { return renamed(sought, home, to: name, in: step) }
        if case .different(let differences) = presence {
            // An object that followed its table is the same, whatever its text says by now.
            return creation(of: object, in: step).map {
                StepFinding(
                    remade(object, home, differences, ObjectText(object.text), by: $0), stands: stands)
            }
        }
        let elsewhere = object.kind == .view ? nil : step.after.catalog.objects[id]
        let name =
            "\(object.kind.rawValue) \(object.name)" + (object.kind == .view ? "" : " of \(home)")
        return StepFinding(
            Finding(
                .objectLost,
                elsewhere.map {
                    "\(object.kind.rawValue) \(object.name) stayed on \($0.tableName): \(home) does not have one like it"
                } ?? "\(name) is gone",
                help: step.migration.isOfCommand && elsewhere == nil
                    ? help(object)
                    : help(object, object.text, elsewhere == nil ? .wentWithTable : .followedTable),
                place: place(of: object, elsewhere, home, in: step).map { .init($0) }, table: home),
            stands: stands,
            substitute: { end, lastName in
                (object.kind == .view ? nil : lastName(home)).flatMap {
                    sought.substitute(on: $0, in: end.catalog)
                }
            })
    }

    private func creation(of object: Catalog.Object, in step: StepView) -> SQLStatement? {
        step.lastStatement { action in
            switch (action, object.kind) {
            case (.createIndex(let name, _), .index), (.createTrigger(let name, _, _), .trigger):
                name.folded == object.name.foldedASCII
            default: false
            }
        }
    }

    /// Returns the finding for an object that SQLite dropped with its table, and that the step created as another one.
    private func remade(
        _ object: Catalog.Object, _ home: String, _ differences: [String], _ text: ObjectText,
        by creation: SQLStatement
    ) -> Finding {
        let kind = object.kind.rawValue
        return Finding(
            .objectLost, .warning,
            "\(kind) \(object.name) of \(home) has changed: \(differences.joined(separator: "; "))",
            help: Help(
                """
                It was dropped with its table, and recreated as a different \(kind). It was:
                \(proposed(text.text + ";"))
                If the change is intended, drop it by name before the table is dropped:
                  DROP \(kind.uppercased()) \(quotedIfNeeded(object.name));
                or declare it:

                """) + .declaration("drops \(kind) \(quotedIfNeeded(object.name))"),
            place: .init(creation), table: home)
    }

    /// Returns the finding for a trigger that SQLite dropped with its table, and that the step created under another name.
    private func renamed(
        _ sought: SoughtObject, _ home: String, to name: String, in step: StepView
    ) -> StepFinding {
        let object = sought.object
        let creation = step.lastStatement { action in
            guard case .createTrigger(let made, _, _) = action else { return false }
            return made.folded == name.foldedASCII
        }
        let drop = "DROP TRIGGER \(quotedIfNeeded(object.name));"
        return StepFinding(
            Finding(
                .objectLost, .warning,
                "trigger \(object.name) of \(home) has another name now, \(name): a later DROP TRIGGER "
                    + "\(quotedIfNeeded(object.name)) would not find it, and CREATE TRIGGER IF NOT EXISTS would add a second one",
                help: Help(
                    """
                    It was dropped with its table, and recreated as \(name). Recreate it under its old name. If the new name is \
                    intended, drop it by its old one before the table is dropped:
                    \(proposed(drop))
                    or declare it:

                    """) + .declaration("drops trigger \(quotedIfNeeded(object.name))"),
                place: creation.map { .init($0) }, table: home),
            stands: { end, lastName in
                lastName(home).map { sought.presence(on: $0, in: end.catalog) == .renamed(name) } ?? false
            })
    }

    private func place(
        of object: Catalog.Object, _ elsewhere: Catalog.Object?, _ home: String, in step: StepView
    ) -> SQLStatement? {
        guard let elsewhere else { return step.statement(at: cause(of: object, in: step)) }
        return step.lastStatement { action in
            guard case .renameTable(_, let name) = action else { return false }
            return name.foldedASCII == elsewhere.tableName.foldedASCII
        } ?? step.lastStatement { $0.reaches(home) }
    }

    private func cause(of object: Catalog.Object, in step: StepView) -> Int? {
        step.lineage.dropStatement(ofTable: object.tableName)
            ?? step.lineage.dropStatement(of: .init(.view, object.tableName))
            ?? step.migration.statements.lastIndex { $0.drops(object.tableName) }
    }

    /// Returns the name of the object's table after the step; nil when the table is gone.
    private func home(of object: Catalog.Object, in step: StepView) -> String? {
        if object.kind == .view { return object.name }
        if let kept = step.conservation.kept.first(where: {
            $0.match.before.name.foldedASCII == object.tableName.foldedASCII
        }) {
            return kept.match.after.name
        }
        // A different table may have the name of a table with its rows elsewhere.
        if step.conservation.droppedTables.contains(where: {
            $0.home != nil && $0.table.name.foldedASCII == object.tableName.foldedASCII
        }) {
            return nil
        }
        // A trigger on a view, or an object of a table that is not compared.
        return step.after.catalog.has(object.tableName) ? object.tableName : nil
    }

    /// Whether the object was dropped by name, and an object of another table now has its name.
    private func moved(_ id: Catalog.ObjectID, in step: StepView) -> Bool {
        step.after.catalog.objects[id] != nil
            && step.migration.statements.contains { statement in
                switch statement.action {
                case .dropIndex(let name): id.kind == .index && name.folded == id.name
                case .dropTrigger(let name): id.kind == .trigger && name.folded == id.name
                default: false
                }
            }
    }

    // MARK: - Another table

    /// Returns the finding for an object that no table with the rows of its own table has inherited.
    private func disinheritance(
        of object: Catalog.Object, _ id: Catalog.ObjectID, in step: StepView
    ) -> StepFinding? {
        guard object.kind != .view else { return nil }
        let successors = step.conservation.successors(of: object.tableName)
        let places = successors.compactMap { successor in
            SoughtObject(object, step, successor).map { (successor: successor, sought: $0) }
        }
        let presences = places.map { $0.sought.presence(on: $0.successor.after.name, in: step.after.catalog) }
        guard let successor = successors.first, places.count == successors.count,
            !presences.contains(where: \.isReplaced)
        else {
            return nil
        }
        let stands: StepFinding.Stands = { end, lastName in
            let left = places.compactMap { place in
                place.successor.lastName(in: end, lastName).map { (home: $0, sought: place.sought) }
            }
            return !left.isEmpty
                && !left.contains { $0.sought.presence(on: $0.home, in: end.catalog).isReplaced }
        }
        let text = ObjectText(object).moved(to: successor)
        for (place, presence) in zip(places, presences) {
            guard case .different(let differences) = presence else { continue }
            return creation(of: object, in: step).map {
                StepFinding(
                    remade(object, place.successor.after.name, differences, ObjectText(text), by: $0),
                    stands: stands, isForgottenOnceFixed: true)
            }
        }
        let isDrop = successor.cause != .renamed
        let statement =
            isDrop
            ? step.statement(at: cause(of: object, in: step))
            : step.lastStatement { $0.reaches(successor.after.name) }
        let went = isDrop ? "went with \(object.tableName)" : "stayed on \(object.tableName)"
        return StepFinding(
            Finding(
                .objectLost, successors.contains { !$0.isMerged } ? .error : .warning,
                "\(object.kind.rawValue) \(object.name) \(went): \(successor.after.name), which has its rows now, "
                    + "does not have one like it",
                help: help(object, text, isDrop ? .wentWithTable : .followedTable),
                place: statement.map { .init($0) }, table: successor.after.name),
            stands: stands, isForgottenOnceFixed: true,
            substitute: { end, lastName in
                places.compactMap { place in
                    place.successor.lastName(in: end, lastName).flatMap {
                        place.sought.substitute(on: $0, in: end.catalog)
                    }
                }.first
            })
    }

    /// Returns what to do where no statement of the step is known, which may well drop the object by name.
    private func help(_ object: Catalog.Object) -> Help {
        Help(
            """
            SQLite drops it with its table, so a rebuild must create it again:
            \(proposed(object.text + ";"))
            If it is no longer needed, declare it:

            """) + .declaration("drops \(object.kind.rawValue) \(quotedIfNeeded(object.name))")
    }

    private enum Cause { case wentWithTable, followedTable }

    private func help(_ object: Catalog.Object, _ text: String, _ cause: Cause) -> Help {
        let kind = object.kind.rawValue
        let name = quotedIfNeeded(object.name)
        let drop = "DROP \(kind.uppercased()) \(name);"
        let remedy =
            switch cause {
            case .wentWithTable:
                """
                No statement drops it by name; SQLite drops it with its table. Create it again:
                \(proposed(text + ";"))
                If it is no longer needed, drop it by name before:
                """
            case .followedTable:
                """
                An index or trigger follows its table to the new name. Drop it by name, and create it again:
                \(proposed(drop + "\n" + text + ";"))
                If it is no longer needed, drop it by name:
                """
            }
        return Help(
            """
            \(remedy)
            \(proposed(drop))
            or declare it:

            """) + .declaration("drops \(kind) \(name)")
    }
}

extension Conservation {
    /// Returns the tables that have the place of a table from before the step.
    func successors(of table: String) -> [Successor] {
        successors.filter { $0.before.name.foldedASCII == table.foldedASCII }
    }
}

extension Catalog {
    /// Whether a table or view with a name exists.
    fileprivate func has(_ name: String) -> Bool {
        table(name) != nil || objects[.init(.view, name)] != nil
    }
}

extension SQLStatement {
    /// Whether the action drops a table or view with a name.
    fileprivate func drops(_ name: String) -> Bool {
        switch action {
        case .dropTable(let dropped), .dropView(let dropped): dropped.folded == name.foldedASCII
        default: false
        }
    }
}

extension StatementAction {
    /// Whether the action gives rows or its name to a table.
    func reaches(_ table: String) -> Bool {
        switch self {
        case .insert(let name, _, _), .createTable(let name, _, asSelect: true):
            name.folded == table.foldedASCII
        case .renameTable(_, let name): name.foldedASCII == table.foldedASCII
        default: false
        }
    }
}
