import DrydockFindings
import DrydockMigrations
import DatabaseEngine
import Foundation
import OverlayVFS

/// What a shrink is to do.
public struct ShrinkRequest: Sendable {
    /// The project and its snapshots.
    public var verify: VerifyRequest
    public var target = ShrinkTarget()
    /// The folder that is made, which must not exist.
    public var folder: String
    /// How long smaller databases are searched for; nil for as long as it takes.
    public var timeout: Duration? = .seconds(60)
    /// Whether values stay that need not be short.
    public var keepsValues = false
    /// Returns further files for the folder, by name, from the finding, the name of the migrations' format and what verify has
    /// to be told.
    public var files: @Sendable (Finding, String, ShrunkSettings) -> [String: String] = { _, _, _ in [:] }
    /// Returns how a folder that was written is verified, as whoever gets it will do it; nil for the settings of ``verify``.
    public var verification: (@Sendable (_ folder: String) throws -> VerifyRequest)?

    public init(_ verify: VerifyRequest, folder: String) { (self.verify, self.folder) = (verify, folder) }
}

/// Makes a finding small.
extension Verifier {
    /// Finds a step, or a replay, with the wanted finding, searches for the smallest database and migration that show it, and writes them
    /// as a project of their own.
    /// - Parameter stop: ends the search when it returns true; the smallest that was found by then is written.
    /// - Throws: ``RequestError`` if there is no such finding, or nothing can be written; CancellationError if it is stopped
    ///   before there is anything to write.
    public func shrink(
        _ request: ShrinkRequest, until stop: @escaping @Sendable () -> Bool = { false },
        onStage: @escaping @Sendable (ShrinkStage) -> Void = { _ in }
    ) async throws -> ShrunkFinding {
        let start = ContinuousClock.now
        try Self.checkIsNew(request.folder)
        guard request.verify.command == nil else {
            throw RequestError(
                .settingInvalid,
                "what a command of the project's own does cannot be made smaller; drydock verify --probe --report "
                    + "sql=FOLDER writes the fewest rows for it")
        }
        onStage(.replaying)
        let caught = try await caught(request, stop)
        // The replay is over, and the search has a time of its own.
        let watchdog = Watchdog(timeout: request.timeout)
        let watch = Self.watch(stop) { watchdog.cancel() }
        defer { watch.cancel() }
        let (scene, outcome) = try await smallest(of: caught, request, watchdog, stop, onStage)
        onStage(.writing)
        let (finding, snapshot) = (outcome.finding, caught.replay.snapshot.path)
        let project = try await write(outcome, of: scene, request)
        return ShrunkFinding(
            finding: finding, snapshot: snapshot,
            migration: finding.migration ?? scene.migrations.last?.identifier ?? "",
            migrations: outcome.migrations.map(\.identifier),
            bytes: (
                (try? FolderListing.size(of: snapshot)) ?? scene.before.image.byteCount,
                outcome.state.image.byteCount
            ), rowCount: outcome.rowCount, tables: outcome.tables,
            statements: (scene.allStatements.count, outcome.statementCount),
            keptColumns: request.keepsValues ? nil : outcome.keptColumns, runs: outcome.runs,
            isSmallest: finding.counterexample?.isSmallest ?? false,
            isSameCause: outcome.isSameCause, isScriptExact: outcome.isScriptExact,
            seconds: (ContinuousClock.now - start).inSeconds, project: project)
    }

    /// Searches for the smallest database and statements, from one state after the other.
    /// - Returns: also what was run, with all its statements.
    private func smallest(
        of caught: SceneCatcher.Caught, _ request: ShrinkRequest, _ watchdog: Watchdog,
        _ stop: () -> Bool, _ onStage: @escaping @Sendable (ShrinkStage) -> Void
    ) async throws -> (StepScene, Shrinker.Outcome) {
        let (scenes, finding) = (caught.scenes(self), caught.finding)
        for limit in scenes.count > 1 ? [RowSample.quickLimit, RowSample.limit] : [RowSample.limit] {
            for var scene in scenes {
                scene.watchdog = watchdog
                var shrinker = Shrinker(scene, finding, onStage)
                if let outcome = try await shrinker.run(keepsValues: request.keepsValues, upTo: limit) {
                    return (scene, outcome)
                }
            }
        }
        if stop() { throw CancellationError() }
        if watchdog.isTripped {
            throw RequestError(
                .limitReached,
                "the search time was over before any sample of rows showed it: \(finding.message). Nothing was "
                    + "written; give it more with --search-time")
        }
        throw RequestError(
            .refused,
            "no sample of up to \(RowSample.limit) rows shows it again: \(finding.message). Nothing was written"
        )
    }

