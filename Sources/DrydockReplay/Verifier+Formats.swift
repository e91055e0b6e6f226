import DrydockFindings
import DrydockMigrations

extension Verifier {
    /// Returns the formats in which a request's migrations can be read, the one that is used first, with what their tools would
    /// do otherwise than others; that is empty where it does not matter.
    /// - Throws: ``RequestError`` exactly where ``run(_:)`` would for the migrations.
    package func formats(_ request: VerifyRequest) async throws -> [RequestError.Choice] {
        // A snapshot's history may decide; that there is none is for later.
        let snapshots = (try? snapshots(request)) ?? []
        let loaded = try await load(request, snapshots, TimeBudget(request.timeout), nil)
        if let readings = loaded.readings, readings.all.count > 1 {
            return readings.summaries.flatMap { reading in
                reading.formats.map { .init(format: $0, reason: reading.behaviour) }
            }
        }
        let used = RequestError.Choice(format: loaded.set.format.name, reason: "")
        guard request.migrationFormat == nil,
            let choice = try? FormatChoice(
                folder: request.migrationsFolder, named: nil, options: request.format),
            let readings = try? choice.readings([])
        else { return [used] }
        return [used]
            + readings.formats.filter { $0 != used.format }.map {
                RequestError.Choice(format: $0, reason: "")
            }
    }
}
