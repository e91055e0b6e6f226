import DrydockFindings
import DrydockMigrations
import DrydockState

/// `schema-mismatch`: compares the schema after the last pending migration with that of a fresh install.
struct EndSchema {
    let inputs: ReplayInputs

    private var context: ReplayContext { inputs.context }
    private var fresh: FreshInstall { inputs.fresh }
    private var snapshot: Snapshot { inputs.snapshot }

    func check(_ replayed: ReplayedSnapshot, _ record: inout ReplayRecord) {
        let plan = replayed.plan
        if let code = record.result.stoppedAtCode, plan.unknown.isEmpty {
            // The reached state can be compared with the schema of its own version.
            guard let count = context.set.index(of: code), let expected = fresh.catalogs[count] else {
                return
            }
            return addMismatches(of: replayed, expected, count, &record)
        }
        guard replayed.isWhole else {
            // Where there is no fresh install, the report says so once.
            guard fresh.failure == nil else { return }
            return record.notChecked(.schemaMismatch, .notReplayed(snapshot: snapshot.path))
        }
        guard plan.unknown.isEmpty else {
            return record.notChecked(
                .schemaMismatch,
                .unknownMigrations(snapshot: snapshot.path, home: context.set.format.home))
        }
        guard let expected = fresh.catalogs[plan.finalCount] else {
            if context.command != nil, fresh.failure == nil {
                record.notChecked(
                    .schemaMismatch, .undecided("no fresh install has exactly these migrations"))
            }
            return
        }
        addMismatches(of: replayed, expected, plan.finalCount, &record)
    }

    /// Adds the differences from a fresh install of a number of migrations. The effects of code are not in the fresh install
    /// made here.
    private func addMismatches(
        of replayed: ReplayedSnapshot, _ fresh: Catalog, _ count: Int, _ record: inout ReplayRecord
    ) {
        let code = replayed.plan.code
        let own = ownMismatches(of: replayed)
        let end = replayed.end
        let findings = context.mismatches.value(end.facts, .init(count: count, countsShared: false)) {
            SchemaMismatch.findings(migrated: end.catalog, fresh: fresh, context.set.format)
        }
        let idle =
            findings.isEmpty
            ? [] : IdleCreation.all(in: record.steps.migrations, from: replayed.baseline.state.catalog)
        for var finding in findings {
            let isOwn = own.contains(finding.message)
            if let creation = idle.last(where: {
                !$0.isSame && $0.table.foldedASCII == finding.table?.foldedASCII
            }) {
                finding.sentence += "; \(creation.cause)"
                finding.advice = Help(creation.help + "\n") + finding.advice
                finding.migration = creation.migration.identifier
                finding.place = .init(creation.migration.statements[creation.index])
            }
            if isOwn {
                finding.severity = min(finding.severity, .warning)
                finding.tags.append(.preExisting)
            }
            if !code.isEmpty {
                finding.severity = min(finding.severity, .warning)
                finding.advice =
                    "The fresh install was made without the migrations that are not SQL (\(code.joined(separator: ", "))): "
                    + "if they cause this difference, nothing is wrong. If not: " + finding.advice
            }
            record.add(finding)
        }
    }

    /// Differences that a live database already has before its migration: an index that a person created by hand is not
    /// a reason to leave the database at an old version.
    private func ownMismatches(of replayed: ReplayedSnapshot) -> Set<String> {
        guard context.isRehearsal, let from = replayed.plan.from,
            let index = context.set.index(of: from), let expected = fresh.catalogs[index + 1]
        else { return [] }
        let start = replayed.baseline.state
        let findings = context.mismatches.value(start.facts, .init(count: index + 1, countsShared: true)) {
            SchemaMismatch.findings(migrated: start.catalog, fresh: expected)
        }
        return Set(findings.map(\.message))
    }
}
