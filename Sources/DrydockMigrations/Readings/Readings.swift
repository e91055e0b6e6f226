import DrydockFindings

/// The readings of a folder of migrations: one where it is known how its tool runs them, otherwise one for each way in which
/// the tools that may run them would do it.
package struct Readings: Sendable {
    package struct Reading: Sendable {
        package var set: MigrationSet
        /// The formats whose tools run the migrations in this way, and what speaks for each.
        fileprivate var candidates: [(format: any MigrationFormat, evidence: FolderEvidence)]
        /// The files that the tool runs; nil for all. What is found in others is of another reading.
        package fileprivate(set) var files: Set<String>?
        /// Where the project's source says what its connections do with foreign keys.
        fileprivate var sign: ForeignKeySigns.Sign?

        /// The names of the formats whose tools run the migrations in this way.
        package var formats: [String] { candidates.map(\.format.name) }
    }

    /// At least one; the first is the one whose tool is listed first.
    package private(set) var all: [Reading]
    private let folder: String
    /// Whether the history in a database names the tool.
    private let isOwned: Bool

    /// - Parameter signs: what the project's source says of foreign keys; nil where it says nothing.
    init(_ found: [FormatChoice.Reading], folder: String, isOwned: Bool, signs: ForeignKeySigns?) {
        (self.folder, self.isOwned) = (folder, isOwned)
        all = []
        var places: [ToolBehaviour: Int] = [:]
        for reading in found.flatMap({ Self.readings($0, signs, isAlone: found.count == 1) }) {
            guard let place = places[ToolBehaviour(of: reading.set)] else {
                places[ToolBehaviour(of: reading.set)] = all.count
                all.append(reading)
                continue
            }
            let known = Set(all[place].formats)
            all[place].candidates += reading.candidates.filter { !known.contains($0.format.name) }
            all[place].files = all[place].files.flatMap { known in reading.files.map(known.union) }
        }
        for index in all.indices.dropFirst() { all[index].set = all[index].set.named(as: all[0].set) }
    }

    /// Returns how a tool may run the migrations where the app's source speaks of foreign keys. It decides only for tools that
    /// run on a connection of the app's; where it decides, no other tool is meant.
    private static func readings(
        _ found: FormatChoice.Reading, _ signs: ForeignKeySigns?, isAlone: Bool
    ) -> [Reading] {
        let reading = Reading(
            set: found.set, candidates: [(found.format, found.evidence)], files: found.files)
        guard let signs else { return [reading] }
        guard found.format.runsOnAppsConnection else { return signs.agree ? [] : [reading] }
        return signs.ofEither.map { sign in
            var read = reading
            read.set = reading.set.enforcingForeignKeys(sign.isOn)
            // What the tool does anyway need not be said.
            let isUsual = isAlone && signs.agree && found.set.policy.foreignKeys == sign.isOn
            read.sign = isUsual ? nil : sign
            return read
        }
    }

    /// The formats whose tools may run the migrations.
    package var formats: [String] { all.flatMap(\.formats) }

    /// What reports say of each reading, in their order; empty where it is known how the migrations are run, and from the
    /// folder or a history.
    package var summaries: [ReportReading] {
        guard all.count > 1 || all[0].sign != nil else { return [] }
        let differences = ToolBehaviour.words(for: all.map(\.set))
        return all.map { reading in
            ReportReading(
                formats: reading.formats,
                behaviour: differences.map { $0(reading.set.policy) }.joined(separator: ", "),
                source: reading.sign?.place)
        }
    }

    /// Returns whether a finding may be of a reading alone: not one in a file that its tool would not run.
    package func scope(of reading: Reading) -> @Sendable (Finding) -> Bool {
        guard let files = reading.files else { return { _ in true } }
        let all = Set(reading.set.migrations.map(\.path))
        return { finding in finding.place.map { files.contains($0.file) || !all.contains($0.file) } ?? true }
    }

    /// Returns the only reading, for what is relied on later and so must not be a guess.
    /// - Parameter isRecorded: whether the tool's history is written, too: one that no tool may take for its own.
    /// - Throws: ``RequestError`` that names every tool.
    package func single(isRecorded: Bool = false) throws -> MigrationSet {
        let histories = Set(all.flatMap(\.candidates).map { $0.format.historyTable ?? "" })
        guard all.count == 1, !isRecorded || isOwned || histories.count == 1 else { throw ambiguity }
        return all[0].set
    }

    private var ambiguity: RequestError {
        let ways = summaries.map { reading in
            reading.name + (reading.behaviour.isEmpty ? "" : " (\(reading.behaviour))")
        }
        let list = (ways.isEmpty ? formats : ways).joined(separator: ", ")
        var error = RequestError(
            .formatAmbiguous,
            "nothing says which tool runs the migrations in '\(folder)', and that matters here: \(list); name it with "
                + "--migration-format")
        error.choices = all.flatMap { reading in
            reading.candidates.map { candidate in
                .init(
                    format: candidate.format.name,
                    reason: "\(candidate.evidence); \(reading.set.policy.foreignKeyWords)")
            }
        }
        return error
    }
}
