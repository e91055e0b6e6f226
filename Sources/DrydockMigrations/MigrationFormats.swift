import DrydockFindings

/// The formats, and the choice of the one that a folder is in.
public enum MigrationFormats {
    /// The formats of the tools in ``ToolProfile/all``, in their order.
    public static let all: [any MigrationFormat] = ToolProfile.all.compactMap(\.format)

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
