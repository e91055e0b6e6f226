/// One report of several readings of the same migrations.
extension Report {
    /// What was found in one reading.
    package struct OfReading: Sendable {
        package var reading: ReportReading
        package var report: Report
        /// Whether a finding may be of this reading alone: not one in a file that its tool does not run.
        package var covers: @Sendable (Finding) -> Bool

        package init(
            _ reading: ReportReading, _ report: Report,
            covers: @escaping @Sendable (Finding) -> Bool = { _ in true }
        ) {
            (self.reading, self.report, self.covers) = (reading, report, covers)
        }
    }

    /// The tools whose behaviour was followed, as they follow "as"; nil where no migrations were read.
    package var tools: String? {
        let all = readings.map { reading -> String in
            guard let source = reading.source else { return reading.name }
            return "\(reading.name) with \(reading.behaviour) (\(source))"
        }
        guard let last = all.last else { return migrationFormat }
        let others = all.dropLast().joined(separator: ", as ")
        return others.isEmpty ? last : "\(others) and as \(last)"
    }

    /// Returns one report: what all readings have is said once, the rest under the names of those that have it. The replays,
    /// and what else is not a finding, are those of the first reading.
    /// - Parameter parts: at least one.
    package static func merged(_ parts: [OfReading]) -> Report? {
        guard var report = parts.first?.report else { return nil }
        report.readings = parts.map(\.reading)
        guard parts.count > 1 else { return report }
        report.findings = findings(of: parts)
        report.notChecked = notChecked(of: parts)
        report.seconds = parts.reduce(0) { $0 + $1.report.seconds }
        return report
    }

    private static func findings(of parts: [OfReading]) -> [Finding] {
        var found = InReadings<FindingGroup.Key, Finding>()
        for (number, part) in parts.enumerated() {
            for finding in part.report.findings {
                var key = FindingGroup.Key(finding)
                key.snapshot = finding.snapshot
                found.add(finding, key, in: number)
            }
        }
        return found.entries.compactMap { finding, numbers in
            if numbers.count == parts.count { return finding }
            // A declaration that any of them uses is used.
            guard finding.rule != .unusedDeclaration else { return nil }
            let own = numbers.filter { parts[$0].covers(finding) }
            let others = parts.indices.filter { !numbers.contains($0) && parts[$0].covers(finding) }
            guard !own.isEmpty else { return nil }
            return others.isEmpty ? finding : finding.found(in: own.map { parts[$0].reading })
        }
    }

    private static func notChecked(of parts: [OfReading]) -> [NotChecked] {
        var found = InReadings<NotChecked, NotChecked>()
        for (number, part) in parts.enumerated() {
            for entry in part.report.notChecked { found.add(entry, entry, in: number) }
        }
        return found.entries.map { entry, numbers in
            guard numbers.count < parts.count else { return entry }
            var entry = entry
            entry.reading = numbers.map { parts[$0].reading.clause }.joined(separator: " and as ")
            return entry
        }
    }
}

/// What was found in some of several readings, in the order in which it was found first.
private struct InReadings<Key: Hashable, Entry> {
    private struct Counted: Hashable {
        var key: Key
        /// How often the reading had it before.
        var number: Int
    }

    private(set) var entries: [(Entry, readings: [Int])] = []
    private var indexes: [Counted: Int] = [:]
    private var counts: [Int: [Key: Int]] = [:]

    mutating func add(_ entry: Entry, _ key: Key, in reading: Int) {
        let counted = Counted(key: key, number: counts[reading, default: [:]][key, default: 0])
        counts[reading, default: [:]][key] = counted.number + 1
        if let index = indexes[counted] {
            entries[index].readings.append(reading)
        } else {
            indexes[counted] = entries.count
            entries.append((entry, [reading]))
        }
    }
}

extension Finding {
    /// Returns the finding with the readings in which it is found, and how to choose one.
    fileprivate func found(in readings: [ReportReading]) -> Finding {
        var finding = self
        let clause = "as " + readings.map(\.clause).joined(separator: " and as ") + ": "
        finding.sentence = Sentence(clause) + sentence
        finding.fact = fact.map { clause + $0 }
        let formats = readings.flatMap(\.formats)
        finding.formats = formats
        finding.tags += formats.map(Tag.reading)
        // What only one way of running them needs must not be done for all.
        finding.edits = []
        let choice =
            readings.contains { $0.source != nil }
            ? "If foreign keys are off, or on, while the migrations run, say which: --foreign-keys or --no-foreign-keys, or "
                + "foreignKeys in drydock.yml."
            : "If another tool runs the migrations, name it: --migration-format, or migrationFormat in drydock.yml."
        finding.advice = advice.isEmpty ? Help(choice) : advice + Help("\n" + choice)
        return finding
    }
}
