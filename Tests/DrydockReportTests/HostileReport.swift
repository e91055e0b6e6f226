import DatabaseEngine
import Drydock

@testable import DrydockFindings
@testable import DrydockReport
@testable import SQLiteSchema

/// Reports of every command in which one text is wherever text comes from outside: names, paths, messages, SQL, values.
enum HostileReport {
    /// What a renderer, a browser, a terminal or a runner could take for something else.
    static let texts: [String] = [
        "a\u{0}b\u{1}\u{8}\u{b}\u{c}\u{e}\u{1f}\u{7f}\u{85}", "\u{1b}[31mred\u{1b}[0m\u{9b}2J\u{7}",
        "<script>alert(1)</script><img src=x onerror=alert(1)>", "\"'><svg/onload=alert(1)>&amp;&lt;&#x41;",
        "]]><!--x--><![CDATA[", "--></details></summary></code></pre></table>",
        "::error file=a::x", "x\n::error file=a,line=1::INJECTED", "x\r::stop-commands::t",
        "##[error]x ##vso[task]x",
        "%0A::error::x%25%3A,:;", "| a | b |\n|---|---|\n| c |", "\\| \\\\| `|` \\", "```\nINJECTED\n```",
        "` `` ``` ````", "**b** _i_ ~~s~~ # h\n- l\n1. n\n> q\n---",
        "[click](https://evil.example)![i](http://x/y)",
        "https://evil.example www.evil.example a@evil.example @everyone #123 GH-1 owner/repo#7",
        "\u{202e}evil\u{2066}\u{2069}\u{200f}\u{61c}\u{feff}\u{200b}\u{2028}\u{2029}",
        "\u{fffd}\u{fffe}\u{ffff}\u{10ffff}",
        "# SKIP x", "not ok 1 - x\nBail out! x\n1..9\n  ...\nok 99", "--- |\n  key: [a, {b: c}] # d",
        "{0} {{x}} [a](0)",
        "e\u{301}\u{1f468}\u{200d}\u{1f469}", "  ", "", "../../etc/passwd", "C:\\x\\y", "a%2Fb c?d#e",
        String(repeating: "long ", count: 300),
    ]

    static func reports(_ text: String) -> [Report] {
        var evidence = Evidence(rowCount: 9, details: [text])
        let sample = Evidence.Sample(.text(Array(text.utf8)), encoding: .utf8)
        evidence.rows = [
            .init(key: [.init(column: text, value: sample)], before: sample, after: sample),
            .init(key: [], values: [.init(column: text, value: sample)]),
        ]
        var place = Finding.Place(file: text)
        (place.line, place.column, place.lineText, place.statement) = (3, 2, text, text)
        var findings = ([place, Finding.Place(file: text), nil] as [Finding.Place?]).flatMap { place in
            Finding.Severity.allCases.map { severity in
                var finding = Finding(
                    .valuesChanged, severity, text, help: "\(text)\n  \(text)", migration: text, place: place,
                    table: text, column: text, evidence: evidence)
                (finding.snapshot, finding.object) = (text, text)
                finding.counterexample = Counterexample(
                    schema: [text], inserts: [text], migration: [text], tables: [text], tried: 1,
                    isSmallest: true)
                let source = SQLSource(name: text, text)
                finding.edits = [SQLEdit(range: 0..<0, text: text)].compactMap { .init($0, in: source) }
                return finding
            }
        }
        findings.append(Finding(.rowsLost, text))
        let gap = NotChecked(.schemaMismatch, snapshot: text, .recorded(text))
        var gapOfTable = gap
        (gapOfTable.table, gapOfTable.snapshot, gapOfTable.database) = (text, nil, text)
        return bodies(text).map { body in
            var report = Report(body)
            report.findings = findings
            if case .health = body {
                for index in report.findings.indices { report.findings[index].database = text }
            }
            report.notChecked = [gap, gapOfTable]
            (report.migrationFormat, report.foundMigrations) = (text, text)
            return report
        }
    }

