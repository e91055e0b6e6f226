import DrydockFindings
import DrydockMigrations
import DrydockState
import DatabaseEngine
import Foundation
import OverlayVFS
import SQLiteSchema

/// Runs a batch of migrations once more, on another engine from the same state, and compares the result with that of
/// the first engine: outcome, schema, rows and history.
///
/// All runs see the same time and the same random numbers (``Moment``). Even so, two runs of one engine can differ;
/// where two runs of the first engine differ, nothing is compared.
struct EngineComparison: Sendable {
    /// The time and the random numbers that a run sees.
    struct Moment: Sendable {
        /// Milliseconds since 1970.
        let time: Int64
        let seed: UInt64

        static func now() -> Moment {
            let time = Date().timeIntervalSince1970 * 1000
            return Moment(time: Int64(time), seed: .random(in: .min ... .max))
        }

        func begin(on overlay: Overlay, _ random: RandomSource?) {
            overlay.stopClock(at: time)
            random?.reseed(seed)
        }
    }

    let context: ReplayContext
    let other: any Engine
    let watchdog: Watchdog
    /// The moment of the first run.
    let moment: Moment

    struct Outcome: Sendable {
        var finding: Finding?
        var notChecked: NotChecked?
    }

    func run(
        _ batch: [Migration], from before: Image, _ first: BatchRun.Outcome
    ) async throws -> Outcome {
        let settings = context.settings(watchdog)
        let second = try await run(batch, on: other, before, settings)
        guard var difference = try await difference(first, second) else { return Outcome() }
        var outcome = Outcome()
        if difference.failures == nil {
            let again = try await run(batch, on: context.engine, before, settings)
            let own = try await self.difference(first, again)
            let unstable = own?.failures == nil ? own?.parts.intersection(difference.parts) ?? [] : []
            if !unstable.isEmpty {
                difference.parts.subtract(unstable)
                outcome.notChecked = NotChecked(
                    .engineDivergence,
                    .unstable(
                        migration: difference.migration.identifier, parts: Self.list(unstable)))
            }
            guard !difference.parts.isEmpty else { return outcome }
        }
        outcome.finding = finding(difference, help: try await explanation(batch, before, first, difference))
        return outcome
    }

    private func run(
        _ batch: [Migration], on engine: any Engine, _ before: Image, _ settings: ConnectionSettings
    ) async throws -> BatchRun.Outcome {
        let overlay = try Overlay(before)
        var settings = settings
        let random = RandomSource()
        settings.random = random
        moment.begin(on: overlay, random)
        return try await engine.use(overlay, settings: settings) { database in
            let outcome = try await BatchRun(set: context.set, database: database, overlay: overlay).run(
                batch)
            if let (_, error) = outcome.failure, watchdog.isTripped { throw error }
            return outcome
        }
    }

    // MARK: - The difference

    private struct Difference {
        var migration: Migration
        /// Why each engine refused the step, unless both did for the same reason; nil for one that did not.
        var failures: (first: Failure?, second: Failure?)?
        /// What differs afterwards, in words.
        var parts: Set<String> = []
    }

    private func difference(_ first: BatchRun.Outcome, _ second: BatchRun.Outcome) async throws -> Difference?
    {
        var pages: Set<UInt32> = []
        for (one, two) in zip(first.reached, second.reached) {
            pages.formUnion(one.footprint.pages)
            pages.formUnion(two.footprint.pages)
            guard try !Self.areEqual(one.image, two.image, pages) else { continue }
            let parts = try await parts(one.image, two.image)
            if !parts.isEmpty { return Difference(migration: one.step, parts: parts) }
        }
        let failures = (first: first.failure.map(Failure.init), second: second.failure.map(Failure.init))
        guard failures.first?.code != failures.second?.code || first.reached.count != second.reached.count,
            let migration = first.failure?.migration ?? second.failure?.migration
        else { return nil }
        return Difference(migration: migration, failures: failures)
    }

    /// Whether two states have the same bytes, except for those that every commit writes.
    private static func areEqual(_ a: Image, _ b: Image, _ pages: Set<UInt32>) throws -> Bool {
        guard a.byteCount == b.byteCount, a.pageSize == b.pageSize else { return false }
        var (left, right) = (
            [UInt8](repeating: 0, count: a.pageSize), [UInt8](repeating: 0, count: a.pageSize)
        )
        for page in pages {
            let offset = (Int(page) - 1) * a.pageSize
            try left.withUnsafeMutableBytes { try a.read(into: $0, at: offset) }
            try right.withUnsafeMutableBytes { try b.read(into: $0, at: offset) }
            if page == 1 {
                for range in HeaderBytes.ofCommit { left.replaceSubrange(range, with: right[range]) }
            }
            guard left == right else { return false }
        }
        return true
    }

