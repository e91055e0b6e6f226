import DrydockFindings

/// The decision which format a folder is in: the history in the snapshots first, then what a tool leaves in the folder,
/// then the lock, what the project's files say of its tools, and names.
package struct FormatChoice: Sendable {
    package let options: FormatOptions
    /// The format that a lock of these migrations names: it decides where the folder's own files leave a choice.
    package var locked: String?
    private let files: FolderFiles
    let candidates: [(format: any MigrationFormat, evidence: FolderEvidence)]
    /// Whether the project says which format it is.
    private let isNamed: Bool

    /// - Parameters:
    ///   - edited: the bytes that an edit would give files, by path, read in place of the files.
    ///   - memory: the files that were read before, and will be again.
    package init(
        folder: String, named name: String?, options: FormatOptions, edited: [String: [UInt8]] = [:],
        cache: FileCache = FileCache()
    ) throws {
        self.options = options
        files = try FolderFiles(folder, edited: edited, cache: cache)
        isNamed = name != nil || options.custom != nil
        if let name {
            guard name == CustomFormat.formatName || options.custom == nil else {
                throw RequestError(
                    .settingInvalid,
                    "both 'migrationFormat: \(name)' and 'custom' name the tool of the migrations; remove one of them"
                )
            }
            guard let format = try Self.format(name, options) else {
                throw RequestError(
                    .formatUnknown,
                    "there is no migration format '\(name)'; choose one of: "
                        + MigrationFormats.names.joined(separator: ", "))
            }
            candidates = [(format, FolderEvidence(.marker, "--migration-format", at: folder))]
        } else if let custom = options.custom {
            candidates = [(custom, FolderEvidence(.marker, "custom", at: folder))]
        } else {
            let files = files
            candidates = MigrationFormats.all.compactMap { format in
                format.evidence(in: files).map { (format.configured(for: files), $0) }
            }
        }
    }

    private static func format(_ name: String, _ options: FormatOptions) throws -> (any MigrationFormat)? {
        guard name == CustomFormat.formatName else { return MigrationFormats.all.first { $0.name == name } }
        guard let custom = options.custom else {
            throw RequestError(
                .formatUnknown,
                "the custom format is not described; write it into drydock.yml under 'custom:'")
        }
        return custom
    }

    /// Whether the snapshots' histories must be read.
    package var needsHistory: Bool {
        candidates.count > 1
            || options.historyTable == nil
                && candidates.contains { ($0.format as? any NamedHistory)?.historyColumns.isEmpty == false }
    }

    /// Returns whether a snapshot's history is enough to decide.
    package func isDecided(by facts: HistoryFacts) -> Bool {
        candidates.contains { $0.format.historyTable != nil && $0.format.owns(facts) }
    }

    /// Reads the migrations as the first of the formats that are left has them: for what does not depend on how they are
    /// run.
    /// - Throws: as ``readings(_:)``.
    package func load(_ histories: [HistoryFacts]) throws -> MigrationSet {
        try remaining(histories).readings[0].set
    }

    /// Returns the readings that remain after the settings, the histories and the folder. They have the same statements in
    /// the same order, and differ in what their tools do around them.
    /// - Throws: ``RequestError`` if the folder cannot be read, or two formats differ in files, order or statements.
    package func readings(_ histories: [HistoryFacts]) throws -> Readings {
        let (readings, isOwned) = try remaining(histories)
        return Readings(readings, folder: files.path, isOwned: isOwned, signs: try signs(for: readings))
    }

    /// What the project's source says of foreign keys; nil where that does not matter, or the settings say it.
    private func signs(for readings: [Reading]) throws -> ForeignKeySigns? {
        guard options.foreignKeys == nil,
            readings.contains(where: { $0.format.runsOnAppsConnection && $0.set.dependsOnForeignKeys })
        else { return nil }
        return files.cache.signs(near: files.path)
    }

    /// A format that the folder may be in, and the migrations that it reads there.
    struct Reading: Sendable {
        let format: any MigrationFormat
        let evidence: FolderEvidence
        var set: MigrationSet
        /// The files that the tool runs, where it would ignore some of those of the first reading; nil for all.
        var files: Set<String>?
    }

    private func remaining(_ histories: [HistoryFacts]) throws -> (readings: [Reading], isOwned: Bool) {
        // A project that uses one tool's setting has said which tool it is.
        let fitting = candidates.filter { misfit($0.format) == nil }
        let candidates = (fitting.isEmpty ? candidates : fitting).map { candidate in
            (format: named(candidate.format, candidate.evidence, histories), evidence: candidate.evidence)
        }
        // A table is stronger evidence than a number that any application may use.
        let owners = histories.map { facts in candidates.filter { $0.format.owns(facts) } }
        let tables = owners.map { $0.filter { $0.format.historyTable != nil } }
        let owner = tables.first { !$0.isEmpty } ?? owners.first { !$0.isEmpty }
        let decided = owner == nil ? self.decided(candidates) : nil
        var left = owner ?? decided ?? candidates
        let strongest = left.map(\.evidence.strength).max()
        left = left.filter { $0.evidence.strength == strongest }
        if left.isEmpty { left = [(DrydockFormat(), FolderEvidence(.possible, "nothing", at: files.path))] }
        let readings = try left.map {
            Reading(format: $0.format, evidence: $0.evidence, set: try load($0.format))
        }
        // A reading without migrations does not count.
        var full = readings.filter { !$0.set.migrations.isEmpty }
        guard !full.isEmpty else { return ([readings[0]], owner != nil) }
        let apart = full.filter { !$0.set.takesDatesForVersions }
        if !apart.isEmpty { full = apart }
        if let difference = full.dropFirst().lazy.compactMap({ Self.difference(full[0].set, $0.set) }).first {
            throw ambiguity(full, difference)
        }
        guard owner == nil, decided == nil, strongest == .names else { return (full, owner != nil) }
        return (full + candidates.compactMap { partial($0.format, $0.evidence, of: full[0].set) }, false)
    }

    /// Returns the candidates that the lock, or a file of the project such as Cargo.toml, names; nil where none decides.
    /// What a tool writes into the folder itself is stronger.
    private func decided(
        _ candidates: [(format: any MigrationFormat, evidence: FolderEvidence)]
    ) -> [(format: any MigrationFormat, evidence: FolderEvidence)]? {
        let strongest = candidates.map(\.evidence.strength).max() ?? .possible
        let least: FolderEvidence.Strength =
            switch strongest {
            case .configured, .marker: strongest
            case .layout: .names
            case .names, .possible: .possible
            }
        let pool = candidates.filter { $0.evidence.strength >= least }
        guard pool.count > 1 else { return nil }
        let ofLock = pool.filter { $0.format.name == locked }
        if !ofLock.isEmpty { return ofLock }
        guard let found = ProjectSign.nearest(to: files.path, among: Set(pool.map(\.format.name))) else {
            return nil
        }
        return pool.compactMap { candidate in
            found.places[candidate.format.name].map { place in
                var evidence = candidate.evidence
                (evidence.sign, evidence.place) = ("named", place)
                return (candidate.format, evidence)
            }
        }
    }

    /// Returns a format's reading of the folder if it takes most of the files of another reading, with the others as that
    /// reading has them. Any folder of SQL may be in Drydock's own format, so that a single file which the other tool would
    /// ignore must not decide what that tool's connections would do with the rest.
    private func partial(
        _ format: any MigrationFormat, _ evidence: FolderEvidence, of whole: MigrationSet
    ) -> Reading? {
        guard evidence.strength == .possible, let set = try? load(format) else { return nil }
        let taken = Set(set.migrations.map(\.path))
        let named = set.migrations.count { PathParts.name(of: $0.path).first?.isNumber == true }
        guard taken.isSubset(of: whole.migrations.map(\.path)), 2 * named > whole.migrations.count else {
            return nil
        }
        return Reading(format: format, evidence: evidence, set: whole.run(as: set), files: taken)
    }

    /// Returns the refusal to choose one of several readings of different files or statements, with every one of them.
    private func ambiguity(_ readings: [Reading], _ difference: String) -> RequestError {
        let names = readings.map { "as \($0.format.name) (\($0.evidence))" }
        var error = RequestError(
            .formatAmbiguous,
            "the migrations in '\(files.path)' can be read \(names.dropLast().joined(separator: ", ")) and "
                + "\(names.last ?? ""), which \(difference); say which with --migration-format")
        error.choices = readings.map {
            .init(format: $0.format.name, reason: "\($0.evidence); \($0.set.policy.foreignKeyWords)")
        }
        return error
    }

    /// Returns the format with the history in the table that the project names, or that its columns show.
    func named(
        _ format: any MigrationFormat, _ evidence: FolderEvidence, _ histories: [HistoryFacts]
    ) -> any MigrationFormat {
        guard let named = format as? any NamedHistory else { return format }
        if let table = options.historyTable { return named.keepingHistory(in: table) }
        guard evidence.strength >= .layout, !named.historyColumns.isEmpty,
            !histories.contains(where: { named.owns($0) })
        else { return format }
        let found = histories.flatMap { facts in
            facts.columns.filter { $0.value == named.historyColumns }.map(\.key)
        }
        guard let table = found.first, Set(found).count == 1 else { return format }
        return named.keepingHistory(in: table)
    }

    /// Returns why the project's settings cannot be this tool's: a setting of another tool must not be ignored
    /// silently.
    private func misfit(_ format: any MigrationFormat) -> String? {
        if options.historyTable != nil, !(format is any NamedHistory) {
            return "'historyTable' cannot be set for \(format.name): "
                + (format is CustomFormat
                    ? "its table is set under 'custom: history: table'"
                    : "it keeps its history in \(format.historyTable ?? "PRAGMA user_version")")
        }
        if options.mixed != nil, !(format is FlywayFormat) {
            return "'mixed' is a setting of Flyway's, and the migrations are read as \(format.name)"
        }
        return nil
    }

    private func load(_ format: any MigrationFormat) throws -> MigrationSet {
        if let misfit = misfit(format) { throw RequestError(.settingInvalid, misfit) }
        var set = try format.load(folder: files, options: options)
        set.base = options.base ?? set.base
        set.findings += LeftOutFiles(folder: files, set: set, isGuess: !isNamed).findings()
        set.leaveOutCode(of: files)
        set.standIns = set.findStandIns()
        return set
    }

    // MARK: - Two readings

    /// Returns what a database would notice of the difference between two readings.
    private static func difference(_ a: MigrationSet, _ b: MigrationSet) -> String? {
        if a.migrations.map(\.path) != b.migrations.map(\.path) { return "differ in order or files" }
        for (x, y) in zip(a.migrations, b.migrations) {
            if x.statements.map(\.text) != y.statements.map(\.text) || (x.fault == nil) != (y.fault == nil) {
                return "differ in the statements of \(x.path)"
            }
        }
        return nil
    }
}
