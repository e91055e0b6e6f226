import DrydockFiles
import DrydockFindings
import DrydockMigrations
import DrydockReplay
import DrydockVerify
import Foundation

/// Makes a finding small: catches the step or replay that has it, searches for the smallest database and statements that
/// still show it, and writes them as a project of their own.
struct FindingShrink {
    let verifier: Verifier
    let request: ShrinkRequest
    /// Ends the search when it returns true.
    let stop: @Sendable () -> Bool
    let onStage: @Sendable (ShrinkStage) -> Void

    /// - Throws: see ``Verifier/shrink(_:until:onStage:)``.
    func run() async throws -> ShrunkFinding {
        let start = ContinuousClock.now
        try Self.checkIsNew(request.folder)
        guard request.verify.command == nil else {
            throw RequestError(
                .settingInvalid,
                "what the project's own command does cannot be made smaller; drydock verify --probe --report "
                    + "sql=FOLDER writes the fewest rows for it")
        }
        onStage(.replaying)
        let caught = try await caught()
        // The replay is over, and the search has a time of its own.
        let watchdog = Watchdog(timeout: request.timeout)
        let watch = watch { watchdog.cancel() }
        defer { watch.cancel() }
        let (fixture, outcome) = try await smallest(of: caught, watchdog)
        onStage(.writing)
        let (finding, snapshot) = (outcome.finding, caught.replay.snapshot.path)
        let project = try await write(outcome, of: fixture)
        return ShrunkFinding(
            finding: finding, snapshot: snapshot,
            migration: finding.migration ?? fixture.migrations.last?.identifier ?? "",
            migrations: outcome.migrations.map(\.identifier),
            bytes: (
                (try? FolderListing.size(of: snapshot)) ?? fixture.before.image.byteCount,
                outcome.state.image.byteCount
            ), rowCount: outcome.rowCount, tables: outcome.tables,
            statements: (fixture.allStatements.count, outcome.statementCount),
            keptColumns: request.keepsValues ? nil : outcome.keptColumns, runs: outcome.runs,
            isSmallest: finding.counterexample?.isSmallest ?? false,
            isSameCause: outcome.isSameCause, isScriptExact: outcome.isScriptExact,
            seconds: (ContinuousClock.now - start).inSeconds, project: project)
    }

    /// Searches for the smallest database and statements, from one state after the other.
    /// - Returns: also what was run, with all its statements.
    private func smallest(
        of caught: FixtureFinder.Caught, _ watchdog: Watchdog
    ) async throws -> (StepFixture, Shrinker.Outcome) {
        let (fixtures, finding) = (caught.fixtures(), caught.finding)
        for limit in fixtures.count > 1 ? [RowSample.quickLimit, RowSample.limit] : [RowSample.limit] {
            for var fixture in fixtures {
                fixture.watchdog = watchdog
                var shrinker = Shrinker(fixture, finding, onStage)
                if let outcome = try await shrinker.run(keepsValues: request.keepsValues, upTo: limit) {
                    return (fixture, outcome)
                }
            }
        }
        if stop() { throw CancellationError() }
        if watchdog.isTripped {
            throw RequestError(
                .limitReached,
                "the search time ran out before any sample of rows showed it: \(finding.message). Nothing was "
                    + "written; allow more time with --search-time")
        }
        throw RequestError(
            .refused,
            "no sample of up to \(RowSample.limit) rows shows it again: \(finding.message). Nothing was written"
        )
    }

    /// Waits for a stop, until it is cancelled.
    private func watch(_ end: @escaping @Sendable () -> Void) -> Task<Void, Never> {
        Task.detached { [stop] in
            while !stop(), !Task.isCancelled { try? await Task.sleep(for: .milliseconds(50)) }
            if stop() { end() }
        }
    }

    private static func checkIsNew(_ folder: String) throws {
        guard !FolderListing.exists(folder) else {
            throw RequestError(
                .notWritable, "'\(folder)' already exists; name a folder that does not, with -o")
        }
        let parent = PathParts.folder(of: folder)
        guard !FolderListing.exists(parent) else { return }
        throw RequestError(
            .notFound,
            "there is no folder '\(parent)' in which '\(folder)' could be created; create it first: "
                + "mkdir -p \(PathParts.inShell(parent))")
    }

    // MARK: - The step

    private func caught() async throws -> FixtureFinder.Caught {
        let catcher = FixtureFinder(request.target)
        var verifier = verifier
        verifier.listener = catcher
        var verify = request.verify.checking(request.target.rule)
        verify.probes.use = .never
        verify.jobs = 1
        let replay = Task { [verifier, verify] in try await verifier.run(verify) }
        let watch = watch { replay.cancel() }
        defer { watch.cancel() }
        let report = try await withTaskCancellationHandler {
            try await replay.value
        } onCancel: {
            replay.cancel()
        }
        if let caught = catcher.first { return caught }
        let errors = report.findings.filter { $0.severity > .note }
        guard let finding = errors.first(where: request.target.matches) else {
            let list = Self.list(of: errors)
            let what = catcher.unknownTable ?? "no snapshot gives such a finding"
            throw RequestError(
                .notFound, what + (list.isEmpty ? ": nothing is wrong" : "; found: \(list)"))
        }
        guard let replay = catcher.replay(of: finding), ShrinkObstacle(finding) == nil else {
            let obstacle = ShrinkObstacle(finding) ?? .notReplayed
            throw RequestError(.refused, "\(obstacle.text): \(finding.message). \(obstacle.remedy)")
        }
        return .init(finding: finding, check: .replay, fixture: nil, replay: replay)
    }

