import DrydockFindings
import DrydockMigrations
import DrydockState
import DatabaseEngine
import OverlayVFS
import SQLiteSchema

/// `crash-stuck`, `crash-loses` and `crash-diverges`: from each state that a kill or a power cut leaves on disk between two
/// commits of a tool, the tool is started again, and must come to the end of an uninterrupted run.
///
/// SQLite's own recovery makes a torn transaction one that never was (https://www.sqlite.org/atomiccommit.html), so the
/// states between two commits are those that a commit left.
struct CrashCheck: Sendable {
    let context: ReplayContext
    let watchdog: Watchdog
    let inspector: StateInspector
    /// The migrations that were pending, by position.
    let pending: [Int]
    /// How many states the tool may be started on.
    let limit: Int

    struct Outcome: Sendable {
        var findings: [Finding] = []
        var notChecked: [NotChecked] = []
        /// The number of states on which the tool was started.
        var states = 0
    }

    /// - Parameter foreignKeys: whether the connection enforced them when the first migration began.
    func run(_ batch: [Migration], from before: Image, foreignKeys: Bool) async throws -> Outcome {
        var outcome = Outcome()
        let name = batch.last?.identifier ?? ""
        let recording: CrashCuts.Recording
        do {
            recording = try await CrashCuts(context: context, watchdog: watchdog).record(
                batch, from: before, foreignKeys: foreignKeys)
        } catch let failure as BatchFailure where !watchdog.isTripped {
            outcome.notChecked.append(
                NotChecked(
                    .crashStuck,
                    .undecided("\(name) does not run alone: \(CrashRestart.Failure(failure).message)")))
            return outcome
        }
        if recording.cuts.count > limit {
            outcome.notChecked.append(
                NotChecked(
                    .crashStuck,
                    .undecided(
                        "of the \(recording.cuts.count) states in which a crash can leave \(name), the first \(limit) were "
                            + "tried (--crash-states)")))
        }
        let end = try await CrashEnd(recording.end, recording.pages, context, inspector)
        var reports = CrashReports(batch: batch, format: context.set.format)
        for cut in recording.cuts.prefix(limit) {
            outcome.states += 1
            reports.note(try await result(of: cut, batch, end), at: cut)
        }
        let unstable = reports.hasData ? try await unstable(batch, before, foreignKeys, end) : []
        if !unstable.isEmpty {
            outcome.notChecked.append(
                NotChecked(
                    .crashLoses,
                    .unstable(
                        migration: name, parts: unstable.map(\.description).sorted().joined(separator: ", ")))
            )
        }
        outcome.findings = reports.findings(without: unstable)
        return outcome
    }

    /// What a crash leads to.
    enum Result: Sendable {
        case same
        /// The tool refuses to start, until a person gives one of these commands.
        case needsPerson(command: String)
        case stuck(CrashRestart.Failure)
        /// It succeeds, and these parts differ.
        case differs(Set<StateComparison.Part>)
    }

    private func result(of cut: CrashCut, _ batch: [Migration], _ end: CrashEnd) async throws -> Result {
        let restart = CrashRestart(context: context, watchdog: watchdog, pending: pending(upTo: batch))
        let ending = try await restart.runToTheEnd(on: cut.image)
        guard case .refused = ending else { return try await result(of: ending, cut, end) }
        guard let mark = cut.place(in: batch).migration.startMark else {
            return .stuck(
                CrashRestart.Failure(EngineError(.error, "\(context.set.format.name) refuses to start")))
        }
        var first: Result?
        for way in [mark.runAgain, mark.callApplied] {
            let result = try await result(
                of: restart.run(on: cut.image, after: way.statements), cut, end)
            if case .same = result { return .needsPerson(command: way.command) }
            first = first ?? result
        }
        return first ?? .same
    }

    private func result(
        of ending: CrashRestart.Ending, _ cut: CrashCut, _ end: CrashEnd
    ) async throws -> Result {
        switch ending {
        case .failed(let failure, _): return .stuck(failure)
        case .refused:
            return .stuck(
                CrashRestart.Failure(EngineError(.error, "\(context.set.format.name) refuses to start")))
        case .reached(let image, let pages):
            let parts = try await end.differences(from: image, cut.pages.union(pages))
            return parts.isEmpty ? .same : .differs(parts)
        }
    }

    private func pending(upTo batch: [Migration]) -> [Int] {
        let last = batch.last.flatMap { context.set.index(of: $0.identifier) } ?? -1
        return pending.filter { $0 <= last }
    }

    /// Returns what two uninterrupted runs do not make alike, such as random values.
    private func unstable(
        _ batch: [Migration], _ before: Image, _ foreignKeys: Bool, _ end: CrashEnd
    ) async throws -> Set<StateComparison.Part> {
        let again = try await CrashCuts(context: context, watchdog: watchdog).record(
            batch, from: before, foreignKeys: foreignKeys)
        return try await end.differences(from: again.end, again.pages)
    }
}

/// The end of an uninterrupted run.
struct CrashEnd: Sendable {
    private let image: Image
    private let pages: Set<UInt32>
    private let context: ReplayContext
    private let inspector: StateInspector
    private let history: AppliedHistory?
    private let catalog: Catalog

    init(
        _ image: Image, _ pages: Set<UInt32>, _ context: ReplayContext, _ inspector: StateInspector
    ) async throws {
        (self.image, self.pages, self.context, self.inspector) = (image, pages, context, inspector)
        history = try await Self.history(of: image, context, inspector)
        catalog = try await inspector.catalog(of: image)
    }

    private static func history(
        of image: Image, _ context: ReplayContext, _ inspector: StateInspector
    ) async throws -> AppliedHistory? {
        let set = context.set
        return try await inspector.withConnection(to: image) { try set.format.history($0, of: set) }
    }

    /// Returns what differs in another state, the tool's own tables aside.
    /// - Parameter others: the pages of the other state that may differ from the state before the migrations.
    func differences(from other: Image, _ others: Set<UInt32>) async throws -> Set<StateComparison.Part> {
        guard try !StateComparison.areEqual(image, other, pages.union(others)) else { return [] }
        let format = context.set.format
        let shared = Set(format.sharedTables.map(\.foldedASCII))
        var parts = try await StateComparison(inspector: inspector).parts(image, other).filter { part in
            switch part {
            case .rows(let table), .column(let table, _): !shared.contains(table.foldedASCII)
            case .pragma("user_version"): !format.usesUserVersion
            case .object, .pragma: true
            }
        }
        // The same definition can be spelled in two ways.
        let objects = parts.filter { if case .object = $0 { true } else { false } }
        if !objects.isEmpty {
            let theirs = try await inspector.catalog(of: other)
            if SchemaDiff(from: catalog.schema, to: theirs.schema).changes().isEmpty {
                parts.subtract(objects)
            }
        }
        let theirs = try await Self.history(of: other, context, inspector)
        if theirs?.identifiers.sorted() != history?.identifiers.sorted()
            || theirs?.checksums != history?.checksums
        {
            parts.insert(.object(kind: "the history", format.historyTable ?? "user_version"))
        }
        return parts
    }
}
