import OverlayVFS
import Testing

@Suite struct ClockTests {
    @Test func theClockCanBeStopped() throws {
        let overlay = try Overlay(emptyNamed: "clock.sqlite")
        overlay.stopClock(at: 1_000_000_000_123)
        let database = try Database(overlay)
        for _ in 0..<2 {
            #expect(
                try database.rows("SELECT strftime('%Y-%m-%d %H:%M:%f', 'now'), CURRENT_TIMESTAMP")
                    == [["2001-09-09 01:46:40.123", "2001-09-09 01:46:40"]])
        }
    }
}