    /// Such as `rows-lost in pet by 2`.
    private static func list(of findings: [Finding]) -> String {
        var names: [String] = []
        for finding in findings {
            let name =
                finding.rule.rawValue + (finding.table.map { " in \($0)" } ?? "")
                + (finding.migration.map { " by \($0)" } ?? "")
            if !names.contains(name) { names.append(name) }
        }
        return names.prefix(8).joined(separator: ", ") + (names.count > 8 ? ", …" : "")
    }

    // MARK: - The folder

    /// Writes the folder beside its place, verifies it, and moves it there.
    private func write(
        _ outcome: Shrinker.Outcome, of fixture: StepFixture
    ) async throws -> ShrunkFinding.Project {
        let target = FolderListing.realPath(PathParts.folder(of: request.folder))
        let temporary = "\(target)/.\(PathParts.name(of: request.folder)).\(UUID().uuidString)"
        do {
            try FileManager.default.createDirectory(atPath: temporary, withIntermediateDirectories: false)
        } catch {
            throw RequestError(
                .notWritable,
                "'\(request.folder)' cannot be made in '\(target)': \(FolderListing.describe(error))")
        }
        do {
            let project = ShrunkProject(fixture: fixture, outcome: outcome, folder: temporary)
            try project.writeSnapshot()
            let files = request.files(outcome.finding, project.set.format.name, project.settings)
            for (name, text) in files {
                try AtomicFile.write(Array(text.utf8), to: temporary + "/" + name)
            }
            let made = try await verified(project)
            guard rename(temporary, target + "/" + PathParts.name(of: request.folder)) == 0 else {
                throw RequestError(
                    .notWritable, "'\(request.folder)' cannot be made: \(FolderListing.describe(errno))")
            }
            return made
        } catch {
            try? FileManager.default.removeItem(atPath: temporary)
            if let fault = error as? FileFault {
                throw RequestError(.notWritable, "'\(request.folder)' cannot be written: \(fault)")
            }
            throw error
        }
    }

    /// Writes the migrations, with as little as verify needs to give the finding.
    private func verified(_ project: ShrunkProject) async throws -> ShrunkFinding.Project {
        // Statements that are left out move the others to other lines.
        var wanted = project.outcome.finding
        wanted.place = nil
        let (identity, settings) = (FindingIdentity(wanted), project.settings)
        var best: (extent: ShrunkProject.Extent, others: [Rule])?
        var written: ShrunkProject.Extent?
        for extent in project.extents {
            try project.writeMigrations(extent)
            var verify = try request.verification?(project.folder) ?? self.settings(of: project)
            // Nothing in a folder that is moved away is worth remembering.
            verify.cacheFolder = nil
            verify.checks.sqliteLibraries = settings.checks.sqliteLibraries
            verify.checks.libraryProgram = request.verify.checks.libraryProgram
            let fresh = Verifier(
                engine: verifier.engine,
                comparingWith: settings.comparesEngines ? verifier.other : nil)
            written = extent
            let found = (try? await fresh.run(verify))?.findings.filter { $0.severity > .note } ?? []
            let others = found.filter {
                $0.concernedMigration != wanted.concernedMigration || !FindingIdentity($0).matches(identity)
            }
            if others.count < found.count, others.count < best?.others.count ?? .max {
                best = (extent, others.map(\.rule))
            }
            // Where a short schema has more to say than the finding, another may say less.
            if let best, !extent.isSchemaShort || best.others.isEmpty { break }
        }
        guard let best else { return .init(isVerified: false, isMigrationWhole: true, settings: settings) }
        if best.extent != written { try project.writeMigrations(best.extent) }
        return .init(
            isVerified: true, isMigrationWhole: !best.extent.isShort, others: best.others, settings: settings)
    }

    private func settings(of project: ShrunkProject) -> VerifyRequest {
        var verify = request.verify
        verify.migrations.folder = project.folder + "/" + ShrunkProject.migrations
        verify.migrations.format = project.set.format.name
        verify.snapshots.paths = [project.folder + "/" + ShrunkProject.snapshot]
        verify.snapshots.listed = nil
        (verify.lock, verify.upTo) = (nil, nil)
        verify.probes.use = .never
        let checks = project.settings.checks
        (verify.checks.rollback, verify.checks.crashes) = (checks.rollback, checks.crashes)
        verify.checks.crashWrites = checks.crashWrites
        return verify
    }
}
