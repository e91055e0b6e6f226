import Drydock
import Testing

@testable import DrydockReport

/// What the lines of snapshots and the summary say where few rows were compared.
@Suite struct ComparedRowsTests {
    private func replay(_ change: (inout ReplaySummary) -> Void = { _ in }) -> ReplaySummary {
        var replay = ReplaySummary(snapshot: "a.sqlite")
        replay.steps = [
            .init(migration: "v2", seconds: 0, pagesWritten: 1, bytesWritten: 1, statementSeconds: [])
        ]
        (replay.from, replay.to) = ("v1", "v2")
        change(&replay)
        return replay
    }

    private func line(_ replay: ReplaySummary) -> String {
        ReplayLines(options: RenderOptions()).line(replay, [])
    }

    @Test func noRowComparedIsExplained() {
        #expect(
            line(replay { $0.rowsCompared = 2 }).contains("✓ a.sqlite  v1 → v2  1 step, 2 rows compared, "))
        #expect(line(replay { $0.hasNoRows = true }).contains("1 step, no rows to compare, "))
        #expect(line(replay { $0.tablesUntouched = 1 }).contains("1 step, 1 table untouched, "))
        #expect(line(replay()).contains("1 step, nothing compared, "))
        #expect(line(replay { $0.steps = [] }).contains("0 steps, nothing to compare, "))
        let failed = line(
            replay {
                $0.steps = []
                $0.pendingCount = 1
            })
        #expect(failed.contains("0 steps of 1, nothing compared, "), "\(failed)")
    }

    /// A table that was not compared is named beside those that were, and gets no tick.
    @Test func aTableThatWasNotComparedGetsNoTick() {
        let text = line(
            replay {
                $0.rowsCompared = 5
                $0.tablesNotCompared = 1
            })
        #expect(
            text.hasPrefix("– a.sqlite") && text.contains("5 rows compared, 1 table not compared"), "\(text)")
    }

    @Test func theSummaryCountsAllSnapshots() {
        let empty = replay { $0.hasNoRows = true }
        let one = replay { $0.rowsCompared = 1 }
        #expect(ReplayFacts([empty, empty]).compared == ["no rows to compare"])
        #expect(ReplayFacts([empty, one]).compared == ["1 row compared"])
        #expect(ReplayFacts([]).compared == ["nothing compared"])
        #expect(
            ReplayFacts([empty, replay { $0.tablesNotCompared = 2 }]).compared.last
                == "2 tables not compared")
    }
}
