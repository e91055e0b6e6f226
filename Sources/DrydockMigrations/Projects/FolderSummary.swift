import DrydockFiles
import Foundation

/// What one reading of a folder shows: its names, and the beginnings of very few files.
struct FolderSummary: Sendable {
    let path: String
    /// Whether the folder, or the one that it is in, is called as folders of migrations are.
    let isForMigrations: Bool
    let files: [String]
    let folders: [String]
    let links: [String]

    /// Returns nil if the folder cannot be read.
    init?(_ path: String, isForMigrations: Bool) {
        guard let entries = FolderListing.entries(in: path) else { return nil }
        (self.path, self.isForMigrations) = (path, isForMigrations)
        var (files, folders, links): ([String], [String], [String]) = ([], [], [])
        for entry in entries {
            switch entry.kind {
            case .folder: folders.append(entry.name)
            case .link: links.append(entry.name)
            case .file: files.append(entry.name)
            }
        }
        // A file may be a link to one elsewhere.
        files += links.filter { $0.hasSuffix(".sql") && !FolderListing.isFolder(path + "/" + $0) }
        self.files = files.filter { !$0.hasPrefix(".") }
        self.folders = folders.filter { !$0.hasPrefix(".") }
        self.links = links
    }

    var entryCount: Int { files.count + folders.count + links.count }

    func has(_ name: String) -> Bool { FolderListing.exists(path + "/" + name) }

    /// The files that end like SQL and are not there for another purpose.
    var scripts: [String] {
        files.filter { $0.lowercased().hasSuffix(".sql") && !LeftOutFiles.hasAnotherPurpose($0) }
    }

    /// Returns whether a folder in this one has the file, which is a migration then.
    func hasStep(_ file: String) -> Bool {
        let steps = isForMigrations ? folders : folders.filter { $0.first?.isNumber == true }
        // Any of them will do, and there may be hundreds.
        return steps.sorted().prefix(Self.stepLimit).contains { has($0 + "/" + file) }
    }

    private static let stepLimit = 32
    private static let textLimit = 1 << 16

    /// Returns whether the first numbered script says this.
    func says(_ words: String) -> Bool {
        guard let first = files.filter({ $0.hasSuffix(".sql") && $0.first?.isNumber == true }).min(),
            let bytes = try? FolderListing.contents(of: path + "/" + first, limit: Self.textLimit)
        else { return false }
        return String(decoding: bytes, as: UTF8.self).contains(words)
    }

    /// Returns whether a file's beginning says all of this.
    func says(_ words: [String], in file: String) -> Bool {
        guard let bytes = try? FolderListing.contents(of: path + "/" + file, limit: Self.textLimit) else {
            return false
        }
        let text = String(decoding: bytes, as: UTF8.self)
        return words.allSatisfy(text.contains)
    }

    /// Returns whether any file begins with a digit and ends like this.
    func hasNumbered(_ ending: String) -> Bool {
        files.contains { $0.first?.isNumber == true && $0.hasSuffix(ending) }
    }

    /// Returns whether a name is one that folders of migrations have.
    static func isForMigrations(_ name: String) -> Bool {
        let name = name.lowercased()
        return name.hasSuffix("migrations") || names.contains(name)
    }

    private static let names = Set(
        ["migration", "migrate"]
            + ToolProfile.all.flatMap(\.places).compactMap {
                if case .named(let name) = $0 { name } else { nil }
            }
    )
}