    /// Waits for a stop, until it is cancelled.
    private static func watch(
        _ stop: @escaping @Sendable () -> Bool, _ end: @escaping @Sendable () -> Void
    ) -> Task<Void, Never> {
        Task.detached {
            while !stop(), !Task.isCancelled { try? await Task.sleep(for: .milliseconds(50)) }
            if stop() { end() }
        }
    }

    private static func checkIsNew(_ folder: String) throws {
        guard !FolderListing.exists(folder) else {
            throw RequestError(
                .notWritable, "'\(folder)' exists already; name a folder that does not, with -o")
        }
        let parent = PathParts.folder(of: folder)
        guard !FolderListing.exists(parent) else { return }
        throw RequestError(
            .notFound,
            "there is no folder '\(parent)' in which '\(folder)' could be made; make it first: "
                + "mkdir -p \(PathParts.inShell(parent))")
    }

    // MARK: - The step

    private func caught(
        _ request: ShrinkRequest, _ stop: @escaping @Sendable () -> Bool
    ) async throws -> SceneCatcher.Caught {
        let catcher = SceneCatcher(request.target)
        var verifier = self
        verifier.catcher = catcher
        var verify = request.verify.checking(request.target.rule)
        verify.probes.use = .never
        verify.jobs = 1
        let replay = Task { [verifier, verify] in try await verifier.run(verify) }
        let watch = Self.watch(stop) { replay.cancel() }
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
        return .init(finding: finding, check: .replay, scene: nil, replay: replay)
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
        _ outcome: Shrinker.Outcome, of scene: StepScene, _ request: ShrinkRequest
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
            let project = ShrunkProject(scene: scene, outcome: outcome, folder: temporary)
            try project.writeSnapshot()
            let files = request.files(outcome.finding, project.set.format.name, project.settings)
            for (name, text) in files {
                try AtomicFile.write(Array(text.utf8), to: temporary + "/" + name)
            }
            let made = try await verified(project, request)
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
    private func verified(
        _ project: ShrunkProject, _ request: ShrinkRequest
    ) async throws -> ShrunkFinding.Project {
        // Statements that are left out move the others to other lines.
        var wanted = project.outcome.finding
        wanted.place = nil
        let (identity, settings) = (FindingIdentity(wanted), project.settings)
        var best: (extent: ShrunkProject.Extent, others: [Rule])?
        var written: ShrunkProject.Extent?
        for extent in project.extents {
            try project.writeMigrations(extent)
            var verify = try request.verification?(project.folder) ?? Self.settings(of: project, request)
            // Nothing in a folder that is moved away is worth remembering.
            verify.cacheFolder = nil
            verify.sqliteLibraries = settings.sqliteLibraries
            verify.libraryProgram = request.verify.libraryProgram
            let verifier = Verifier(
                engine: engine, comparingWith: settings.comparesEngines ? other : nil)
            written = extent
            let found = (try? await verifier.run(verify))?.findings.filter { $0.severity > .note } ?? []
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

    private static func settings(of project: ShrunkProject, _ request: ShrinkRequest) -> VerifyRequest {
        var verify = request.verify
        verify.migrationsFolder = project.folder + "/" + ShrunkProject.migrations
        verify.migrationFormat = project.set.format.name
        (verify.snapshots, verify.listed) = ([project.folder + "/" + ShrunkProject.snapshot], nil)
        (verify.lock, verify.upTo) = (nil, nil)
        verify.probes.use = .never
        verify.checksRollback = project.settings.checksRollback
        verify.checksCrashes = project.settings.checksCrashes
        verify.checksCrashWrites = project.settings.checksCrashWrites
        return verify
    }
}
