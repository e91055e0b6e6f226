import Drydock
import SQLiteSchema

/// What `drydock health --follow` prints: a screen that is drawn again, or lines that follow one another.
package struct FollowRenderer: Sendable {
    package var width = 80
    package var height = 24
    package var usesColor = false
    /// How many seconds the reader's clock is ahead of UTC.
    package var clockOffset = 0
    /// How often the database is looked at, as people write it.
    package var interval = "1s"

    package init() {}

    private enum Color { case plain, bold, dim, red, green, yellow }

    private func painted(_ text: String, _ color: Color) -> String {
        let paint = Paint(usesColor)
        return switch color {
        case .plain: text
        case .bold: paint.bold(text)
        case .dim: paint.dim(text)
        case .red: paint.red(text)
        case .green: paint.green(text)
        case .yellow: paint.yellow(text)
        }
    }

    // MARK: - A screen

    /// Returns at most ``height`` lines of at most ``width`` characters.
    package func screen(_ update: HealthUpdate) -> [String] {
        let findings = Self.findings(of: update)
        let head = [title(update), line([(verdict(update), color(of: update))])] + troubleLines(update)
        let figures = update.exists ? [""] + self.figures(update) : []
        let foot = line([("Ctrl-C ends. What to do about a finding: drydock health DATABASE", .dim)])
        // What is wrong comes first, then what has just happened, then the tables.
        var room = height - head.count - figures.count - 1
        let wrong = cut(findings.map(findingLine), to: max(1, room / 3))
        room -= wrong.count
        let events = eventLines(update, to: max(0, room / 2))
        room -= events.count
        let tables = update.exists ? tableLines(update, to: room) : []
        let lines = head + wrong + figures + tables + events
        return Array((lines.prefix(max(0, height - 1)) + [foot]).suffix(max(1, height)))
    }

    private func title(_ update: HealthUpdate) -> String {
        let path = VisibleText.line(update.path)
        let right = "every \(interval), last change \(clock(update.time))"
        let room = max(8, width - right.count - 2)
        let shown = path.count > room ? "…" + path.suffix(room - 1) : path
        let gap = String(repeating: " ", count: max(2, width - shown.count - right.count))
        return line([(shown, .bold), (gap + right, .dim)])
    }

    private func verdict(_ update: HealthUpdate) -> String {
        guard update.exists else { return "? there is no such file; waiting for it" }
        let health = update.report.health?.databases.first
        if health?.trouble != nil { return "? not checked" }
        let findings = Self.findings(of: update)
        let counts = Finding.Severity.allCases.reversed().compactMap { severity -> String? in
            let count = findings.count { $0.severity == severity }
            return count == 0 ? nil : counted(count, severity.rawValue)
        }
        let sign = findings.contains { $0.severity == .error } ? "✗" : findings.isEmpty ? "✓" : "!"
        let known = (health?.knownCount).flatMap { $0 > 0 ? ", \($0) known" : nil } ?? ""
        return "\(sign) \(counts.isEmpty ? "healthy" : counts.joined(separator: ", "))\(known)"
            + "  checked at \(clock(update.checkedAt))"
    }

    private func color(of update: HealthUpdate) -> Color {
        let worst = Self.findings(of: update).map(\.severity).max()
        if !update.exists || worst == .error { return .red }
        return worst == nil ? .green : .yellow
    }

    private func troubleLines(_ update: HealthUpdate) -> [String] {
        guard update.exists, let trouble = update.report.health?.databases.first?.trouble else { return [] }
        return [line([("  " + VisibleText.line(trouble), .red)])]
    }

    private static func findings(of update: HealthUpdate) -> [Finding] {
        update.exists ? update.report.findings.filter { $0.severity > .note } : []
    }

    private func findingLine(_ finding: Finding) -> String {
        let label = "  \(finding.severity.rawValue)[\(finding.rule.rawValue)] "
        let color: Color = finding.severity == .error ? .red : .yellow
        return line([(label, color), (VisibleText.line(finding.message), .plain)])
    }

    private func cut(_ lines: [String], to count: Int) -> [String] {
        guard lines.count > count else { return lines }
        let rest = lines.count - count + 1
        return lines.prefix(count - 1) + [line([("  … and \(rest) more", .dim)])]
    }

    // MARK: - Figures

    private func figures(_ update: HealthUpdate) -> [String] {
        var rows = [
            ("size", StatisticsRenderer.size(update.size), Self.change(update.growth, "since the start"))
        ]
        if let log = update.logSize {
            rows.append(("log", StatisticsRenderer.size(log), logFact(update)))
            rows.append(("reader", "", readerFact(update)))
        }
        if let free = update.measure("freelist_bytes") {
            let ratio = update.measure("freelist_ratio") ?? 0
            rows.append(
                ("free", StatisticsRenderer.size(Int(free)), "\(Self.tenths(ratio * 100)) % of the pages"))
        }
        let writer = update.writer.map { "process \($0) is writing" } ?? ""
        let rate = update.commitsPerSecond.map { "\(Self.tenths($0)) a second" } ?? "-"
        rows.append(("commits", rate, writer))
        return rows.map { name, value, fact in
            let value = value.isEmpty ? "" : Self.right(value, 12) + (fact.isEmpty ? "" : "  ")
            return line([("  " + Self.left(name, 9), .dim), (value + fact, .plain)])
        }
    }

    private func logFact(_ update: HealthUpdate) -> String {
        guard let frames = update.frames else { return "no program has it open" }
        let rest = update.framesNotMoved ?? 0
        return
            "\(StatisticsRenderer.grouped(frames)) frames, \(StatisticsRenderer.grouped(rest)) not checkpointed"
    }

    private func readerFact(_ update: HealthUpdate) -> String {
        guard let reader = update.oldestReader else { return "none keeps the log from being checkpointed" }
        return
            "process \(reader.process) is \(StatisticsRenderer.grouped(reader.framesBehind)) frames behind"
    }

    /// Returns a change with its sign; nothing for none.
    private static func change(_ bytes: Int, _ words: String = "") -> String {
        guard bytes != 0 else { return "" }
        let text = (bytes < 0 ? "-" : "+") + StatisticsRenderer.size(Int(bytes.magnitude))
        return words.isEmpty ? text : "\(text) \(words)"
    }

    private static func tenths(_ value: Double) -> String {
        let tenths = Int((min(max(value, 0), 1e12) * 10).rounded())
        return "\(StatisticsRenderer.grouped(tenths / 10)).\(tenths % 10)"
    }

    // MARK: - Tables and events

    private func tableLines(_ update: HealthUpdate, to room: Int) -> [String] {
        // An empty line, the head and a table.
        guard room >= 3, !update.tables.isEmpty else { return [] }
        let shown = update.tables.prefix(room - 2)
        let most = shown.map { VisibleText.line($0.name).count }.max() ?? 0
        let nameWidth = min(max(most, 14), max(14, width - 30))
        let rest = update.tableCount > shown.count ? " (\(shown.count) of \(update.tableCount))" : ""
        let head =
            "  " + Self.left("table" + rest, nameWidth) + Self.right("size", 12) + Self.right("growth", 14)
        let rows = shown.map { table in
            let name = Self.left(VisibleText.line(table.name), nameWidth)
            let size = "  " + name + Self.right(Self.size(of: table), 12)
            guard table.growth != 0 else { return line([(size, .plain)]) }
            return line([
                (size, .plain),
                (Self.right(Self.change(table.growth), 14), table.growth > 0 ? .bold : .plain),
            ])
        }
        return ["", line([(head, .dim)])] + rows
    }

    /// A table has at least one page, as long as it exists.
    private static func size(of table: HealthUpdate.Table) -> String {
        table.bytes == 0 ? "dropped" : StatisticsRenderer.size(table.bytes)
    }

    private func eventLines(_ update: HealthUpdate, to room: Int) -> [String] {
        guard room >= 2, !update.history.isEmpty else { return [] }
        return [""] + update.history.suffix(room - 1).reversed().map(eventLine)
    }

    private func eventLine(_ event: HealthUpdate.Event) -> String {
        let (text, color) = words(event)
        return line([("  \(clock(event.time))  ", .dim), (text, color)])
    }

    private func words(_ event: HealthUpdate.Event) -> (String, Color) {
        func name(_ finding: Finding) -> String {
            "\(finding.severity.rawValue)[\(finding.rule.rawValue)] \(VisibleText.line(finding.message))"
        }
        return switch event.kind {
        case .new(let finding):
            ("new:  " + name(finding), finding.severity == .error ? .red : .yellow)
        case .gone(let finding): ("gone: " + name(finding), .green)
        case .removed: ("the file was deleted or moved away", .red)
        case .returned: ("the file is back", .green)
        case .replaced: ("the file was replaced by another one", .yellow)
        }
    }

    // MARK: - Lines

    /// Returns the lines that are added for an update: what has happened, then the figures.
    package func lines(_ update: HealthUpdate) -> [String] {
        var wide = self
        wide.width = .max
        return update.events.map { event in
            let (text, color) = words(event)
            return "\(clock(event.time))  \(painted(text, color))"
        } + [wide.summary(update)]
    }

    private func summary(_ update: HealthUpdate) -> String {
        var facts = [verdict(update)]
        if update.exists {
            facts.append(
                "size \(StatisticsRenderer.size(update.size))"
                    + (update.growth == 0 ? "" : " (\(Self.change(update.growth)))"))
            if let log = update.logSize {
                facts.append("log \(StatisticsRenderer.size(log)), \(logFact(update))")
            }
            if update.oldestReader != nil { facts.append(readerFact(update)) }
            if let rate = update.commitsPerSecond { facts.append("\(Self.tenths(rate)) commits a second") }
        }
        return "\(clock(update.time))  \(painted(facts[0], color(of: update)))"
            + facts.dropFirst().map { "; " + $0 }.joined()
    }

    // MARK: - Text

    /// Joins pieces, each with its colour, and cuts the line off at the width of the screen.
    private func line(_ pieces: [(text: String, color: Color)]) -> String {
        let isTooLong = pieces.reduce(0) { $0 + $1.text.count } > width
        var room = isTooLong ? width - 1 : width
        var text = ""
        for piece in pieces where room > 0 {
            let part = piece.text.prefix(room)
            room -= part.count
            text += painted(String(part), piece.color)
        }
        return isTooLong ? text + "…" : text
    }

    /// Returns the time of the reader's day.
    private func clock(_ time: Double) -> String {
        guard time.isFinite, time.magnitude < 1e12 else { return "--:--:--" }
        let seconds = ((Int(time) + clockOffset) % 86_400 + 86_400) % 86_400
        return [seconds / 3600, seconds / 60 % 60, seconds % 60].map { Self.two($0) }.joined(separator: ":")
    }

    private static func two(_ number: Int) -> String { (number < 10 ? "0" : "") + String(number) }

    private static func left(_ text: String, _ width: Int) -> String {
        guard text.count <= width else { return text.prefix(max(0, width - 1)) + "…" }
        return text + String(repeating: " ", count: width - text.count)
    }

    private static func right(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }
}
