import Drydock
import Foundation
import GRDBEngine
import Testing

@testable import DrydockReport

#if canImport(FoundationXML)
import FoundationXML
#endif

/// Checks the pages of every command: golden files, well-formed markup, and what a page must never say.
@Suite struct HTMLRendererTests {
    @Test(arguments: [("verify.html", false), ("verify-redacted.html", true)])
    func `a failed run`(file: String, redacts: Bool) throws {
        let text = HTMLRenderer().render(SampleReport.failed, RenderOptions(redacts: redacts))
        try expectWellFormed(text)
        try Golden.hold(withoutStyle(text), against: file)
    }

    @Test func `a lint`() throws {
        let text = HTMLRenderer().render(SampleReport.linted, RenderOptions())
        try expectWellFormed(text)
        try Golden.hold(withoutStyle(text), against: "lint.html")
    }

    @Test func `what was not checked is no tick`() throws {
        var report = SampleReport.passed
        #expect(heading(of: report).contains("✓"))
        report.notChecked = [
            NotChecked(.rowsLost, snapshot: "Snapshots/v1.sqlite", .recorded("no such module: x"))
        ]
        #expect(!heading(of: report).contains("✓"))
        let text = HTMLRenderer().render(report, RenderOptions())
        #expect(text.contains("? 1 not checked") && text.contains("no such module: x"))
        // In the list of snapshots too.
        let name = report.replays[0].name
        #expect(text.contains("? \(name)<") && !text.contains("✓ \(name)<"), "\(text)")
        let matrix = ReplayMatrix(report, [])
        #expect(matrix.columns.map(\.end.state) == [.notChecked, .passed])
    }

    @Test func `a replay that stopped is no tick`() {
        var report = SampleReport.passed
        var replays = report.replays
        (replays[1].from, replays[1].pendingCount) = ("v2", 1)
        report.body = .verify(VerifySummary(replays: replays))
        let matrix = ReplayMatrix(report, [])
        #expect(matrix.migrations == ["v2", "v3"])
        #expect(matrix.columns[1].cells.map(\.state) == [.applied, .notRun])
        #expect(matrix.columns[1].end.state == .notRun)
    }

    @Test func `a migration that failed has its row, after the step before it`() {
        var report = SampleReport.passed
        var replays = report.replays
        replays[0].steps.removeLast()
        replays[0].pendingCount = 2
        report.body = .verify(VerifySummary(replays: replays))
        var failure = Finding(.migrationFailed, "v3 fails", migration: "v3")
        failure.snapshot = replays[0].snapshot
        report.findings = [failure]
        let matrix = ReplayMatrix(report, report.findingGroups)
        #expect(matrix.migrations == ["v2", "v3"])
        #expect(matrix.columns[0].cells.map(\.state) == [.passed, .failed])
        #expect(matrix.columns[0].end.state == .failed)
    }

    @Test func `snapshots with equal results share a column`() throws {
        var replays: [ReplaySummary] = []
        for number in 0..<200 {
            var replay = SampleReport.passed.replays[0]
            (replay.snapshot, replay.name) = ("s/\(number).sqlite", "\(number).sqlite")
            replays.append(replay)
        }
        var report = SampleReport.passed
        report.body = .verify(VerifySummary(replays: replays))
        #expect(ReplayMatrix(report, []).columns.map(\.replays.count) == [200])
        let text = HTMLRenderer().render(report, RenderOptions())
        try expectWellFormed(text)
        #expect(text.contains("0.sqlite and 199 more"))
    }

