import DrydockFindings
import DrydockMigrations

extension Verifier {
    /// Returns the formats in which a request's migrations can be read and run alike, the one that is used first.
    /// - Throws: ``RequestError`` exactly where ``run(_:)`` would for the migrations.
    package func formats(_ request: VerifyRequest) async throws -> [String] {
        // A snapshot's history may decide; that there is none is for later.
        let snapshots = (try? snapshots(request)) ?? []
        let loaded = try await load(request, snapshots, TimeBudget(request.timeout), nil)
        let used = loaded.set.format.name
        guard request.migrationFormat == nil,
            let choice = try? FormatChoice(
                folder: request.migrationsFolder, named: nil, options: request.format),
            let readings = try? choice.readings([]).filter({ !$0.isPartial })
        else { return [used] }
        var names = [used]
        for reading in readings where !names.contains(reading.set.format.name) {
            names.append(reading.set.format.name)
        }
        return names
    }
}
