import DrydockFindings

/// The rule `file-left-out`: SQL files among the migrations that the format does not read, such as one named in
/// another tool's way, one that a journal does not list, or one that ends in `.SQL`.
///
/// What stands beside migrations for another purpose is not reported: ways back, seeds, a dump of the schema.
struct LeftOutFiles {
    let folder: FolderFiles
    let set: MigrationSet
    /// Whether the format was recognised by the files alone.
    let isGuess: Bool

    func findings() -> [Finding] {
        let format = set.format
        // If nothing is read at all, that is reported instead.
        guard !set.migrations.isEmpty else { return [] }
        var known = Set(set.migrations.map(\.path) + set.migrations.compactMap { $0.down?.path })
        known.formUnion(set.migrations.compactMap(\.companion))
        known.formUnion(set.findings.compactMap { $0.place?.file })
        let files = format.readsSubfolders ? folder.descendants() : folder.files
        let homes = Set(set.migrations.map { Self.home(of: $0.path) })
        let left = files.filter { file in
            let path = folder.file(file)
            return Self.isScript(file, format) && !known.contains(path)
                && (!format.readsSubfolders || format.readsEverySubfolder
                    || homes.contains(Self.home(of: path)))
                && !format.knows(file) && !Self.hasAnotherPurpose(file)
        }
        // A format that reads the smaller part of a folder is hardly the folder's.
        let severity = isGuess && left.count > set.migrations.count ? Finding.Severity.error : .warning
        return left.map { finding(folder.file($0), severity) }
    }

    private func finding(_ path: String, _ severity: Finding.Severity) -> Finding {
        let isUppercase = path.lowercased().hasSuffix(".sql") && !path.hasSuffix(".sql")
        let ending = isUppercase ? " The file extension must be in lower case." : ""
        let other =
            severity == .error
            ? " Most of the files here are not read: --migration-format names the tool that runs them." : ""
        return Finding(
            .fileLeftOut, severity,
            "\(path) is not read: it is not named like a migration of \(set.format.name)",
            help:
                "\(set.format.namingAdvice)\(ending)\(other) If it is not a migration, move it out of the folder.",
            place: .init(file: path))
    }

    private static func home(of path: String) -> Substring {
        path.lastIndex(of: "/").map { path[..<$0] } ?? ""
    }

    private static func isScript(_ file: String, _ format: any MigrationFormat) -> Bool {
        let name = file.lowercased()
        return format.fileEndings.contains { name.hasSuffix($0) }
    }

    /// Returns whether a file's name gives it another purpose: one that begins with a version is meant to be a
    /// migration, unless it is a way back.
    static func hasAnotherPurpose(_ file: String) -> Bool {
        let name = PathParts.name(of: file).lowercased()
        let words = name.split { !$0.isLetter && !$0.isNumber }.map(String.init)
        if words.contains(where: { ["down", "undo", "rollback", "revert"].contains($0) }) { return true }
        if name.prefixMatch(of: /[a-z]?[0-9]/) != nil { return false }
        return words.contains { purposes.contains($0) || $0.hasPrefix("seed") || $0.hasPrefix("fixture") }
    }

    private static let purposes: Set<String> = [
        "readme", "schema", "structure", "dump", "template", "example", "examples", "sample", "testdata",
        "queries", "query",
    ]
}
