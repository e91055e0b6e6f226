import Testing

@testable import DrydockProbes
@testable import DrydockTestSupport

/// Dates are those of SQLite.
@Suite struct DateTimeTests {
    @Test func `dates and seconds agree with SQLite`() throws {
        let database = try PlainDatabase()
        for day in [0, 30, 59, 60, 365, 366, 1154, 1155, 19_999] {
            let moment = DateTime(day: day)
            let date = try database.firstRow("SELECT date('2024-01-01', '+\(day) days')") { $0.string(0) }
            #expect(moment.date == date)
            let seconds = try database.firstRow("SELECT date(\(moment.seconds), 'unixepoch')") {
                $0.string(0)
            }
            #expect(seconds == date)
            #expect(try database.firstRow("SELECT time('\(moment.time)')") { $0.string(0) } == moment.time)
        }
    }
}
