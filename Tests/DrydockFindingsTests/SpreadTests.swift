import DrydockFindings
import Testing

@testable import DrydockTestSupport

@Suite struct SpreadTests {
    @Test func `a percentile is the least value that enough are no larger than`() throws {
        #expect(Spread([]) == nil)
        for count in [1, 2, 3, 10, 99, 100, 101, 1000] {
            let values = (1...count).map(Double.init).shuffled()
            let spread = try #require(Spread(values))
            #expect(spread.least == 1 && spread.most == Double(count))
            #expect(spread.sum == values.reduce(0, +))
            for (percent, value) in [
                (50, spread.median), (90, spread.percentile90), (99, spread.percentile99),
            ] {
                #expect(values.count { $0 <= value } * 100 >= percent * count)
                #expect(values.count { $0 < value } * 100 < percent * count)
            }
        }
    }
}
