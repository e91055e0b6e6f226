import Drydock
import SQLiteSchema

/// A report as it is shown to people: every name, value and path is on one line, with invisible characters spelled out.
/// Help keeps its line breaks; `quotedIfNeeded` wrote the names in it. The paths of live databases stay as they are, since
/// findings are known by them, and so do the reasons for which something was not checked; the renderer shows both with
/// `VisibleText`.
extension Report {
    var visible: Report {
        var report = self
        report.findings = findings.map(\.visible)
        report.notChecked = notChecked.map {
            var entry = $0
            (entry.snapshot, entry.table) = ($0.snapshot?.visible, $0.table?.visible)
            return entry
        }
        report.migrationFormat = migrationFormat?.visible
        for index in readings.indices { report.readings[index].source = readings[index].source?.visible }
        report.foundMigrations = foundMigrations?.visible
        switch body {
        case .verify(var verify):
            verify.replays = verify.replays.map(\.visible)
            report.body = .verify(verify)
        case .lint(var lint):
            lint.fixed = lint.fixed.map { $0.map(\.visible) }
            report.body = .lint(lint)
        case .lock(let lock): report.body = .lock(lock.visible)
        case .migrate(let migrate): report.body = .migrate(migrate.visible)
        case .health(var health):
            for index in health.databases.indices {
                let trouble = health.databases[index].trouble
                health.databases[index].trouble = trouble?.visible
            }
            health.accepted = health.accepted.map { ($0.path.visible, $0.count) }
            report.body = .health(health)
        // Their renderers show names with `VisibleText`.
        case .diff, .vacuum, .vacuums, .rollOut: break
        }
        return report
    }
}

extension Finding {
    var visible: Finding {
        var finding = self
        finding.sentence = sentence.map(\.visible)
        finding.advice = Help(VisibleText.lines(help))
        (finding.snapshot, finding.migration) = (snapshot?.visible, migration?.visible)
        // `SourceQuote` quotes the line, and keeps the caret under its column.
        finding.place?.file = place?.file.visible ?? ""
        finding.evidence = evidence?.visible
        return finding
    }
}

extension ReplaySummary {
    var visible: ReplaySummary {
        var summary = self
        (summary.snapshot, summary.name) = (snapshot.visible, name.visible)
        (summary.from, summary.to) = (from?.visible, to?.visible)
        for index in steps.indices { summary.steps[index].migration = steps[index].migration.visible }
        return summary
    }
}

extension Evidence {
    fileprivate var visible: Evidence {
        var evidence = self
        for row in rows.indices {
            for cell in rows[row].key.indices {
                evidence.rows[row].key[cell].column = rows[row].key[cell].column.visible
            }
            evidence.rows[row].values = rows[row].values?.map {
                Evidence.Cell(column: $0.column.visible, value: $0.value)
            }
        }
        evidence.details = details.map(\.visible)
        return evidence
    }
}

extension LockSummary {
    fileprivate var visible: LockSummary {
        var lock = self
        lock.path = path.visible
        (lock.added, lock.replaced) = (added.map(\.visible), replaced.map(\.visible))
        (lock.unchanged, lock.removed) = (unchanged.map(\.visible), removed.map(\.visible))
        lock.unlocked = unlocked.map(\.visible)
        return lock
    }
}

extension LintFix {
    fileprivate var visible: LintFix {
        var fix = self
        fix.place.file = place.file.visible
        return fix
    }
}

extension MigrateSummary {
    fileprivate var visible: MigrateSummary {
        var migrate = self
        (migrate.database, migrate.backup) = (database.visible, backup?.visible)
        migrate.replays = replays.map(\.visible)
        (migrate.pending, migrate.notes) = (pending.map(\.visible), notes.map(\.visible))
        migrate.needs = needs.map {
            DiskNeed(folder: $0.folder.visible, bytes: $0.bytes, purpose: $0.purpose.visible, free: $0.free)
        }
        return migrate
    }
}

extension String {
    fileprivate var visible: String { VisibleText.line(self) }
}
