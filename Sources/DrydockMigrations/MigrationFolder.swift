/// Facts about a folder of migrations, for the next one to be added.
public enum MigrationFolder {
    /// Returns the identifiers of a folder's migrations, in order.
    /// - Throws: ``RequestError`` if there is no such folder.
    public static func identifiers(in folder: String) throws -> [String] {
        try MigrationFormats.load(folder: folder).migrations.map(\.identifier)
    }

    /// Returns the name of a folder's format.
    /// - Throws: ``RequestError`` if there is no such folder, or two formats read it differently.
    public static func format(of folder: String) throws -> String {
        try MigrationFormats.load(folder: folder).format.name
    }

    /// Returns whether the folder's tool runs migrations with foreign keys off: it never turns them on, or it is
    /// GRDB's migrator, which checks them at the end. Where several tools may run them, all of them must.
    /// - Throws: ``RequestError`` if there is no such folder.
    public static func runsWithForeignKeysOff(_ folder: String) throws -> Bool {
        let choice = try FormatChoice(folder: folder, named: nil, options: FormatOptions())
        return try choice.readings([]).all.map(\.set.policy).allSatisfy {
            $0.isRunByEngine || !$0.foreignKeys
        }
    }

    /// Returns the next name: the last one's letters, its number plus one, as many digits, its separator, the words.
    /// Nil if the last one has no number at its start, since it is then unknown what sorts after it.
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
