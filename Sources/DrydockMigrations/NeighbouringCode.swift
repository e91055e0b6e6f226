import DrydockFiles
import DrydockFindings

/// Files of code beside migrations that are named like these: what an app, or a runner that also runs code, does with
/// their number, such as stash's `48_premigrate.go` beside `48_cleanup.up.sql`.
package enum NeighbouringCode {
    private static let endings: Set<String> = [
        "go", "java", "kt", "kts", "rs", "ts", "mts", "cts", "js", "mjs", "cjs", "py", "rb", "swift", "dart",
        "cs", "php",
        "sh", "ex", "exs",
    ]

    /// Returns those that have a migration's number, in natural order.
    package static func files(beside path: String) -> [String] {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard let file = parts.last, let number = number(String(file)),
            let names = try? FolderListing.files(in: parts.dropLast().joined(separator: "/"))
        else { return [] }
        return names.filter { $0 != file && isCode($0) && self.number($0) == number }
            .sorted(by: naturallyPrecedes)
    }

    /// Returns whether a file is code and begins with a number, tests and declarations of types excepted.
    static func isCode(_ name: String) -> Bool {
        let words = name.lowercased().split { !$0.isLetter && !$0.isNumber }
        guard let ending = words.last, endings.contains(String(ending)), number(name) != nil else {
            return false
        }
        return !words.suffix(2).contains { ["test", "spec", "d"].contains($0) }
    }

    /// Returns the number at a name's start, after one letter at most, without leading zeros.
    static func number(_ name: String) -> Substring? {
        guard let match = name.prefixMatch(of: /[A-Za-z]?([0-9]+)(?=[._-])/) else { return nil }
        return match.1.drop { $0 == "0" }
    }
}

extension MigrationSet {
    /// Reports files of code that stand between the migrations and are not run with them (`migration-in-code`).
    mutating func leaveOutCode(of folder: FolderFiles) {
        guard !migrations.isEmpty else { return }
        let known = Set(migrations.map(\.path))
        let files = folder.files.filter { NeighbouringCode.isCode($0) && !known.contains(folder.file($0)) }
        guard let first = files.first else { return }
        codeIdentifiers = Set(
            files.flatMap { file in
                [
                    NeighbouringCode.number(file).map(String.init),
                    file.lastIndex(of: ".").map { String(file[..<$0]) },
                ].compactMap(\.self)
            })
        let names = files.prefix(5).joined(separator: ", ") + (files.count > 5 ? ", …" : "")
        findings.append(
            Finding(
                .migrationInCode, .warning,
                "\(counted(files.count, "file")) of code between the migrations \(files.count == 1 ? "is" : "are") not "
                    + "run here: \(names)",
                help:
                    "What the code does to rows was not checked, and later migrations ran without it. If it is run with "
                    + "them, let the app upgrade a copy of a database past it, and keep that as a snapshot: the replay "
                    + "continues from there.",
                place: .init(file: folder.file(first))))
    }

    /// Returns whether code that is not run stands before a migration, or beside it with its number.
    package func hasCode(upTo migration: Migration) -> Bool {
        let file = migration.path.split(separator: "/").last.map(String.init) ?? ""
        let number = NeighbouringCode.number(file).map(String.init)
        return codeIdentifiers.contains { $0 == number || naturallyPrecedes($0, file) }
    }

    /// Returns whether a history's entry is of code that stands between the migrations.
    package func isOfCode(_ identifier: String) -> Bool {
        let isNumber = identifier.allSatisfy { $0.isASCII && $0.isNumber }
        return codeIdentifiers.contains(isNumber ? String(identifier.drop { $0 == "0" }) : identifier)
    }
}
