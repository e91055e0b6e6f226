import DrydockFindings
import DrydockMigrations
import DrydockState
import SQLiteSchema

/// Renames of tables while `PRAGMA legacy_alter_table` is on: views, triggers and foreign keys keep the old name
/// (https://www.sqlite.org/pragma.html#pragma_legacy_alter_table).
struct LegacyRename {
    private struct Rename {
        let old: String
        let new: String
        let index: Int
        let pragma: Int
    }

    private let renames: [Rename]
    private let migration: Migration

    init?(_ migration: Migration) {
        self.migration = migration
        var (pragma, renames): (Int?, [Rename]) = (nil, [])
        for (index, statement) in migration.statements.enumerated() {
            switch statement.action {
            case .pragma(_, let name, let value?) where name.foldedASCII == "legacy_alter_table":
                pragma = ["on", "1", "true", "yes"].contains(value.foldedASCII) ? index : nil
            case .renameTable(let old, let new):
                if let pragma {
                    renames.append(Rename(old: old.name, new: new, index: index, pragma: pragma))
                }
            default: break
            }
        }
        self.renames = renames
        if renames.isEmpty { return nil }
    }

    /// Adds to a finding that something names a table which is gone, that a rename is the cause.
    func explain(
        _ finding: inout Finding, _ id: Fault.ID, before: Catalog, after catalog: Catalog
    ) {
        let object = [Catalog.Object.Kind.view, .trigger].lazy
            .compactMap { kind in id.names.first.flatMap { catalog.objects[.init(kind, $0)] } }.first
        let statements = object.map { SQLSource(name: "", $0.text).statements() } ?? []
        let rename = renames.last { rename in
            guard before.table(rename.old) != nil, catalog.table(rename.old) == nil else { return false }
            switch id.rule {
            case .viewBroken: return statements.contains { $0.mentions(rename.old) }
            case .foreignKeyViolation: return id.names.contains(rename.old.foldedASCII)
            default: return false
            }
        }
        guard let rename else { return }
        let (place, pragma) = (migration.mention(rename.index), migration.mention(rename.pragma))
        let cause =
            "the rename in \(place) leaves the name \(rename.old) there, since PRAGMA legacy_alter_table in \(pragma) is on"
        finding.sentence += ": \(cause)"
        finding.add(reason: cause)
        var help: Help =
            "Leave PRAGMA legacy_alter_table out, so that the rename changes the name wherever it is used."
        if let object {
            let text = ObjectText(object).renaming(table: rename.old, to: rename.new)
            let drop = "DROP \(object.kind.rawValue.uppercased()) \(quotedIfNeeded(object.name));"
            help += Help(
                " Otherwise recreate the \(object.kind.rawValue) after it:\n\(proposed(drop + "\n" + text + ";"))"
            )
        }
        finding.advice = help
    }
}
