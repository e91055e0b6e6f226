import Drydock
import Testing

@testable import DrydockFindings
@testable import DrydockTestSupport

/// What differs only in the snapshot is one finding.
@Suite struct FindingGroupTests {
    private func lost(_ snapshot: String?, _ count: Int = 1, _ table: String = "a", line: Int = 1) -> Finding
    {
        var finding = Finding(
            .rowsLost, "\(count) rows of \(table) are gone", migration: "v2", place: .init(file: "v2.sql"),
            table: table,
            evidence: Evidence(rowCount: count))
        finding.place?.line = line
        finding.snapshot = snapshot
        return finding
    }

    private func snapshots(_ findings: [Finding]) -> [[String]] {
        FindingGroup.groups(of: findings).map(\.snapshots)
    }

    @Test func `counts of rows are those of each snapshot`() {
        let groups = FindingGroup.groups(of: [lost("1", 7), lost("2", 1)])
        #expect(groups.map { $0.findings.map(\.evidence?.rowCount) } == [[7, 1]])
    }

    @Test func `places, tables, severities and tags tell findings apart`() {
        var warning = lost("2")
        warning.severity = .warning
        var tagged = lost("3")
        tagged.tags = [.preExisting]
        let findings = [lost("1"), warning, tagged, lost("4", table: "b"), lost("5", line: 2)]
        #expect(snapshots(findings) == [["1"], ["2"], ["3"], ["4"], ["5"]])
    }

    @Test func `two findings of one snapshot stay two`() {
        #expect(snapshots([lost("1"), lost("1"), lost("2"), lost("2")]) == [["1", "2"], ["1", "2"]])
    }

    @Test func `a finding of no snapshot stays alone`() {
        #expect(FindingGroup.groups(of: [lost(nil), lost(nil)]).count == 2)
    }

    @Test func `a message that names its snapshot is compared without the name`() {
        let empty = ["a", "b"].map { path in
            var finding = Finding(.snapshotUnreadable, of: path, "is empty")
            finding.snapshot = path
            return finding
        }
        var pointer = Finding(.snapshotUnreadable, of: "c", "is a pointer")
        pointer.snapshot = "c"
        #expect(snapshots(empty + [pointer]) == [["a", "b"], ["c"]])
        #expect(empty[0].message == "a is empty")
    }

    @Test func `messages without a cause that identifies them are compared`() {
        let findings = ["x", "y", "x"].enumerated().map { number, text in
            var finding = Finding(.viewBroken, "view \(text) is broken", migration: "v2")
            finding.snapshot = "\(number)"
            return finding
        }
        #expect(snapshots(findings) == [["0", "2"], ["1"]])
    }

    @Test func `errors come first, in the order of the report`() {
        var note = lost("1")
        note.severity = .note
        let groups = FindingGroup.bySeverity([note, lost("1", table: "b"), lost("2", table: "c")])
        #expect(groups.map { $0.findings[0].table } == ["b", "c", "a"])
    }
}

extension FindingGroupTests {
    private func lost(_ snapshot: String, table: String) -> Finding { lost(snapshot, 1, table) }
}