    /// No two snapshots alike: the page stays small enough to open at once. `DRYDOCK_PAGE=PATH` keeps it, to be looked at.
    @Test func `a thousand snapshots and fifty migrations`() throws {
        var findings: [Finding] = []
        let replays = (0..<1000).map { number -> ReplaySummary in
            var replay = ReplaySummary(snapshot: "Snapshots/customer-\(number).sqlite")
            let start = number % 40
            (replay.from, replay.to) = (start == 0 ? nil : "\(start)_step", "50_step")
            replay.start = .empty
            replay.steps = ((start + 1)...50).map { step in
                ReplaySummary.Step(
                    migration: "\(step)_step", seconds: Double(step) / 1000, pagesWritten: step,
                    bytesWritten: 4096 * step, statementSeconds: [])
            }
            for bit in 0..<10 where number >> bit & 1 == 1 {
                var finding = Finding(
                    .rowsLost, bit == 9 ? .error : .warning, "rows of t\(bit) are gone",
                    migration: "\(41 + bit)_step", table: "t\(bit)", evidence: Evidence(rowCount: number))
                finding.snapshot = replay.snapshot
                findings.append(finding)
            }
            return replay
        }
        var report = Report(.verify(VerifySummary(replays: replays)))
        report.findings = findings
        #expect(ReplayMatrix(report, report.findingGroups).columns.count == 1000)
        let text = HTMLRenderer().render(report, RenderOptions())
        try expectWellFormed(text)
        #expect(text.utf8.count < 3_000_000, "\(text.utf8.count)")
        if let path = ProcessInfo.processInfo.environment["DRYDOCK_PAGE"] {
            try text.write(toFile: path, atomically: true, encoding: .utf8)
        }
    }

