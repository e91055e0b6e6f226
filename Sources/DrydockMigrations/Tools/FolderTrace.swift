import DrydockFindings

/// What a tool leaves in a folder of migrations, as far as a summary shows it.
///
/// It decides only where migrations are. In which format they are is decided by ``FormatChoice``, which reads them.
struct FolderTrace: Sendable {
    /// How sure a trace is, the surest first.
    enum Kind: Sendable, CaseIterable {
        /// A file that the tool itself writes.
        case written
        /// Names of files that only one or two tools have.
        case named
        /// Numbered files with an ending.
        case numbered
        /// Words in the first script.
        case said
        /// A folder for each migration.
        case stepped
        /// Any folder of SQL looks like this.
        case plain
    }

    let kind: Kind
    /// What it is, as messages say it.
    let sign: String
    let isIn: @Sendable (FolderSummary) -> Bool
    /// The key in the file whose value is the project's database.
    private(set) var databaseKey: String?
    /// The scripts in the folder of a single migration.
    private(set) var stepFiles: Set<String> = []
    /// Whether the Cargo.toml beside the folder may say that it is for another database.
    private(set) var isOfCrate = false

    private init(_ kind: Kind, _ sign: String, isIn: @escaping @Sendable (FolderSummary) -> Bool) {
        (self.kind, self.sign, self.isIn) = (kind, sign, isIn)
    }

    /// A file that the tool writes, by its path in the folder.
    /// - Parameter databaseKey: what it calls the project's database.
    static func file(_ path: String, databaseKey: String) -> FolderTrace {
        let parts = path.split(separator: "/").map(String.init)
        var trace = FolderTrace(.written, path) { summary in
            parts.count == 1
                ? summary.files.contains(path) : summary.folders.contains(parts[0]) && summary.has(path)
        }
        trace.databaseKey = databaseKey
        return trace
    }

    /// Files that the tool writes, which a closure recognises.
    static func written(
        _ sign: String, isIn: @escaping @Sendable (FolderSummary) -> Bool
    ) -> FolderTrace {
        FolderTrace(.written, sign, isIn: isIn)
    }

    /// A file whose name a closure recognises.
    static func name(_ sign: String, isOne: @escaping @Sendable (String) -> Bool) -> FolderTrace {
        FolderTrace(.named, sign) { $0.files.contains(where: isOne) }
    }

    /// A numbered file with an ending.
    static func numbered(_ sign: String, ending: String) -> FolderTrace {
        FolderTrace(.numbered, sign) { $0.hasNumbered(ending) }
    }

    /// Words in the first numbered script.
    static func words(_ words: String) -> FolderTrace { FolderTrace(.said, words) { $0.says(words) } }

    /// A folder for each migration, with a script.
    /// - Parameters:
    ///   - others: the other scripts that it may have.
    ///   - isOfCrate: whether the Cargo.toml beside the folder may say that it is for another database.
    static func step(_ script: String, others: Set<String> = [], isOfCrate: Bool = false) -> FolderTrace {
        var trace = FolderTrace(.stepped, "NAME/" + script) { $0.hasStep(script) }
        (trace.stepFiles, trace.isOfCrate) = (others.union([script]), isOfCrate)
        return trace
    }

    /// Any SQL in a folder that is named as folders of migrations are.
    static let scripts: FolderTrace = {
        var trace = FolderTrace(.plain, "NAME.sql") { $0.isForMigrations && !$0.scripts.isEmpty }
        trace.isOfCrate = true
        return trace
    }()

    /// The name of the file that the tool writes, if that is in a folder in the folder.
    var innerFile: String? { kind == .written && sign.contains("/") ? PathParts.name(of: sign) : nil }
}

/// A trace, and the format of the tool that leaves it.
struct FoundTrace: Sendable {
    let format: String
    let trace: FolderTrace

    /// The traces of all tools, the surest first.
    static let all = FolderTrace.Kind.allCases.flatMap { kind in
        ToolProfile.all.flatMap { tool in
            tool.traces.filter { $0.kind == kind }.map { FoundTrace(format: tool.name, trace: $0) }
        }
    }

    static func first(in summary: FolderSummary) -> FoundTrace? { all.first { $0.trace.isIn(summary) } }
}
