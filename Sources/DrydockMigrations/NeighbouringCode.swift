import DrydockFindings

/// Files of code beside a migration that have its number: what an app runs before or after it, such as stash's
/// `48_premigrate.go` beside `48_cleanup.up.sql`.
package enum NeighbouringCode {
    private static let endings: Set<String> = [
        "go", "java", "kt", "rs", "ts", "js", "mjs", "cjs", "py", "rb", "swift", "dart", "cs", "php",
    ]

    /// Returns their names, in natural order.
    package static func files(beside path: String) -> [String] {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard let file = parts.last, let number = number(String(file)),
            let names = try? FolderListing.files(in: parts.dropLast().joined(separator: "/"))
        else { return [] }
        return names.filter { name in
            name != file && endings.contains(name.split(separator: ".").last?.lowercased() ?? "")
                && !name.hasSuffix("_test.go") && self.number(name) == number
        }.sorted(by: naturallyPrecedes)
    }

    /// Returns the number at a name's start, after one letter at most, without leading zeros.
    private static func number(_ name: String) -> Substring? {
        guard let match = name.prefixMatch(of: /[A-Za-z]?([0-9]+)(?=[._-])/) else { return nil }
        return match.1.drop { $0 == "0" }
    }
}
