import Testing

@testable import DrydockMaintenance
@testable import DrydockReport

/// Compares what `drydock vacuum` prints with golden files.
@Suite struct VacuumGoldenTests {
    private func report(_ method: VacuumReport.Method) -> VacuumReport {
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
        var report = VacuumReport(
            path: "app.sqlite", method: method, forecast: forecast, bytesAfter: 8_192_000)
        guard method != .forecast else { return report }
        (report.tablesCompared, report.rowsCompared, report.copies, report.seconds) = (12, 48_000, 2, 1.26)
        report.notes = ["something worth knowing"]
        return report
    }

    @Test func human() throws {
        let text = [VacuumReport.Method.forecast, .installed].map {
            VacuumRenderer.human(report($0), RenderOptions())
        }
        try Golden.hold(text.joined(separator: "\n"), against: "vacuum.txt")
    }

    @Test func json() throws {
        try Golden.hold(VacuumRenderer.json(report(.installed)), against: "vacuum.json")
    }
}
