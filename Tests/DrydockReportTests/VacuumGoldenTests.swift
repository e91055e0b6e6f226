import Testing

@testable import DrydockFindings
@testable import DrydockReport

/// Compares what `drydock vacuum` prints with golden files.
@Suite struct VacuumGoldenTests {
    private func report(_ method: VacuumSummary.Method) -> Report {
        let forecast = VacuumForecast(
            bytes: 12_288_000, bytesAfter: 8_192_000, freelistBytes: 4_000_000,
            needs: [
                .init(
                    folder: "/data", bytes: 8_192_000, purpose: "the copy, until it is in its place",
                    free: 1 << 32),
                .init(
                    folder: "/data", bytes: 12_288_000, purpose: "the rollback journal, with the old pages",
                    free: nil),
            ], journalMode: "rollback journal")
        var vacuum = VacuumSummary(database: "app.sqlite", forecast: forecast)
        vacuum.method = method
        guard method != .forecast else { return Report(.vacuum(vacuum)) }
        (vacuum.tablesCompared, vacuum.rowsCompared, vacuum.copies) = (12, 48_000, 2)
        vacuum.notes = ["something worth knowing"]
        var report = Report(.vacuum(vacuum))
        report.seconds = 1.26
        return report
    }

    @Test func human() throws {
        let text = [VacuumSummary.Method.forecast, .installed].map {
            HumanRenderer().render(report($0), RenderOptions())
        }
        try Golden.hold(text.joined(separator: "\n"), against: "vacuum.txt")
    }

    /// Several: one is done, one could not be; and so many that not each has lines of its own.
    private func reports() -> [Report] {
        [3, 60].map { count in
            let databases = (1...count).map { number -> VacuumFleetSummary.Database in
                var it = VacuumFleetSummary.Database(path: "data/\(number).sqlite")
                it.seconds = 0.25
                if number % 3 == 2 {
                    it.trouble = RequestError(.notFound, "there is no database '\(it.path)'")
                } else {
                    it.vacuum = report(.installed).vacuum
                    it.vacuum?.database = it.path
                    it.vacuum?.bytesAfter -= number * 100_000
                }
                return it
            }
            var several = Report(VacuumFleetSummary(databases: databases))
            several.seconds = 2.5
            return several
        }
    }

    @Test func several() throws {
        let texts = reports().map { HumanRenderer().render($0, RenderOptions()) }
        try Golden.hold(texts.joined(separator: "----\n"), against: "vacuums.txt")
        try Golden.hold(JSONRenderer().render(reports()[0], RenderOptions()), against: "vacuums.json")
        #expect(
            HumanRenderer().render(reports()[1], RenderOptions(isQuiet: true)).split(separator: "\n").count
                == 12)
        let well = Report(VacuumFleetSummary(databases: []))
        #expect(HumanRenderer().render(well, RenderOptions(isQuiet: true)).isEmpty)
    }

    @Test func json() throws {
        try Golden.hold(JSONRenderer().render(report(.installed), RenderOptions()), against: "vacuum.json")
    }
}
