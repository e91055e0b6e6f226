import Drydock
import Testing

@testable import DrydockTestSupport

/// The examples of https://www.monitoring-plugins.org/doc/guidelines.html#THRESHOLDFORMAT.
@Suite struct AlertRangeTests {
    @Test(
        arguments: [
            ("10", [-1, 11], [0, 10]), ("10:", [9.9], [10, 1e9]), ("~:10", [10.1], [-1e9, 10]),
            ("10:20", [9, 21], [10, 20]), ("@10:20", [10, 15, 20], [9, 21]), (":5", [-1, 6], [0, 5]),
            ("0.5:0.7", [0.4], [0.6]), ("5:5", [4.9, 5.1], [5]),
        ] as [(String, [Double], [Double])])
    func `a value outside is an alert`(text: String, alerts: [Double], passes: [Double]) throws {
        let range = try #require(AlertRange(text))
        #expect(alerts.allSatisfy(range.alerts))
        #expect(!passes.contains(where: range.alerts))
    }

    @Test(arguments: ["", "x", "10:5", "1:2:3", "@@1", "~", "nan", "inf"])
    func `an invalid range is refused`(text: String) { #expect(AlertRange(text) == nil) }
}