    private static func bodies(_ text: String) -> [Report.Body] {
        var replay = ReplaySummary(snapshot: text)
        (replay.from, replay.to, replay.pendingCount) = (text, text, 2)
        replay.steps = [
            .init(migration: text, seconds: 1, pagesWritten: 1, bytesWritten: 1, statementSeconds: [1])
        ]
        var lock = LockSummary(path: text)
        (lock.added, lock.replaced, lock.unchanged) = ([text], [text], [text])
        (lock.removed, lock.unlocked) = ([text], [text])
        var migrate = MigrateSummary(database: text, outcome: .damaged)
        migrate.needs = [.init(folder: text, bytes: 1, purpose: text, free: 1)]
        (migrate.replays, migrate.backup, migrate.notes) = ([replay], text, [text])
        var pending = MigrateSummary(database: text, outcome: .pending)
        pending.pending = [text, text]
        var lint = LintSummary(migrations: 1, statements: 1)
        lint.fixed = [LintFix(Finding(.missingStrict, text, migration: text), place: .init(file: text))]
        var health = DatabaseHealth(path: text)
        (health.measures, health.checked) = (
            [HealthMeasure("size_bytes", .bytes, 1, "Size.")], [.integrityFailure]
        )
        var trouble = DatabaseHealth(path: text + "2")
        trouble.trouble = text
        var summary = HealthSummary(databases: [health, trouble])
        summary.accepted = (text, 1)
        var vacuum = VacuumSummary(
            database: text,
            forecast: VacuumForecast(
                bytes: 1, bytesAfter: 1, freelistBytes: 0,
                needs: [.init(folder: text, bytes: 1, purpose: text, free: nil)], journalMode: "wal"))
        vacuum.notes = [text]
        var bodies: [Report.Body] = [
            .verify(VerifySummary(replays: [replay])), .lint(lint), .lock(lock), .migrate(migrate),
            .migrate(pending), .health(summary), .vacuum(vacuum),
        ]
        if let diff = try? diff(text) {
            bodies.append(.diff(diff))
            bodies[0] = .verify(VerifySummary(replays: [replay], history: history(text, diff)))
        }
        return bodies
    }

    private static func history(_ text: String, _ diff: DiffSummary) -> SchemaHistory {
        var history = SchemaHistory()
        let migration = SchemaHistory.Migration(name: text, file: text, isReleased: false)
        history.versions = [
            .init(migrations: [migration, migration], changes: [], excerpt: SchemaExcerpt()),
            .init(
                migrations: [migration], changes: diff.changes, excerpt: SchemaExcerpt(schema: diff.newSchema)
            ),
        ]
        (history.schema, history.unknown, history.failure) = (diff.newSchema, [migration], text)
        return history
    }

    private static func diff(_ text: String) throws -> DiffSummary {
        let name = text.filter { $0 != "\u{0}" }
        let quoted = SQLName.quoted(name.isEmpty ? "t" : name)
        func schema(_ sql: String) throws -> Schema {
            try SchemaParser().schema(of: SQLSource(name: "", sql))
        }
        let (old, new) = (
            try schema("CREATE TABLE \(quoted)(a, \(quoted) TEXT)"),
            try schema("CREATE TABLE \(quoted)(a, b DEFAULT 'x'); CREATE TABLE added(\(quoted))")
        )
        var diff = DiffSummary(
            old: text, new: text, changes: SchemaDiff(from: old, to: new).changes(), oldSchema: old,
            newSchema: new)
        let rename = RenameCandidate(
            table: text, newTable: text, from: text, to: text, score: 1, evidence: text, isBorneOut: true)
        diff.renames = RenameDecision(taken: [rename], open: [rename])
        diff.unparsed = [text]
        let plan = MigrationPlanner(from: old, to: new).plan()
        (diff.plan, diff.downPlan) = (plan, plan)
        return diff
    }
}
