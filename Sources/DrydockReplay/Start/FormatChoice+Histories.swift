import DrydockFindings
import DrydockMigrations

extension FormatChoice {
    /// Returns the histories of snapshots, as far as they are needed to recognise the folder's format.
    package func histories(of snapshots: [Snapshot], _ opener: SnapshotOpener) async throws -> [HistoryFacts]
    {
        guard needsHistory else { return [] }
        var histories: [HistoryFacts] = []
        for snapshot in snapshots {
            try Task.checkCancellation()
            // A snapshot that cannot be read is reported when it is replayed.
            guard let facts = try? await opener.facts(of: snapshot) else { continue }
            histories.append(facts)
            if isDecided(by: facts) { break }
        }
        return histories
    }
}
