import DrydockFiles
import DrydockFindings
import DrydockMigrations
import SQLiteSchema

extension LintFindings {
    /// Returns the rewrites of files that are unchanged since they were read and contain no locked migration; and the
    /// files that contain one.
    ///
    /// - Parameters:
    ///   - locked: The identifiers of locked migrations.
    ///   - edited: The content of files after other rewrites, by path.
    func rewrites(
        of migrations: [Migration], locked: Set<String>, edited: [String: [UInt8]]
    ) -> (made: [FileRewrite], kept: [KeptFile]) {
        guard !proposals.isEmpty else { return ([], []) }
        let released = migrations.filter { locked.contains($0.identifier) }.map(\.path)
        // A link is another name of its target.
        let places = Set(released.map(FolderListing.realPath))
        var result: (made: [FileRewrite], kept: [KeptFile]) = ([], [])
        for path in Set(proposals.map(\.path)).sorted(by: naturallyPrecedes) {
            guard !places.contains(FolderListing.realPath(path)) else {
                let reason = released.contains(path) ? "it is locked" : "it is another name of a locked file"
                result.kept.append(KeptFile(path: path, reason: reason))
                continue
            }
            guard let bytes = try? edited[path] ?? FolderListing.contents(of: path),
                let migration = migrations.first(where: { $0.path == path }),
                let statement = migration.statements.first
            else { continue }
            guard statement.source.bytes == bytes else {
                let reason = "it was linted with placeholders filled in"
                result.kept.append(KeptFile(path: path, reason: reason))
                continue
            }
            result.made.append(
                FileRewrite(
                    path: path, bytes: bytes,
                    proposals: proposals.filter { $0.path == path }.map { proposal in
                        ProposedFix(
                            finding: findings[proposal.finding], number: proposal.finding, path: path,
                            edits: proposal.edits)
                    }))
        }
        return result
    }

    /// Returns the findings with the edits that the rewrites make.
    func findingsWithEdits(of rewrites: [FileRewrite]) -> [Finding] {
        var findings = findings
        for rewrite in rewrites {
            let source = SQLSource(name: rewrite.path, bytes: rewrite.bytes)
            for fix in rewrite.made {
                let edits = fix.edits.sorted { $0.range.lowerBound < $1.range.lowerBound }
                    .compactMap { Finding.Edit($0, in: source) }
                // Some of the edits alone would mean something else.
                if edits.count == fix.edits.count { findings[fix.number].edits = edits }
            }
        }
        return findings
    }
}
