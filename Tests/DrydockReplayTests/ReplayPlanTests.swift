import DrydockFindings
import DrydockMigrations
import TestTools
import Testing

@testable import DrydockReplay
@testable import DrydockTestSupport

/// What is pending on a database, by its history alone.
@Suite struct ReplayPlanTests {
    private static let snapshot = Snapshot(path: "old.sqlite")

    private static func set(
        _ names: String, late: ToolPolicy.LateMigrations = .run,
        edited: ToolPolicy.EditedMigrations = .refuse, _ change: (inout Migration) -> Void = { _ in }
    ) -> MigrationSet {
        let migrations = names.split(separator: " ").map { name in
            var migration = Migration(identifier: String(name), path: "m/\(name).sql")
            change(&migration)
            return migration
        }
        let policy = ToolPolicy(foreignKeys: true, late: late, edited: edited)
        return MigrationSet(folder: "m", format: DrydockFormat(), policy: policy, migrations: migrations)
    }

    private static func findings(_ plan: ReplayPlan) -> [String] {
        plan.findings(for: snapshot).map { "\($0.severity) \($0.rule.rawValue) \($0.migration ?? "-")" }
    }

    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var applied: String
        var late = ToolPolicy.LateMigrations.run
        var target = 4
        /// What is pending of `a b c d`, and what the database is at.
        var pending: String
        var from: String?
        var finalCount = 4
        var isRefused = false
        var findings: [String] = []
    }

    @Test(arguments: [
        Case(testDescription: "a new database", applied: "", pending: "a b c d"),
        Case(testDescription: "up to date", applied: "a b c d", pending: "", from: "d"),
        Case(testDescription: "behind", applied: "a b", pending: "c d", from: "b"),
        Case(
            testDescription: "to a version", applied: "a", target: 3, pending: "b c", from: "a", finalCount: 3
        ),
        Case(
            testDescription: "beyond that version", applied: "a b c", target: 2, pending: "", from: "c",
            finalCount: 3),
        Case(testDescription: "to nothing", applied: "", target: 0, pending: "", finalCount: 0),
        Case(testDescription: "a history in another order", applied: "b a", pending: "c d", from: "b"),
        Case(testDescription: "a history with a name twice", applied: "a a b", pending: "c d", from: "b"),
        Case(
            testDescription: "unknown", applied: "a z", pending: "b c d", from: "a",
            findings: ["error unknown-migration -"]),
        Case(
            testDescription: "names differ in case", applied: "A", pending: "a b c d",
            findings: ["error unknown-migration -"]),
        Case(
            testDescription: "a late one runs", applied: "a c", pending: "b d", from: "c",
            findings: ["warning migration-out-of-order b"]),
        Case(
            testDescription: "a late one is skipped", applied: "b c", late: .skip, pending: "d", from: "c",
            findings: ["error migration-out-of-order a"]),
        Case(
            testDescription: "a late one stops the tool", applied: "a c", late: .refuse, pending: "b d",
            from: "c",
            isRefused: true, findings: ["error migration-out-of-order b"]),
        Case(
            testDescription: "a late one beyond the target is not run", applied: "a d", late: .refuse,
            target: 1,
            pending: "", from: "d"),
        Case(testDescription: "none is late", applied: "a b", late: .refuse, pending: "c d", from: "b"),
    ])
    func histories(_ it: Case) {
        let history = AppliedHistory(it.applied.split(separator: " ").map(String.init))
        let set = Self.set("a b c d", late: it.late)
        let plan = ReplayPlan(history: history, set: set, targetCount: it.target)
        #expect(plan.pending.map { set.migrations[$0].identifier }.joined(separator: " ") == it.pending)
        #expect(plan.from == it.from)
        #expect(plan.finalCount == it.finalCount)
        #expect(plan.isRefused == it.isRefused)
        #expect(Self.findings(plan) == it.findings)
    }

    @Test func `a repeatable migration that changed is pending again, and never late`() {
        var history = AppliedHistory(["b", "r", "s"])
        history.repeats = ["r"]
        history.checksums = ["r": "old", "s": "same"]
        let set = Self.set("b c r s") { $0.checksum = $0.identifier == "r" ? "new" : "same" }
        let plan = ReplayPlan(history: history, set: set, targetCount: 4)
        #expect(plan.pending == [1, 2])
        // `s` ran and would not run again, so what is before it is late.
        #expect(plan.from == "s")
        #expect(Self.findings(plan) == ["warning migration-out-of-order c"])
        history.repeats = ["r", "s"]
        let both = ReplayPlan(history: history, set: set, targetCount: 4)
        #expect(both.from == "b" && both.pending == [1, 2, 3])
        #expect(Self.findings(both) == [])
    }

    @Test(arguments: ["refuse", "accept"])
    func `an edited migration is an error where its tool compares, wherever it is`(edited: String) {
        var history = AppliedHistory(["a", "b", "c", "z"])
        history.checksums = ["a": "1", "b": "crlf", "c": "3", "z": "9", "d": "0"]
        let set = Self.set("a b c d", edited: edited == "refuse" ? .refuse : .accept) {
            $0.checksum = "1"
            $0.checksumsOfLineEndings = ["crlf"]
        }
        let plan = ReplayPlan(history: history, set: set, targetCount: 1)
        let severity = edited == "refuse" ? "error" : "warning"
        #expect(
            Self.findings(plan) == [
                "error unknown-migration -", "\(severity) migration-edited b",
                "\(severity) migration-edited c",
            ])
        let texts = plan.findings(for: Self.snapshot).map(\.message)
        #expect(texts[1].contains("only in its line endings") && !texts[2].contains("line endings"))
    }

    @Test func `without a checksum on either side nothing is edited`() {
        var history = AppliedHistory(["a", "b"])
        history.checksums = ["b": "2"]
        let set = Self.set("a b") { $0.checksum = $0.identifier == "a" ? "1" : nil }
        #expect(Self.findings(ReplayPlan(history: history, set: set, targetCount: 2)) == [])
    }

    @Test func `what the history refuses comes first, and nothing runs`() {
        var history = AppliedHistory(["a", "z"])
        history.refusal = "b failed half-way"
        history.code = ["y.js"]
        let plan = ReplayPlan(history: history, set: Self.set("a b"), targetCount: 2)
        #expect(plan.isRefused)
        #expect(
            Self.findings(plan) == [
                "error migration-failed -", "error unknown-migration -", "note migration-in-code -",
            ])
        let first = plan.findings(for: Self.snapshot).first
        #expect(first?.message == "old.sqlite: b failed half-way")
        #expect(first?.tags == [.preExisting])
    }

    @Test func `long lists of names are cut`() throws {
        let history = AppliedHistory((1...7).map { "z\($0)" })
        let plan = ReplayPlan(history: history, set: Self.set("a"), targetCount: 1)
        let message = try #require(plan.findings(for: Self.snapshot).first?.message)
        #expect(message.contains("7 migrations that are not in"))
        #expect(message.hasSuffix("z1, z2, z3, z4, z5, …"))
    }

    @Test func `random histories are read as a tool walks its folder`() {
        for seed in seeds(500, of: 100_000) { check(seed) }
    }

    /// Compares a plan with a walk over the migrations, one by one.
    private func check(_ seed: Int) {
        var random = SeededGenerator(seed: seed)
        let names = (0..<random.below(7)).map { "m\($0)" }
        let policy = random.pick([ToolPolicy.LateMigrations.run, .skip, .refuse])
        let isRanked = random.chance(30)
        var generator = random
        let set = Self.set(names.joined(separator: " "), late: policy) {
            if generator.chance(20) {
                $0.order = .whenever
            } else if isRanked, generator.chance(80) {
                $0.order = .ranked(Int64(generator.below(9)))
            }
        }
        random = generator
        let applied = names.shuffled(using: &random).filter { _ in random.chance(50) }
        var history = AppliedHistory(applied + (random.chance(20) ? ["z"] : []))
        history.repeats = Set(applied.filter { _ in random.chance(15) })
        let target = random.below(names.count + 1)
        let plan = ReplayPlan(history: history, set: set, targetCount: target)

        var (pending, findings, isRefused): ([Int], [String], Bool) = ([], [], false)
        if history.identifiers.contains("z") { findings.append("error unknown-migration -") }
        let ranks = set.migrations.filter { applied.contains($0.identifier) }.compactMap(\.rank)
        for (index, migration) in set.migrations.enumerated().prefix(target) {
            let name = migration.identifier
            if applied.contains(name) {
                if history.repeats.contains(name) { pending.append(index) }
                continue
            }
            let later = set.migrations[(index + 1)...].map(\.identifier)
            let isLate =
                later.contains { applied.contains($0) && !history.repeats.contains($0) }
                || migration.rank.map { rank in ranks.contains { rank <= $0 } } ?? false
            let action = migration.runsLate ? .run : policy
            if isLate {
                findings.append("\(action == .run ? "warning" : "error") migration-out-of-order \(name)")
            }
            if isLate, action == .refuse { isRefused = true }
            if !isLate || action != .skip { pending.append(index) }
        }
        let comment: Comment = "seed \(seed)"
        #expect(plan.pending == pending, comment)
        #expect(Self.findings(plan) == findings, comment)
        #expect(plan.isRefused == isRefused, comment)
        #expect(plan.finalCount >= target && plan.finalCount <= names.count, comment)
        #expect(plan.from.map { applied.contains($0) && !history.repeats.contains($0) } ?? true, comment)
    }
}
