import Drydock
import Foundation
import Testing

@testable import DrydockTestSupport

@Suite struct PageSizeCheckTests {
    @Test(arguments: [(512, true), (65536, false)])
    func `pages smaller than blocks are a note`(size: Int, isFound: Bool) async throws {
        let it = try HealthCase("PRAGMA page_size = \(size); CREATE TABLE t(x)")
        #expect(try await it.findings("page-size").map(\.severity) == (isFound ? [.note] : []))
    }
}
