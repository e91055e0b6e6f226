import DrydockFindings

/// The formats, and the choice of the one that a folder is in.
public enum MigrationFormats {
    /// The only place where a format is registered. If two read a folder alike, the first does.
    public static let all: [any MigrationFormat] = [
        DrydockFormat(), GolangMigrateFormat(), GooseFormat(), SqlxFormat(), DieselFormat(), DbmateFormat(),
        MaragudkMigrateFormat(), PrismaFormat(), DrizzleFormat(), FlywayFormat(), RefineryFormat(),
        D1Format(), SQLDelightFormat(),
        RoomFormat(), DriftFormat(), UserVersionFormat(),
    ]

    /// Every name that `--migration-format` accepts.
    public static var names: [String] { all.map(\.name) + [CustomFormat.formatName] }

    /// Reads a folder in the format that it is in.
    ///
    /// - Parameter edited: the bytes that an edit would give files, by path, read in place of the files.
    /// - Throws: ``RequestError`` if there is no such folder, it cannot be read, or two formats read it differently.
    package static func load(
        folder: String, named name: String? = nil, options: FormatOptions = FormatOptions(),
        edited: [String: [UInt8]] = [:]
    ) throws -> MigrationSet {
        try FormatChoice(folder: folder, named: name, options: options, edited: edited).load([])
    }
}

extension MigrationFormat {
    /// Returns the tool's policy with the project's settings in place.
    func policy(_ options: FormatOptions) -> ToolPolicy {
        var policy = policy
        policy.transaction = options.transaction ?? policy.transaction
        policy.foreignKeys = options.foreignKeys ?? policy.foreignKeys
        policy.doubleQuotedStrings = options.doubleQuotedStrings ?? policy.doubleQuotedStrings
        return policy
    }
}
