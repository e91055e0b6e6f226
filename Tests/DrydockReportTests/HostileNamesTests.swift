import DatabaseEngine
import Foundation
import GRDBEngine
import Testing

@testable import DrydockDiff
@testable import DrydockFindings
@testable import DrydockLock
@testable import DrydockMaintenance
@testable import DrydockMigrations
@testable import DrydockReplay
@testable import DrydockReport
@testable import SQLiteSchema

/// Whatever names a database, a file or a migration has: no renderer prints an invisible character, and no name begins
/// a line.
@Suite struct HostileNamesTests {
    /// Names that end their line, and begin one that would be read as a command.
    private static let seeds: [String] = [
        "v\n::warning::INJECTED", "v\r\nINJECTED", "v\u{2028}INJECTED\u{2029}", "\u{202e}\u{2066}\u{61c}v",
        "v\u{1b}[2J\u{9b}31m\u{7}",
        "\u{0}\u{7f}\u{85}\u{feff}\u{200f}", "`v`|\"'\\\n```\nINJECTED", "v --\nINJECTED",
        "v*/\nINJECTED\u{200d}",
        "]]>\nINJECTED", "v\"; DROP TABLE t; --\n",
    ]

    private func expectVisible(_ text: String, _ what: String, _ name: String) {
        let hidden = text.unicodeScalars.first { VisibleText.isHidden($0) && $0 != "\n" }
        #expect(hidden == nil, "\(what) of \(name.debugDescription): \(text.debugDescription)")
        for line in text.split(separator: "\n") {
            let start = line.drop { $0 == " " }
            // Commands are what this format is made of, and a fence has the lines of the SQL.
            #expect(
                !start.hasPrefix("::") || what == "github" && start.contains("title="), "\(what): \(line)")
            #expect(!start.hasPrefix("INJECTED") || what == "markdown", "\(what): \(line)")
        }
    }

    @Test(arguments: seeds) func `reports of a replay, a lint, a lock and a live migration`(name: String) {
        var evidence = Evidence(rowCount: 9, details: [name])
        let sample = Evidence.Sample(.text(Array(name.utf8)), encoding: .utf8)
        evidence.rows = [.init(key: [.init(column: name, value: sample)], before: sample, after: sample)]
        var place = Finding.Place(file: name)
        (place.line, place.column, place.lineText, place.statement) = (3, 2, name, name)
        var whole = Finding.Place(file: name)
        whole.statement = name
        var report = Report(.verify(VerifySummary()))
        report.findings = [place, whole].map { place in
            var finding = Finding(
                .valuesChanged, Sentence("values of \(name) changed", redacted: name),
                help: "Look at \(quotedIfNeeded(name)).",
                migration: name,
                place: place, table: name, column: name, evidence: evidence)
            finding.snapshot = name
            return finding
        }
        var replay = ReplaySummary(snapshot: name)
        (replay.from, replay.to) = (name, name)
        replay.steps = [
            .init(migration: name, seconds: 1, pagesWritten: 1, bytesWritten: 1, statementSeconds: [])
        ]
        report.notChecked = [NotChecked(.valuesChanged, snapshot: name, .recorded(name))]
        report.migrationFormat = name
        var lock = LockSummary(path: name)
        (lock.added, lock.replaced, lock.unchanged) = ([name], [name], [name])
        (lock.removed, lock.unlocked) = ([name], [name])
        var migrate = MigrateSummary(database: name, outcome: .damaged)
        migrate.pending = [name]
        migrate.needs = [.init(folder: name, bytes: 1, purpose: name, free: 1)]
        migrate.replays = [replay]
        (migrate.backup, migrate.notes) = (name, [name])
        var lint = LintSummary(migrations: 1, statements: 1)
        lint.fixed = []
        let bodies: [Report.Body] = [
            .verify(VerifySummary(replays: [replay])), .lock(lock), .migrate(migrate), .lint(lint),
        ]
        for body in bodies {
            report.body = body
            for options in [
                RenderOptions(isVerbose: true), RenderOptions(redacts: true), RenderOptions(isQuiet: true),
            ] {
                for renderer in ReportRenderers.all {
                    expectVisible(renderer.render(report, options), renderer.name, name)
                }
                expectVisible(ReplayLines(options: options).line(replay, report.findings), "line", name)
            }
        }
    }

    @Test(arguments: seeds) func `health, statistics and vacuum`(name: String) throws {
        var health = CheckedDatabase(path: name)
        health.findings = [
            Finding(
                .integrityFailure, .error, name, help: "Look at \(quotedIfNeeded(name))", table: name,
                evidence: Evidence(details: [name]))
        ]
        health.findings[0].object = name
        health.measures = [HealthMeasure("size_bytes", .bytes, 1, "Size.")]
        health.notReached = [.init(.foreignKeyViolation, table: name, reason: name)]
        var other = CheckedDatabase(path: name + "2")
        other.trouble = name
        var report = Report([health, other])
        if case .health(var summary) = report.body {
            summary.accepted = (name, 1)
            report.body = .health(summary)
        }
        for renderer in ReportRenderers.ofHealth {
            expectVisible(renderer.render(report, RenderOptions(isVerbose: true)), renderer.name, name)
        }
        var statistics = DatabaseStatistics(path: name)
        statistics.pageSize = 4096
        expectVisible(StatisticsRenderer.render(statistics, RenderOptions()), "stats", name)
        expectVisible(
            StatisticsRenderer.render(statistics, since: DatabaseStatistics(path: name), RenderOptions()),
            "stats", name)
        expectVisible(StatisticsJSON.render(statistics, since: statistics), "stats json", name)
        for method in [VacuumSummary.Method.forecast, .installed] {
            var vacuum = VacuumSummary(
                database: name,
                forecast: VacuumForecast(
                    bytes: 1, bytesAfter: 1, freelistBytes: 0,
                    needs: [.init(folder: name, bytes: 1, purpose: name, free: nil)], journalMode: "x"))
            (vacuum.method, vacuum.notes) = (method, [name])
            for renderer in ReportRenderers.all {
                let text = renderer.render(Report(.vacuum(vacuum)), RenderOptions())
                expectVisible(text, "vacuum \(renderer.name)", name)
            }
        }
        expectVisible(FailedVacuum.json(name, of: name), "vacuum json", name)
    }

    @Test(arguments: seeds) func `schemas, how they differ and the SQL between them`(name: String) throws {
        let name = name.replacing("\u{0}", with: "")
        let q = SQLName.quoted(name)
        let old = "CREATE TABLE \(q)(\(q) INTEGER PRIMARY KEY, b REFERENCES \(q)); CREATE TABLE gone(a)"
        let new = """
            CREATE TABLE \(q)(\(q) TEXT PRIMARY KEY, c DEFAULT 'x' REFERENCES \(q)); CREATE VIEW \(SQLName.quoted(name + "v")) AS
            SELECT \(q) FROM \(q); CREATE INDEX \(SQLName.quoted(name + "i")) ON \(q)(c);
            CREATE TABLE \(SQLName.quoted(name + "t"))(a)
            """
        let (before, after) = (try schema(old), try schema(new))
        var diff = DiffSummary(
            old: name, new: name, changes: SchemaDiff(from: before, to: after).changes(), oldSchema: before,
            newSchema: after)
        let rename = RenameCandidate(
            table: name, newTable: name, from: name, to: name, score: 1, evidence: name, isBorneOut: true)
        diff.renames = RenameDecision(taken: [rename], open: [rename])
        diff.unparsed = [name]
        let plan = MigrationPlanner(from: before, to: after).plan()
        (diff.plan, diff.downPlan) = (plan, plan)
        var report = Report(.diff(diff))
        report.findings = [Finding(.planRefused, name, help: "help")]
        for renderer in ReportRenderers.all {
            let text = renderer.render(report, RenderOptions())
            // The SQL in it keeps the line breaks of names, in quotes.
            if renderer.name == "markdown" {
                #expect(!text.unicodeScalars.contains { VisibleText.isHidden($0) && $0 != "\n" })
            } else {
                expectVisible(text, renderer.name, name)
            }
        }
        expectVisible(diff.names, "names", name)
        for format in [SchemaFormat.json, .mermaid] {
            expectVisible(format.render(after), format.rawValue, name)
        }
        // SQL keeps names as they are, in quotes, and its comments hide nothing.
        let source = SQLSource(name: "", plan.text)
        #expect(!plan.isEmpty)
        for token in source.tokens() {
            let text = token.text(in: source)
            if token.kind == .lineComment {
                #expect(!text.unicodeScalars.contains { VisibleText.isHidden($0) && $0 != "\n" }, "\(text)")
            }
            #expect(!(token.kind == .word && text == "INJECTED"))
        }
        #expect(try schema(SchemaFormat.sql.render(after)).tables.keys.sorted() == after.tables.keys.sorted())
    }

    @Test(arguments: seeds) func `rows`(name: String) async throws {
        let name = name.replacing("\u{0}", with: "")
        let folder = NSTemporaryDirectory() + "drydock-hostile-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let q = SQLName.quoted(name)
        let paths = try await ["old", "new"].asyncMap { side in
            // A file name has no slash.
            let path = "\(folder)/\(side)\(name.replacing("/", with: ""))"
            let database = try await GRDBDriver().open(.live(path: path), settings: ConnectionSettings())
            try await database.withConnection { connection in
                try connection.execute(
                    """
                    CREATE TABLE \(q)(\(q) INTEGER PRIMARY KEY, v TEXT);
                    INSERT INTO \(q) VALUES(1, CAST(x'\(Array((side + name).utf8).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined())' AS TEXT));
                    """)
            }
            try await database.close()
            return path
        }
        let reader = StatisticsReader(engine: GRDBDriver())
        let statistics = try await (reader.statistics(of: paths[0]), reader.statistics(of: paths[1]))
        expectVisible(StatisticsRenderer.render(statistics.0, RenderOptions()), "stats", name)
        expectVisible(
            StatisticsRenderer.render(statistics.0, since: statistics.1, RenderOptions()), "growth", name)
        expectVisible(StatisticsJSON.render(statistics.0, since: statistics.1), "stats json", name)
        for format in ["sql", "human", "json"] {
            if format == "human" {
                for path in paths {
                    let database = try await GRDBDriver().open(
                        .live(path: path), settings: ConnectionSettings())
                    try await database.withConnection {
                        try $0.execute("CREATE TABLE \(SQLName.quoted(path.suffix(4) + name))(a)")
                        try $0.execute("CREATE TABLE IF NOT EXISTS \(SQLName.quoted(name + "t"))(a, b)")
                    }
                    try await database.close()
                }
            }
            let collected = Collected()
            let sink: OutputBuffer.Sink = { collected.bytes += $0 }
            let consumer: any DataDiffConsumer =
                switch format {
                case "json": DataJSONRenderer(RenderOptions(), isSummary: false, sink)
                case "sql": DataScriptRenderer(sink)
                default: DataDiffRenderer(RenderOptions(), isSummary: false, sink)
                }
            var request = DataDiffRequest(from: try SchemaSource(paths[0]), to: try SchemaSource(paths[1]))
            request.wantsScript = format == "sql"
            _ = try await DataDiffer(engine: GRDBDriver()).run(request, to: consumer)
            let text = String(decoding: collected.bytes, as: UTF8.self)
            #expect(!text.isEmpty)
            if format == "sql" {
                let source = SQLSource(name: "", text)
                for token in source.tokens() where token.kind == .lineComment {
                    let comment = token.text(in: source)
                    #expect(!comment.unicodeScalars.contains { VisibleText.isHidden($0) && $0 != "\n" })
                }
                #expect(!source.tokens().contains { $0.kind == .word && $0.text(in: source) == "INJECTED" })
            } else {
                expectVisible(text, format, name)
            }
        }
    }

    @Test(arguments: seeds) func `a lock, and a declaration of what cannot be typed`(name: String) throws {
        expectVisible(LockWord.text(name), "lock", name)
        let declared = name.replacing("\u{0}", with: "")
        let source = SQLSource(name: "", "-- drydock: drops table \(quotedIfNeeded(declared))\n")
        var findings: [Finding] = []
        let declarations = DeclarationParser.declarations(in: source, findings: &findings, migration: "m")
        #expect(findings.isEmpty, "\(findings)")
        #expect(declarations.map(\.kind) == [.dropsTable(declared)])
    }

    private func schema(_ sql: String) throws -> Schema {
        try SchemaParser().schema(of: SQLSource(name: "", sql))
    }

    private final class Collected { var bytes: [UInt8] = [] }
}

extension Sequence {
    fileprivate func asyncMap<Result>(_ transform: (Element) async throws -> Result) async rethrows
        -> [Result]
    {
        var results: [Result] = []
        for element in self { results.append(try await transform(element)) }
        return results
    }
}
