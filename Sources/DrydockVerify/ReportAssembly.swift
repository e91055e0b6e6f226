import DrydockFindings
import DrydockMigrations
import DrydockReplay

/// Makes the report of the replays of a run: what each of them found, and what they say together.
package struct ReportAssembly {
    package let context: ReplayContext
    package let fresh: FreshInstall
    /// See ``VerifyRequest/isPart``.
    package let isPart: Bool

    package init(context: ReplayContext, fresh: FreshInstall, isPart: Bool) {
        self.context = context
        self.fresh = fresh
        self.isPart = isPart
    }

    /// Adds the findings of all replays, and what is said of their migrations once.
    package func add(_ results: [ReplayResult], to report: inout Report) {
        report.body = .verify(
            VerifySummary(
                replays: results.map(\.summary),
                history: context.wantsHistory
                    ? SchemaHistoryReader.history(of: fresh, context, results) : nil))
        let tried = results.reduce(into: Set<String>()) { $0.formUnion($1.triedMigrations) }
        var reader = SchemaReader()
        for (index, migration) in context.targets.enumerated() where tried.contains(migration.identifier) {
            let schema = fresh.catalogs[index].map { reader.schema(of: $0) }
            let weight = PragmaSeverity(
                migration: migration, before: schema, found: results.flatMap(\.findings))
            report.findings += StaticChecks.findings(for: migration, of: context.set.format, before: schema)
                .map(weight.weighed)
        }
        report.findings += CodeMigrationCheck(context: context, results: results).findings()
        report.findings += unique(results.flatMap(\.migrationFindings))
        // A single database uses only some of the declarations, and none once it is at the newest version.
        if !context.isRehearsal, !isPart { report.findings += unusedDeclarations(results) }
        let filled = context.command?.format.history?.filledTables ?? []
        report.findings += results.flatMap(\.findings).filter {
            $0.rule != .rowsAdded || !filled.contains($0.table ?? "")
        }
        if let failure = fresh.failure, fresh.catalogs[context.targetCount] == nil {
            failure.add(to: &report, results)
        }
        leaveOutIgnored(tried, &report)
        report.notChecked += results.flatMap(\.notChecked)
        if !context.isRehearsal, !isPart, results.allSatisfy(\.isUpToDate) {
            report.findings.append(nothingPending(results))
        }
        let applied = results.reduce(into: Set<String>()) { $0.formUnion($1.applied) }
        for index in report.findings.indices {
            let isReleased = report.findings[index].migration.map(applied.contains) ?? false
            // What a command runs has no comment that is read.
            if isReleased || context.command != nil {
                report.findings[index].declareInConfiguration(isReleased: isReleased)
            }
        }
    }

    /// Removes the findings that `ignore` names; an `ignore` without such a finding is unused.
    private func leaveOutIgnored(
        _ tried: Set<String>, _ report: inout Report
    ) {
        let migrations = Dictionary(
            context.targets.map { ($0.identifier, $0) }, uniquingKeysWith: { first, _ in first })
        var used: Set<Declaration> = []
        report.findings.removeAll { finding in
            guard let declaration = finding.migration.flatMap({ migrations[$0] })?.ignore(of: finding) else {
                return false
            }
            used.insert(declaration)
            return true
        }
        for migration in context.targets where tried.contains(migration.identifier) && !isPart {
            for declaration in migration.declarations where !used.contains(declaration) {
                // Lint reports its own rules.
                guard case .ignores(let rule, _) = declaration.kind, !Rule.ofLint.contains(rule) else {
                    continue
                }
                report.findings.append(
                    Finding(
                        .unusedDeclaration, .warning, "nothing here breaks \(rule.rawValue)",
                        help: "Remove '\(declaration.text)'.", migration: migration.identifier,
                        place: declaration.place))
            }
        }
    }

    /// Returns each finding once: every replay of a migration reports the same about its declarations.
    private func unique(_ findings: [Finding]) -> [Finding] {
        var seen: Set<String> = []
        return findings.filter {
            seen.insert("\($0.place?.file ?? "") \($0.place?.line ?? 0) \($0.message)").inserted
        }
    }

    private func unusedDeclarations(_ results: [ReplayResult]) -> [Finding] {
        let invalid = Set(results.flatMap(\.migrationFindings).compactMap(\.place))
        var findings: [Finding] = []
        for migration in context.targets {
            // That generated rows do not need a declaration says nothing about those of users.
            let uses = results.filter { !$0.summary.isProbe }.compactMap {
                $0.usedDeclarations[migration.identifier]
            }
            guard !uses.isEmpty else { continue }
            for declaration in context.declarations[migration.identifier] ?? []
            where declaration.canBeUnused && !invalid.contains(declaration.place)
                && !results.contains(where: {
                    $0.usedDeclarations[migration.identifier]?.contains(declaration) ?? false
                })
            {
                findings.append(
                    Finding(
                        .unusedDeclaration, .warning, "no snapshot needs '\(declaration.text)'",
                        help: "Remove it, or add a snapshot whose rows need it.",
                        migration: migration.identifier,
                        place: declaration.place))
            }
        }
        return findings
    }

    /// Returns the finding for a run in which no migration was to be checked.
    private func nothingPending(_ results: [ReplayResult]) -> Finding {
        if results.allSatisfy(\.summary.isProbe) {
            return Finding(
                .nothingVerified, .warning, "nothing was checked: every migration is released",
                help:
                    "Generated rows are for migrations that the lock does not have. --all checks the released ones too."
            )
        }
        return Finding(
            .nothingVerified, .warning, "nothing was pending: every snapshot has applied every migration",
            help: "Add snapshots of older releases: they are what your users upgrade from.")
    }
}