    private func parts(_ first: Image, _ second: Image) async throws -> Set<String> {
        // History tables are compared like any others.
        var inspector = context.inspector(watchdog)
        inspector.historyTables = []
        let (before, after) = (
            try await inspector.catalog(of: first), try await inspector.catalog(of: second)
        )
        return try await inspector.withConnection(to: first, attaching: second) { connection in
            let objects = try Self.objects(connection)
            guard objects.isEmpty else { return objects }
            let conservation = try Conservation(
                connection: connection, before: before, after: after,
                lineage: TableLineage(tables: before.tableNames), declarations: [])
            var parts: Set<String> = []
            for kept in conservation.kept {
                let table = quotedText(kept.match.before.name)
                if kept.difference.lost.count + kept.difference.added.count > 0 {
                    parts.insert("rows of \(table)")
                }
                for column in kept.difference.changed.keys {
                    parts.insert("\(table).\(quotedText(kept.match.columns[column].before.name))")
                }
            }
            return parts
        }
    }

    /// Returns the objects and settings of a database that differ in the attached one.
    private static func objects(_ connection: any Connection) throws -> Set<String> {
        let later = TableComparison.afterSchema
        var parts: Set<String> = []
        for pragma in ["user_version", "application_id"] {
            let read = { (schema: String) in
                try connection.firstRow("PRAGMA \(schema).\(pragma)") { $0.integer(0) }
            }
            if try read("main") != read(later) { parts.insert(pragma) }
        }
        let list = { (schema: String) in
            try connection.rows("SELECT type, name, tbl_name, sql FROM \(schema).sqlite_schema") { row in
                (0..<4).map(row.value)
            }
        }
        for row in Set(try list("main")).symmetricDifference(try list(later)) {
            parts.insert("\(Self.text(row[0])) \(quotedText(Self.text(row[1])))")
        }
        return parts
    }

    private static func text(_ value: SQLValue) -> String {
        if case .text(let bytes) = value { String(decoding: bytes, as: UTF8.self) } else { "" }
    }

    // MARK: - Messages

    private struct Failure {
        /// Nil if the failure is not SQLite's.
        var code: Int32?
        var message: String
        var redacted: String

        init(_ failure: (migration: Migration, error: any Error)) {
            let error: EngineError?
            var quotes = false
            switch failure.error {
            case let failure as StatementFailure: (error, quotes) = (failure.error, failure.mayQuoteValues)
            case let failure as RunnerFailure: error = failure.error as? EngineError
            default: error = failure.error as? EngineError
            }
            code = error?.extendedCode
            message = error?.message ?? String(describing: failure.error)
            redacted = quotes ? error?.messageWithoutValues ?? message : message
        }
    }

    private func finding(_ difference: Difference, help: String) -> Finding {
        let name = difference.migration.identifier
        func sentence(_ message: KeyPath<Failure, String>) -> String {
            let (one, two) = (context.engine.name, other.name)
            switch difference.failures {
            case (let first?, let second?)?:
                return
                    "\(name) fails on \(one): \(first[keyPath: message]); on \(two): \(second[keyPath: message])"
            case (let first?, nil)?:
                return "\(name) passes on \(two) and fails on \(one): \(first[keyPath: message])"
            case (nil, let second?)?:
                return "\(name) passes on \(one) and fails on \(two): \(second[keyPath: message])"
            default:
                return "\(name) leaves \(Self.list(difference.parts)) otherwise on \(two) than on \(one)"
            }
        }
        var finding = Finding(
            .engineDivergence, sentence(\.message), help: help, migration: name,
            place: .init(file: difference.migration.path))
        finding.redactedMessage = sentence(\.redacted)
        return finding
    }

    /// Returns the setting that causes the difference, where one does.
    private func explanation(
        _ batch: [Migration], _ before: Image, _ first: BatchRun.Outcome, _ difference: Difference
    ) async throws -> String {
        var settings = context.settings(watchdog)
        if settings.doubleQuotedStrings == nil {
            settings.doubleQuotedStrings = false
            let strict = try await run(batch, on: other, before, settings)
            if try await self.difference(first, strict) == nil {
                return
                    "\(other.name) reads \"text\" that names nothing as a string, as its library was built, and "
                    + "\(context.engine.name) does not. Write strings as 'text'."
            }
        }
        let message = [difference.failures?.first, difference.failures?.second].compactMap { $0?.message }
            .first
        let kinds: [(String, SQLiteMessage)] = [
            ("function", .noSuchFunction), ("collation sequence", .noSuchCollation),
        ]
        for (kind, missing) in kinds {
            guard let name = message.flatMap({ missing.rest(of: $0) }) else { continue }
            return
                "Only one of the engines adds the \(kind) \(name). Do without it, or register it wherever the "
                + "database is migrated."
        }
        return ""
    }

    private static func list(_ parts: Set<String>) -> String {
        let sorted = parts.sorted()
        let rest = sorted.count - 5
        return sorted.prefix(5).joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
    }
}
