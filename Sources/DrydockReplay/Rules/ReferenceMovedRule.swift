import DrydockFindings
import DrydockMigrations
import DrydockState
import SQLiteSchema

/// `reference-moved`: a view, trigger or foreign key refers to a table that gave up its name, while a new table has the
/// name, and the rows or at least all of the columns. ALTER TABLE RENAME rewrites all references to the table
/// (https://www.sqlite.org/lang_altertable.html#alter_table_rename), so a rebuild that first renames the old table
/// takes them away from the new one. Where the old table is dropped, they are broken, which is reported as such.
struct ReferenceMovedRule: StepRule {
    func check(_ step: StepView, _ declarations: inout DeclarationUse) -> [StepFinding] {
        Succession.all(in: step).flatMap { succession in
            objects(following: succession, in: step) + tables(following: succession, in: step)
        }
    }

    // MARK: - Views and triggers

    private func objects(following succession: Succession, in step: StepView) -> [StepFinding] {
        let (old, new) = (succession.old, succession.new)
        let objects = step.after.catalog.objects.sorted {
            ($0.value.kind.rawValue, $0.key.name) < ($1.value.kind.rawValue, $1.key.name)
        }
        return objects.compactMap { id, object in
            guard object.kind == .view || object.kind == .trigger, step.before.catalog.objects[id] != nil,
                // A trigger of the old table itself is for the rule about lost objects.
                object.tableName.foldedASCII != old.foldedASCII, object.names(old),
                isRewritten(id, succession, in: step)
            else { return nil }
            let kind = object.kind.rawValue
            let text = ObjectText(object).renaming(table: old, to: new)
            return StepFinding(
                finding(
                    .warning, "\(kind) \(object.name) now names \(old) instead of \(new)",
                    help: """
                        The rename rewrote it. Recreate it for the new table, once that has the name:
                          DROP \(kind.uppercased()) \(quotedIfNeeded(object.name));
                        \(proposed(text + ";"))
                        """, succession, in: step),
                stands: { end, lastName in
                    // A broken one is reported as well; this is the cause.
                    let present = succession.presentName(in: end, lastName)
                    return end.catalog.objects[id]?.names(present ?? old) ?? false
                }, isForgottenOnceFixed: true)
        }
    }

    // MARK: - Foreign keys

    private func tables(following succession: Succession, in step: StepView) -> [StepFinding] {
        let (old, new) = (succession.old, succession.new)
        let tables = step.after.catalog.tables.values.sorted { $0.name < $1.name }
        return tables.flatMap { table -> [StepFinding] in
            guard table.name.foldedASCII != old.foldedASCII, table.sql.containsWord("references"),
                table.references(old), isRewritten(.init(.table, table.name), succession, in: step)
            else { return [] }
            let help: Help = """
                The rename rewrote it. Create the new table under a name of its own, copy the rows, drop the old table \
                and rename the new one last: foreign keys keep the name then \
                (https://www.sqlite.org/lang_altertable.html#otheralter). Otherwise rebuild \
                \(quotedIfNeeded(table.name)) with REFERENCES \(quotedIfNeeded(new)).
                """
            @Sendable func references(
                _ parent: String, in end: DatabaseState, _ lastName: (String) -> String?
            ) -> Bool {
                lastName(table.name).flatMap(end.catalog.table)?.references(parent) ?? false
            }
            let kept = finding(
                .warning, "a foreign key of \(table.name) now references \(old) instead of \(new)",
                help: help,
                succession, in: step, table: table.name)
            let broken = finding(
                .error, "a foreign key of \(table.name) references \(old), which is gone, instead of \(new)",
                help: help, succession, in: step, table: table.name)
            return [
                StepFinding(
                    kept,
                    stands: { end, lastName in
                        succession.presentName(in: end, lastName).map {
                            references($0, in: end, lastName)
                        } ?? false
                    }, isForgottenOnceFixed: true),
                StepFinding(
                    broken,
                    stands: { end, lastName in
                        end.catalog.table(old) == nil && references(old, in: end, lastName)
                    }, isForgottenOnceFixed: true),
            ]
        }
    }

    // MARK: - Both

    /// Whether the statement that created an object did not name the table itself.
    private func isRewritten(_ id: Catalog.ObjectID, _ succession: Succession, in step: StepView) -> Bool {
        step.creation(id).map { !$0.mentions(succession.old) } ?? true
    }

    private func finding(
        _ severity: Finding.Severity, _ message: String, help: Help, _ succession: Succession,
        in step: StepView,
        table: String? = nil
    ) -> Finding {
        let place = step.lastStatement { $0.reaches(succession.old) || $0.reaches(succession.new) }
        return Finding(
            .referenceMoved, severity,
            "\(message), which has its name and its \(succession.hasRows ? "rows" : "columns")", help: help,
            place: place.map { .init($0) }, table: table)
    }
}

/// A table that gave up its name, and the table that has had its name since this step. A table with other columns is
/// no successor: what referred to the old one needs the old one.
private struct Succession {
    /// The present name of the table that gave up its name.
    let old: String
    let new: String
    /// Whether the new table got rows of the old one.
    let hasRows: Bool

    /// Returns the last name of the table that gave up its name; nil where it is gone, perhaps with its rows in the
    /// other one.
    func presentName(in end: DatabaseState, _ lastName: (String) -> String?) -> String? {
        guard let last = lastName(old), last != lastName(new) else { return nil }
        return end.catalog.table(last)?.name
    }

    static func all(in step: StepView) -> [Succession] {
        let matches = step.conservation.kept.map(\.match)
        let kept = matches.filter {
            $0.before.name.foldedASCII == $0.after.name.foldedASCII
        }.map { ($0.before.name, $0.after.name) }
        let successors = step.conservation.successors.filter {
            // Without rows, but with all columns, it was reported when it got the name.
            $0.cause == .renamed
                && !($0.hasReplaced && $0.before.isWithin(step.before.catalog.table($0.after.name)))
        }.map { ($0.before.name, $0.after.name) }
        let filled = (kept + successors).compactMap { name, new -> Succession? in
            guard let present = step.lineage.currentName(of: name), present != new.foldedASCII,
                let old = step.after.catalog.table(present)
            else { return nil }
            return Succession(old: old.name, new: new, hasRows: true)
        }
        let alike = matches.filter { $0.isMovedAside(in: step) }.compactMap { match -> Succession? in
            guard let new = step.after.catalog.table(match.before.name), match.before.isWithin(new) else {
                return nil
            }
            return Succession(old: match.after.name, new: new.name, hasRows: false)
        }
        return filled + alike
    }
}

extension Catalog.Object {
    /// Whether the statement contains a name.
    fileprivate func names(_ name: String) -> Bool {
        SQLSource(name: "", text).statements().contains { $0.mentions(name) }
    }
}

extension Catalog.Table {
    /// Whether another table has all columns of this one.
    fileprivate func isWithin(_ other: Catalog.Table?) -> Bool {
        other.map { other in columns.allSatisfy { other.column($0.name) != nil } } ?? false
    }

    fileprivate func references(_ parent: String) -> Bool {
        foreignKeys.contains { $0.parent.foldedASCII == parent.foldedASCII }
    }
}
