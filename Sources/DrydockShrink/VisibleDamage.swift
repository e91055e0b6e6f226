import DrydockFindings
import DrydockMigrations
import DrydockReplay
import DrydockState
import DrydockVerify
import SQLiteSchema

/// What shows a finding in SQLite's own shell, beside the rows of the tables: queries that answer differently after the
/// migration, and what is run after it.
struct VisibleDamage {
    /// The statements of the migrations.
    let migration: [String]
    /// Statements that are run before and after.
    let checks: [String]
    private(set) var sequels: [Counterexample.Sequel] = []

    /// - Parameter before: the schema of the small database.
    init(_ finding: Finding, _ fixture: StepFixture, _ before: Catalog) {
        checks = Self.checks(finding, fixture, before)
        if let crash = finding.counterexample {
            migration = StepScript.statements(of: fixture.migrations(before: finding)) + crash.migration
            sequels = crash.sequels
            return
        }
        migration = StepScript(fixture).statements
        if finding.rule == .schemaMismatch, let whole = fixture.replay,
            let fresh = whole.fresh.catalogs[whole.context.targetCount]
        {
            sequels.append(
                .init(
                    title: "What a fresh install has",
                    statements: Self.objects(of: finding.table, in: fresh).map { object in
                        let texts = [object.kind.rawValue, object.name, object.text].map(quotedText)
                        return "SELECT 'fresh install:', \(texts.joined(separator: ", "))"
                    }))
        }
        guard fixture.replay?.check.isRollback == true else { return }
        for migration in fixture.migrations where migration.identifier == finding.migration {
            guard let down = migration.down else { continue }
            var undone = migration
            (undone.statements, undone.transaction) = (down.statements, down.transaction)
            sequels += [
                // Its tool stops at the first error, unlike the shell.
                .init(
                    title: "Undone",
                    statements: [".bail on"] + StepScript.statements(of: [undone]) + [".bail off"]),
                .init(title: "Run again", statements: StepScript.statements(of: [migration])),
            ]
        }
    }

    private static func checks(_ finding: Finding, _ fixture: StepFixture, _ before: Catalog) -> [String] {
        switch finding.rule {
        // A shell that has the schema in memory does not see an edited one.
        case .integrityFailure: return ["PRAGMA writable_schema = RESET", "PRAGMA integrity_check"]
        case .foreignKeyViolation: return ["PRAGMA foreign_key_check"]
        case .autoincrementReset: return ["SELECT * FROM sqlite_sequence"]
        case .headerMarkChanged: return ["PRAGMA user_version", "PRAGMA application_id"]
        case .invariantBroken:
            return fixture.migrations.flatMap(\.declarations).compactMap {
                if case .preserves(let query) = $0.kind { query } else { nil }
            }
        case .viewBroken:
            return before.objects.values.filter { $0.kind == .view }.map(\.name).sorted().map {
                "SELECT * FROM \(quotedName($0))"
            }
        case _ where finding.rule.isOfHistory && fixture.context.set.format.usesUserVersion:
            return ["PRAGMA user_version"]
        case .searchIndexStale:
            let table = finding.table.flatMap(before.table)
            return table.map { [searchCheck($0)] } ?? []
        case .schemaMismatch, .rollbackMismatch, .objectLost, .referenceMoved, .crashDiverges:
            let condition = finding.table.map { "tbl_name = \(quotedText($0)) COLLATE NOCASE" } ?? "1"
            return ["SELECT type, name, sql FROM sqlite_schema WHERE \(condition)"]
        default: return []
        }
    }

    /// Returns the module's own check, which fails where the index is stale.
    private static func searchCheck(_ table: Catalog.Table) -> String {
        let name = quotedName(table.name)
        return switch table.module {
        case "fts5": "INSERT INTO \(name)(\(name), rank) VALUES('integrity-check', 1)"
        case "fts3", "fts4": "INSERT INTO \(name)(\(name)) VALUES('integrity-check')"
        default: "SELECT rtreecheck(\(quotedText(table.name)))"
        }
    }

    private static func objects(of table: String?, in catalog: Catalog) -> [Catalog.Object] {
        let own = table.map(\.foldedASCII)
        let all = catalog.tables.values.map(Catalog.Object.init) + catalog.objects.values
        return all.filter { object in own.map { object.tableName.foldedASCII == $0 } ?? true }
            .sorted { ($0.tableName, $0.kind.rawValue, $0.name) < ($1.tableName, $1.kind.rawValue, $1.name) }
    }
}

extension StepFixture {
    /// Returns the migrations before those that share a transaction with a finding's.
    fileprivate func migrations(before finding: Finding) -> [Migration] {
        guard var place = migrations.firstIndex(where: { $0.identifier == finding.migration }) else {
            return []
        }
        while place > 0, migrations[place].transaction == .all, migrations[place - 1].transaction == .all {
            place -= 1
        }
        return Array(migrations[..<place])
    }
}

extension Rule {
    /// Whether it is about what is recorded as applied.
    var isOfHistory: Bool {
        [.notIdempotent, .unknownMigration, .migrationOutOfOrder, .migrationEdited, .snapshotVersionUnknown]
            .contains(self)
    }
}
