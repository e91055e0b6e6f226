import Drydock
import Testing

@testable import DrydockMaintenance
@testable import DrydockReport

/// Compares what `drydock health --follow` prints with golden files.
@Suite struct FollowRendererTests {
    private static let start = 1_700_000_000.0

    private static func update() -> HealthUpdate {
        let reader = Finding(
            .walCheckpoint, .warning,
            "process 4121 reads as of 5120 frames ago, so that no checkpoint can finish", help: "End it.")
        let orphan = Finding(
            .foreignKeyViolation, .error, "7 rows of attachment (email_id) reference no row of email",
            help: "Delete them.",
            table: "attachment")
        var checked = CheckedDatabase(path: "data/mail.sqlite")
        checked.findings = [orphan, reader]
        checked.measures = [
            HealthMeasure("freelist_bytes", .bytes, 122_880, ""),
            HealthMeasure("freelist_ratio", .ratio, 0.0104, ""),
        ]
        var update = HealthUpdate(
            path: "data/mail.sqlite", time: start + 3725, report: Report([checked]), exists: true)
        (update.size, update.growth, update.logSize) = (12_582_912, 1_048_576, 21_135_632)
        (update.frames, update.framesNotMoved) = (5130, 5120)
        update.oldestReader = .init(process: 4121, framesBehind: 5120)
        update.commitsPerSecond = 35.24
        update.tables = [
            .init(name: "email", bytes: 8_493_465, growth: 1_048_576),
            .init(name: "draft", bytes: 0, growth: -40_960),
            .init(
                name: "a table of which the name is much longer than anybody would make it, or so one thinks",
                bytes: 4096, growth: 0),
            .init(name: "weird\u{1b}[31m\nname", bytes: 4096, growth: 0),
        ]
        update.tableCount = 12
        update.events = [.init(kind: .new(reader), time: start + 3725)]
        update.history =
            [
                .init(kind: .removed, time: start), .init(kind: .returned, time: start + 1),
                .init(kind: .replaced, time: start + 2), .init(kind: .new(orphan), time: start + 60),
                .init(kind: .gone(orphan), time: start + 61), .init(kind: .new(orphan), time: start + 62),
            ] + update.events
        return update
    }

    private static func gone() -> HealthUpdate {
        var checked = CheckedDatabase(path: "data/mail.sqlite")
        checked.trouble = "there is no database 'data/mail.sqlite'"
        var update = HealthUpdate(
            path: "data/mail.sqlite", time: start, report: Report([checked]), exists: false)
        update.events = [.init(kind: .removed, time: start)]
        update.history = update.events
        return update
    }

    private static func screen(_ update: HealthUpdate, _ width: Int, _ height: Int) -> [String] {
        var renderer = FollowRenderer()
        (renderer.width, renderer.height) = (width, height)
        return renderer.screen(update)
    }

    @Test func screens() throws {
        let texts = [
            Self.screen(Self.update(), 80, 24), Self.screen(Self.update(), 120, 40),
            Self.screen(Self.gone(), 80, 24),
        ].map { $0.joined(separator: "\n") + "\n" }
        try Golden.hold(
            texts.joined(separator: String(repeating: "=", count: 80) + "\n"), against: "follow.txt")
    }

    @Test func linesAndJSON() throws {
        let lines = [Self.update(), Self.gone()].flatMap { FollowRenderer().lines($0) }
        try Golden.hold(lines.joined(separator: "\n") + "\n", against: "follow-lines.txt")
        let json = [Self.update(), Self.gone()].map { JSONRenderer().line($0, RenderOptions()) }
        #expect(json.allSatisfy { $0.filter { $0 == "\n" }.count == 1 && $0.hasSuffix("}\n") })
        try Golden.hold(json.joined(), against: "follow.jsonl")
    }

    /// Whatever the size of the terminal, no line is wider and nothing scrolls.
    @Test(arguments: [1, 5, 20, 40, 79, 80, 200], [1, 2, 3, 8, 15, 24, 60])
    func everyScreenFits(_ width: Int, _ height: Int) {
        for update in [Self.update(), Self.gone()] {
            let lines = Self.screen(update, width, height)
            #expect(lines.count <= height)
            #expect(lines.allSatisfy { $0.count <= width && !$0.contains("\u{1b}") && !$0.contains("\n") })
        }
    }
}
