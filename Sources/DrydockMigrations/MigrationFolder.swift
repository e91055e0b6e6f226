/// How a folder of migrations goes on.
public enum MigrationFolder {
    /// The identifiers of a folder's migrations, in order.
    /// - Throws: ``RequestError`` when there is no such folder.
    public static func identifiers(in folder: String) throws -> [String] {
        try MigrationFormats.load(folder: folder).migrations.map(\.identifier)
    }

    /// The name of the format that a folder is in.
    /// - Throws: ``RequestError`` when there is no such folder, or two formats read it differently.
    public static func format(of folder: String) throws -> String {
        try MigrationFormats.load(folder: folder).format.name
    }

    /// Whether the folder's tool runs migrations with foreign keys off: it never turns them on, or it is GRDB's
    /// migrator, which checks them at the end.
    /// - Throws: ``RequestError`` when there is no such folder.
    public static func runsWithForeignKeysOff(_ folder: String) throws -> Bool {
        let policy = try MigrationFormats.load(folder: folder).policy
        return policy.isRunByEngine || !policy.foreignKeys
    }

    /// The next name: the last one's letters, its number and one more, as many digits, its separator, the
    /// words. Nil when the last one has no number at its start, so that nobody can say what sorts behind it.
    public static func nextName(after identifiers: [String], words: String) -> String? {
        guard let last = identifiers.last else { return "v1_" + words }
        let prefix = last.prefix { $0.isLetter && $0.isASCII }
        let digits = last.dropFirst(prefix.count).prefix { $0.isNumber && $0.isASCII }
        let separator = last.dropFirst(prefix.count + digits.count).prefix { $0 == "_" || $0 == "-" }
        guard !digits.isEmpty, digits.count <= 14, let number = Int(digits) else { return nil }
        let next = String(number + 1)
        let padding = digits.hasPrefix("0") || digits.count >= 8 ? max(0, digits.count - next.count) : 0
        return prefix + String(repeating: "0", count: padding) + next + (separator.isEmpty ? "_" : separator)
            + words
    }
}
