import Drydock
import SQLiteSchema

/// What `drydock migrate` prints of many databases besides its findings. It fits a screen, however many there are.
struct RollOutText {
    let rollOut: RollOutSummary
    let options: RenderOptions

    private static let shown = 10

    /// How many databases are at which version, the waves, and which databases are left.
    var progress: String {
        let left = rollOut.databases.filter { [.busy, .damaged, .failed, .notReached].contains($0.outcome) }
        guard !options.isQuiet || !left.isEmpty else { return "" }
        var lines = versions
        lines += rollOut.waves.map { wave in
            let failed = wave.failed == 0 ? "" : ", \(wave.failed) failed"
            return
                "\(wave.name): \(wave.applied) of \(counted(wave.count, "database"))\(failed), \(elapsed(wave.seconds))"
        }
        let drifted = rollOut.databases.count(where: \.hasDrifted)
        if drifted > 0 {
            lines.append(
                "\(counted(drifted, "database")) whose schema is not that of \(drifted == 1 ? "its" : "their") version"
            )
        }
        lines += left.prefix(Self.shown).map {
            "\(options.paint.red($0.outcome.text)): \(VisibleText.line($0.path))"
        }
        if left.count > Self.shown {
            lines.append("and \(left.count - Self.shown) more (--format json has all)")
        }
        if let stopped = rollOut.stopped { lines.append(stopped) }
        if let log = rollOut.log {
            lines.append("log: \(VisibleText.line(log)); the same command continues from here")
        }
        return lines.isEmpty ? "" : "\n" + lines.map { "  \($0)\n" }.joined()
    }

    private var versions: [String] {
        let versions = rollOut.versions
        let width = versions.first.map { "\($0.count)".count } ?? 0
        let lines = versions.prefix(Self.shown).map { version, count in
            let number = "\(count)"
            return String(repeating: " ", count: width - number.count) + number + " at "
                + (version.map { VisibleText.line($0) } ?? "no version")
        }
        let rest = versions.dropFirst(Self.shown).reduce(0) { $0 + $1.count }
        return lines + (rest == 0 ? [] : ["\(rest) at other versions"])
            + (rollOut.unread == 0 ? [] : ["\(rollOut.unread) not read, so their versions are not known"])
    }
}

extension RollOutSummary {
    /// The beginning of the summary line.
    var result: String {
        func count(_ outcome: RollOutSummary.Outcome, _ word: String) -> String? {
            let count = self.count(outcome)
            return count == 0 ? nil : "\(count) \(word)"
        }
        let parts = [
            count(.applied, "migrated"), count(.rehearsed, "rehearsed, nothing was written"),
            count(.pending, "with pending migrations"), count(.upToDate, "up to date"),
            count(.failed, "failed"), count(.damaged, "damaged"), count(.busy, "busy"),
            count(.notReached, "not reached"),
        ].compactMap(\.self)
        return parts.isEmpty ? "no database" : parts.joined(separator: "; ")
    }
}

extension RollOutSummary.Outcome {
    fileprivate var text: String { self == .notReached ? "not reached" : rawValue }
}
