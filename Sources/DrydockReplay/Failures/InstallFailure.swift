import DatabaseEngine
import DrydockFindings
import DrydockMigrations
import DrydockState
import OverlayVFS
import SQLiteSchema

/// Why a fresh install does not complete, and whether users meet that.
package struct InstallFailure: Sendable {
    /// Why, in words: `v2 fails on an empty database: no such table: person`.
    package let reason: String
    /// What new users meet; nil where it is not known whether they do, such as where a migration is code.
    package private(set) var finding: Finding?
    /// The table, index, view or trigger that the first migration which changes anything expects, and that no migration
    /// makes.
    private(set) var expectedName: String?
    /// Whether another database may be there before the first migration.
    private var mayNeedBase = false
    /// The database on which the migrations are run.
    private var place = "an empty database"
    /// What failed, and why.
    private var cause: (migration: Migration, error: any Error)?

    init(_ reason: String) { self.reason = reason }

    /// Nil where nothing keeps a migration from being tried.
    init?(obstacleOf migration: Migration, of format: any MigrationFormat) {
        if let fault = migration.fault {
            self.init("\(migration.identifier) cannot be run: \(fault.message)")
        } else if migration.isCode {
            self.init("\(migration.path) is not SQL")
        } else if let ending = StaticChecks.refusedStatement(in: migration) {
            self.init("\(migration.path) ends its runner's transaction with \(ending.text)")
            let findings = StaticChecks.findings(for: migration, of: format, before: nil)
            if let finding = findings.first(where: { $0.rule == .transactionEnded }) { report(finding) }
        } else {
            return nil
        }
    }

    /// - Parameters:
    ///   - index: the migration's position in the set.
    ///   - isBare: whether there is no table before it.
    ///   - standIns: the modules that this SQLite lacks.
    init(
        at index: Int, of set: MigrationSet, _ error: any Error, _ obstacle: WriteObstacle, isBare: Bool,
        standIns: Set<String>
    ) {
        let migration = set.migrations[index]
        var cause = (error as? BatchFailure)?.cause ?? error
        if migration.isDeferred, MigrationFailure(migration: migration, error: cause).isForeignKeyCheck {
            // As the check is reported of a snapshot.
            cause = EngineError.foreignKeyCheck
        }
        let words = Self.words(cause)
        let place = set.base == nil ? "an empty database" : "the base"
        let reason = "\(migration.identifier) fails on \(place): \(obstacle.cause(of: cause) ?? words)"
        let doubt = InstallDoubt.find(at: index, of: set, cause, standIns: standIns)
        self.init(reason + (doubt?.addition ?? ""))
        self.place = place
        guard doubt == nil, let finding = MigrationFailure(migration: migration, error: cause).finding else {
            return
        }
        self.cause = (migration, cause)
        if set.base == nil {
            mayNeedBase = SQLiteMessage.noSuchTable.matches(words)
            if isBare { expectedName = Self.missingName(in: words) }
        }
        report(obstacle.explaining(finding, cause))
    }

    /// The schema that a tool keeps of the newest version, with which it makes new databases, cannot be made.
    init(ofNewestSchema statements: [SQLStatement], of set: MigrationSet, _ error: any Error) {
        self.init("the schema of the newest version cannot be created: \(Self.words(error))")
        guard let failure = error as? StatementFailure, statements.indices.contains(failure.index),
            InstallDoubt.find(
                in: statements[failure.index], failure.error, path: statements[failure.index].source.name,
                set.format) == nil
        else { return }
        var finding = Finding(
            .migrationFailed, reason,
            place: .init(statements[failure.index], offset: failure.error.offset))
        finding.resultCode = failure.error.extendedCode
        report(finding)
    }

    /// The project's own command does not succeed on an empty database.
    init(_ failure: CommandFailure, of project: CommandProject) {
        self.init(failure.text)
        let migrations = project.set.migrations
        // Without a list it is not known which migration failed.
        let migration =
            project.format.isStepped && migrations.indices.contains(project.passed)
            ? migrations[project.passed] : nil
        // Where nothing was applied, something may have to be there first.
        guard project.passed > 0 || project.set.base != nil else { return }
        report(failure.finding(migration))
    }

    private mutating func report(_ finding: Finding) {
        var finding = finding
        finding.sentence = "on \(place), \(finding.sentence)"
        finding.tags.append(.freshInstall)
        if mayNeedBase {
            finding.advice +=
                (finding.advice.isEmpty ? "" : " ")
                + "If a database exists before the first migration, name it or its SQL with 'base' in drydock.yml."
        }
        self.finding = finding
    }

    /// Adds the rows or names that caused it.
    mutating func explain(_ context: ReplayContext, _ watchdog: Watchdog) async throws {
        guard let (migration, error) = cause, finding?.tags.contains(.notChecked) == false,
            !watchdog.isTripped
        else { return }
        do {
            let before = try await Self.state(before: migration, context, watchdog)
            let explained = try await FailureReport(context: context, watchdog: watchdog)
                .finding(MigrationFailure(migration: migration, error: error), before)
            if let explained { report(explained) }
        } catch let error as EngineError where !error.isInterrupt {
            // The explanation is only helpful; the finding stands without it.
        }
    }

    /// Returns what the earlier migrations make of an empty database.
    private static func state(
        before migration: Migration, _ context: ReplayContext, _ watchdog: Watchdog
    ) async throws -> DatabaseState {
        let settings = context.settings(watchdog)
        let overlay = try await DatabaseMaker(engine: context.engine, settings: settings)
            .base(context.set.base)
        try await context.engine.use(overlay, settings: settings) { database in
            let runner = BatchRun(set: context.set, database: database, overlay: overlay)
            for earlier in context.set.migrations.prefix(while: { $0.path != migration.path }) {
                _ = try await runner.run([earlier])
            }
            try await database.withConnection { try $0.checkpoint() }
        }
        return try await context.inspector(watchdog).inspect(overlay.freeze().image, earlier: nil)
    }

    private static func missingName(in message: String) -> String? {
        let kinds: [SQLiteMessage] = [.noSuchTable, .noSuchIndex, .noSuchView, .noSuchTrigger]
        return kinds.compactMap { $0.rest(of: message) }.first.map { name in
            name.hasPrefix("main.") ? String(name.dropFirst(5)) : name
        }
    }

    /// Adds the failure to a report: as an error if users meet it, otherwise as what keeps schemas from being compared.
    package func add(to report: inout Report, _ results: [ReplayResult]) {
        let isExpected = results.contains(where: \.hasExpectedName)
        guard let finding, !isExpected else {
            let hint = isExpected ? "; 'base' in drydock.yml names what exists before" : ""
            report.notChecked.append(NotChecked(.schemaMismatch, .noFreshInstall(reason + hint)))
            return
        }
        report.notChecked.append(
            NotChecked(.schemaMismatch, .undecided("there is no fresh install to compare with")))
        let same = report.findings.indices.filter { report.findings[$0].isSameFailure(as: finding) }
        for index in same { report.findings[index].tags.append(.freshInstall) }
        if same.isEmpty { report.findings.append(finding) }
    }

    static func words(_ error: any Error) -> String {
        switch error {
        case let failure as BatchFailure: words(failure.error)
        case let failure as StatementFailure: failure.error.message
        case let failure as RunnerFailure: words(failure.error)
        case let fault as SnapshotFault: fault.sentence.text
        default: String(describing: error)
        }
    }
}

extension Finding {
    /// Whether both say that the same statement fails for the same reason.
    fileprivate func isSameFailure(as other: Finding) -> Bool {
        rule == other.rule && migration == other.migration && resultCode == other.resultCode
            && place?.file == other.place?.file && place?.line == other.place?.line
            && place?.column == other.place?.column
    }
}
