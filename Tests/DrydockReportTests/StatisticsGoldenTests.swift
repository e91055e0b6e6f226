import Drydock
import Foundation
import GRDBEngine
import Testing

@testable import DrydockReport

/// Compares what `drydock stats` prints of a sample snapshot with golden files.
@Suite struct StatisticsGoldenTests {
    private func statistics(of name: String) async throws -> DatabaseStatistics {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let path = root.appending(path: "Snapshots").appending(path: name).path
        var statistics = try await StatisticsReader(engine: GRDBDriver()).statistics(of: path)
        statistics.path = name
        return statistics
    }

    @Test func human() async throws {
        let text = StatisticsRenderer.render(try await statistics(of: "mail-v12.sqlite"), RenderOptions())
        try Golden.hold(text, against: "stats.txt")
    }

    @Test func growth() async throws {
        let (old, new) = (
            try await statistics(of: "mail-v8-wal.sqlite"), try await statistics(of: "mail-v12.sqlite")
        )
        try Golden.hold(
            StatisticsRenderer.render(new, since: old, RenderOptions(usesColor: true)),
            against: "stats-compared.txt")
    }

    @Test func json() async throws {
        let text = StatisticsJSON.render(try await statistics(of: "mail-v5-autovacuum.sqlite"))
        try Golden.hold(text, against: "stats.json")
    }
}