    /// Names, values, SQL and paths that would be markup elsewhere.
    @Test(arguments: [
        "<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "]]><!--", "a&b&#60;",
        "\u{1b}[31mred",
        "\u{202e}gpj.exe", "a\u{0}b", "</style><style>", "\u{FFFE}\u{FFFF}", "--> ::error::x", "'\"`",
        "a\n::error::x",
    ]) func `hostile text is text`(name: String) throws {
        var report = SampleReport.failed
        var place = Finding.Place(file: name)
        (place.line, place.column, place.lineText, place.statement) = (2, 1, name, "SELECT 1;\n" + name)
        let value = Evidence.Sample(.text(Array(name.utf8)), encoding: .utf8)
        var finding = Finding(
            .valuesChanged, name, help: "\(name)\n  \(name)", migration: name, place: place, table: name,
            evidence: Evidence(
                rows: [
                    .init(
                        key: [.init(column: name, value: value)], before: value, after: value,
                        values: [.init(column: name, value: value)])
                ], details: [name]))
        finding.snapshot = name
        report.findings.append(finding)
        report.notChecked.append(NotChecked(.rowsLost, snapshot: name, .recorded(name)))
        (report.migrationFormat, report.foundMigrations) = (name, name)
        let text = HTMLRenderer().render(report, RenderOptions())
        try expectWellFormed(text)
        #expect(!text.contains("<img") && !text.contains("<script>alert") && !text.contains("<!--"))
        #expect(text.components(separatedBy: "<script").count == 2)
        #expect(!text.contains("\n::"))
    }

    @Test func `the page loads nothing`() {
        let text = HTMLRenderer().render(SampleReport.failed, RenderOptions())
        for word in ["http:", "https:", "src=", "url(", "@import"] {
            #expect(!text.contains(word), "\(word)")
        }
    }

    @Test func `a health report of a fleet`() throws {
        var health = HealthSummary(databases: (0..<3).map { DatabaseHealth(path: "data/<\($0)>.sqlite") })
        health.databases[1].trouble = "there is no database"
        var report = Report(.health(health))
        var finding = Finding(.freelist, .warning, "half of the file is free", help: "Vacuum it.")
        finding.database = "data/<2>.sqlite"
        report.findings = [finding]
        var gap = NotChecked(.integrityFailure, .recorded("the time was over"))
        gap.database = "data/<0>.sqlite"
        report.notChecked = [gap]
        let text = HTMLRenderer().render(report, RenderOptions())
        try expectWellFormed(text)
        #expect(!text.contains("✓ healthy"))
        for words in ["? not checked in full", "! 1 finding", "there is no database", "freelist"] {
            #expect(text.contains(words), "\(words)")
        }
        // The worst first.
        let order = ["&lt;1&gt;", "&lt;2&gt;", "&lt;0&gt;"].compactMap {
            text.range(of: "data/\($0).sqlite</td>")?.lowerBound
        }
        #expect(order.count == 3 && order == order.sorted())
        #expect(text.matches(of: /class="num" data-n="time" data-v="[0-9.e-]+"/).count >= 3)
    }

    @Test func `a treemap covers the file, and hostile names are text`() throws {
        var statistics = DatabaseStatistics(path: "<b>.sqlite")
        (statistics.pageSize, statistics.pageCount, statistics.freelistPages) = (4096, 10, 4)
        let text = StatisticsHTML.render(statistics)
        try expectWellFormed(text)
        #expect(text.contains("&lt;b&gt;.sqlite") && text.contains("freelist"))
        let tiles = Treemap.tiles(of: [40, 30, 20, 10], width: 100, height: 50)
        #expect(abs(tiles.reduce(0) { $0 + $1.width * $1.height } - 5000) < 0.001)
        for (tile, part) in zip(tiles, [40.0, 30, 20, 10]) {
            #expect(abs(tile.width * tile.height - 50 * part) < 0.001)
            #expect(tile.x >= -0.001 && tile.x + tile.width <= 100.001 && tile.y + tile.height <= 50.001)
        }
    }

    @Test func `a map of pages has every page, with its owner`() async throws {
        var root = URL(fileURLWithPath: #filePath)
        for _ in 0..<4 { root.deleteLastPathComponent() }
        for name in ["mail-v12", "mail-v5-autovacuum"] {
            let path = root.appending(path: "Snapshots/\(name).sqlite").path
            let file = try await StatisticsReader(engine: GRDBDriver()).statistics(of: path, mapsPages: true)
            let pages = try #require(file.map?.pages)
            #expect(pages.count == file.pageCount)
            for (index, object) in file.objects.enumerated() {
                let own = pages.filter { $0.object == index }
                #expect(own.count == object.tree.pages, "\(object.name)")
                #expect(own.allSatisfy { (0...1).contains($0.order) && (0...1).contains($0.empty) })
            }
            #expect(pages.count { $0.use == .freelistTrunk || $0.use == .freelistLeaf } == file.freelistPages)
            #expect(pages.count { $0.use == .pointerMap } == file.pointerMapPages)
            let text = StatisticsHTML.render(file)
            try expectWellFormed(text)
            #expect(text.contains("The pages of the file"))
        }
    }

    // MARK: - Helpers

    private func heading(of report: Report) -> Substring {
        let text = HTMLRenderer().render(report, RenderOptions())
        guard let start = text.range(of: "<h1"), let end = text.range(of: "</h1>") else { return "" }
        return text[start.lowerBound..<end.lowerBound]
    }

    private func withoutStyle(_ text: String) -> String {
        var text = text
        for name in ["style", "script"] {
            guard let start = text.range(of: "<\(name)>"), let end = text.range(of: "</\(name)>") else {
                continue
            }
            text.removeSubrange(start.upperBound..<end.lowerBound)
        }
        // A line for each block, so that a difference can be read.
        for tag in ["section", "article", "tr", "li", "header", "main", "dt", "div"] {
            text = text.replacing("<\(tag) ", with: "\n<\(tag) ").replacing("<\(tag)>", with: "\n<\(tag)>")
        }
        return text
    }

    private func expectWellFormed(_ text: String) throws {
        let parser = XMLParser(data: Data(text.utf8))
        let isWellFormed = parser.parse()
        #expect(isWellFormed, "line \(parser.lineNumber): \(String(describing: parser.parserError))")
        // Fragments are unique, and those that are linked exist. A large page has no others.
        guard text.utf8.count < 1_000_000 else { return }
        let ids = text.matches(of: /\ id="([^"]*)"/).map { String($0.1) }
        #expect(Set(ids).count == ids.count)
        for link in text.matches(of: /href="#([^"]*)"/) { #expect(ids.contains(String(link.1)), "\(link.1)") }
    }
}
