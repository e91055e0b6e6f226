import DrydockFiles
import DrydockFindings
import Foundation
import SQLiteSchema

/// A file and its rewritten content: every byte that no edit names is unchanged.
public struct FileRewrite: Sendable {
    public var path: String
    /// The file as it was linted.
    let bytes: [UInt8]
    /// The file's content after the edits.
    public private(set) var result: [UInt8]
    /// The fixes that the edits make.
    private(set) var fixes: [LintFix] = []
    /// The fixes that are made, with their edits of the file as it was linted.
    private(set) var made: [ProposedFix] = []

    /// Applies the fixes that are possible at once: of fixes that touch the same place, the first.
    init(path: String, bytes: [UInt8], proposals: [ProposedFix]) {
        self.path = path
        self.bytes = bytes
        result = []
        var edits: [SQLEdit] = []
        for proposal in proposals
        where !proposal.edits.contains(where: { edit in edits.contains(where: edit.touches) }) {
            edits += proposal.edits
            made.append(proposal)
        }
        edits.sort { $0.range.lowerBound < $1.range.lowerBound }
        var offset = 0
        for edit in edits {
            result += bytes[offset..<edit.range.lowerBound]
            result += edit.text.utf8
            offset = edit.range.upperBound
        }
        result += bytes[offset...]
        let source = SQLSource(name: path, bytes: result)
        fixes = made.map { proposal in
            let first = proposal.edits.map(\.range.lowerBound).min() ?? 0
            // Earlier edits have moved the position.
            let shift = edits.filter { $0.range.lowerBound < first }.reduce(0) {
                $0 + $1.text.utf8.count - $1.range.count
            }
            return LintFix(proposal.finding, place: Finding.Place(source, offset: first + shift))
        }
    }

    /// Returns this rewrite combined with a rewrite of its result.
    func followed(by next: FileRewrite) -> FileRewrite {
        var all = self
        all.result = next.result
        return all
    }

    /// - Throws: ``RequestError`` when the file has changed since it was linted, or may not be written.
    private func check() throws {
        guard let now = try? FolderListing.contents(of: path), now == bytes else {
            throw RequestError(
                .notWritable,
                "'\(path)' has changed since it was linted, and was not rewritten; lint it again")
        }
        let target = FolderListing.realPath(path)
        let folder = PathParts.folder(of: target)
        for (place, what) in [(target, "it"), (folder, "its folder")] where !Self.isWritable(place) {
            throw RequestError(
                .notWritable,
                "'\(path)' cannot be rewritten: \(what) is read-only; make it writable, or lint without --fix"
            )
        }
    }

    /// Replaces the file atomically.
    /// - Throws: ``RequestError`` as `check()`, or when the file cannot be written; it is then unchanged.
    public func write() throws {
        try check()
        do {
            try AtomicFile.write(result, to: path)
        } catch {
            throw RequestError(.notWritable, "'\(path)' cannot be rewritten: \(error); it is unchanged")
        }
    }

    /// Whether the file may be written. Root can write anything, but a file marked as read-only is left unchanged.
    private static func isWritable(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & 0o222 != 0 && access(path, W_OK) == 0
    }
}

/// A finding and the edits of one file that fix it.
struct ProposedFix: Sendable {
    var finding: Finding
    /// Its number among the findings of the run.
    var number: Int
    var path: String
    var edits: [SQLEdit]
}

extension SQLEdit {
    /// Whether two edits cannot be applied together.
    fileprivate func touches(_ other: SQLEdit) -> Bool {
        range.lowerBound == other.range.lowerBound || range.overlaps(other.range)
    }
}
