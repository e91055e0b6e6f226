import DrydockFindings
import DrydockMigrations
import DrydockReplay
import DatabaseEngine

/// Chooses between several readings of a folder, where it may belong to more than one tool.
extension Linter {
    /// Reads the folder in every format that its files, and the history in a snapshot, allow.
    /// - Throws: as ``run(_:)``.
    func readings(_ choice: FormatChoice, _ request: LintRequest) async throws -> [FormatChoice.Reading] {
        do {
            let readings = try choice.readings([])
            if Self.differing(readings).isEmpty { return readings }
        } catch let error as RequestError {
            if request.snapshotsFolder == nil { throw error }
        }
        let snapshots = try request.snapshotsFolder.map { try SnapshotFolder.snapshots(in: $0) } ?? []
        var settings = ConnectionSettings()
        settings.functions = request.functions
        settings.collations = request.collations
        let opener = SnapshotOpener(engine: engine, settings: settings)
        return try choice.readings(try await choice.histories(of: snapshots, opener))
    }

    /// Refuses the first reading where another one has findings that it does not: with foreign keys enforced under only
    /// one of the tools, a rebuild either deletes the children's rows or keeps them.
    /// - Throws: ``RequestError``.
    func refuseSilence(
        of report: Report, _ choice: FormatChoice, _ readings: [FormatChoice.Reading],
        _ request: LintRequest, edited: [String: [UInt8]] = [:], memory: LintMemory? = nil
    ) async throws {
        for other in Self.differing(readings) {
            let found: Report
            do {
                let set = other.isPartial ? readings[0].set.connected(as: other.set) : other.set
                found = try await run(request, set, edited: edited, memory: memory).report
            } catch is RequestError {
                // The project's settings for its migrations do not fit the reading.
                continue
            }
            let files = Set(other.set.migrations.map(\.path))
            guard
                let more = found.findings.first(where: { finding in
                    finding.severity > .note && !report.says(finding)
                        && (!other.isPartial || finding.place.map { files.contains($0.file) } ?? false)
                })
            else { continue }
            let place = more.place.map { place in place.file + (place.line.map { ":\($0)" } ?? "") }
            let words = try await differences(first: readings[0].set, other.set, making: more, request)
            let compared = readings.filter { !$0.isPartial || $0.set.format.name == other.set.format.name }
            throw choice.ambiguity(
                compared,
                "do not run alike (\(Self.behaviours(compared, words))): read as \(other.set.format.name), "
                    + "\(more.rule.rawValue) is found" + (place.map { " at \($0)" } ?? "")
                    + ", and not as \(readings[0].set.format.name)")
        }
    }

    /// What a tool's connections do besides the statements, as far as it matters to linting.
    private struct Behaviour: Hashable {
        let isRunByEngine: Bool
        let foreignKeys: Bool
        let doubleQuotedStrings: Bool?

        init(_ set: MigrationSet) {
            isRunByEngine = set.policy.isRunByEngine
            foreignKeys = set.policy.foreignKeys
            doubleQuotedStrings = set.policy.doubleQuotedStrings
        }

    }

    /// One way in which readings may differ, with words for each of them.
    private struct Difference: Sendable {
        let words: @Sendable (ToolPolicy) -> String
        /// Copies the setting from one policy to another.
        let take: @Sendable (inout ToolPolicy, ToolPolicy) -> Void

        static let strings = Difference { policy in
            let areOn = policy.doubleQuotedStrings ?? false
            return "double-quoted text that names nothing is \(areOn ? "a string" : "an error")"
        } take: {
            $0.doubleQuotedStrings = $1.doubleQuotedStrings ?? false
        }
        static let foreignKeys = Difference {
            $0.foreignKeyWords
        } take: {
            $0.foreignKeys = $1.foreignKeys
        }
    }

    /// Returns why the second reading has findings that the first does not: each difference is tried separately.
    private func differences(
        first: MigrationSet, _ other: MigrationSet, making finding: Finding, _ request: LintRequest
    ) async throws -> [Difference] {
        let all = [Difference.strings, .foreignKeys].filter {
            $0.words(first.policy) != $0.words(other.policy)
        }
        guard all.count > 1 else { return all }
        var set = first
        Difference.strings.take(&set.policy, other.policy)
        let isOfStrings = try await run(request, set).report.says(finding)
        return isOfStrings ? [.strings] : [.foreignKeys]
    }

    /// Returns one reading for each behaviour that differs from the first's.
    static func differing(_ readings: [FormatChoice.Reading]) -> [FormatChoice.Reading] {
        var seen: Set<Behaviour> = Set(readings.prefix(1).map { Behaviour($0.set) })
        return readings.dropFirst().filter { seen.insert(Behaviour($0.set)).inserted }
    }

    private static func behaviours(_ readings: [FormatChoice.Reading], _ differences: [Difference]) -> String
    {
        readings.map { reading in
            let words = differences.map { $0.words(reading.set.policy) }
            return "\(reading.set.format.name): \(words.joined(separator: ", "))"
        }.joined(separator: "; ")
    }
}

extension MigrationSet {
    /// Returns the same migrations, as they would run on another tool's connections.
    fileprivate func connected(as other: MigrationSet) -> MigrationSet {
        var set = self
        set.policy = other.policy
        let known = Dictionary(
            other.migrations.map { ($0.path, $0) }, uniquingKeysWith: { first, _ in first })
        for (index, migration) in migrations.enumerated() {
            let like = known[migration.path]
            set.migrations[index].transaction = like?.transaction ?? other.policy.transaction
            set.migrations[index].foreignKeys = like?.foreignKeys ?? other.policy.foreignKeys
            set.migrations[index].isDeferred = like?.isDeferred ?? other.policy.isRunByEngine
        }
        return set
    }
}

extension Report {
    /// Whether the same rule is broken at the same place with the same severity.
    fileprivate func says(_ other: Finding) -> Bool {
        findings.contains { finding in
            finding.rule == other.rule && finding.severity >= other.severity && finding.table == other.table
                && finding.place?.file == other.place?.file && finding.place?.line == other.place?.line
        }
    }
}
