import DrydockFindings
import DrydockState
import DatabaseEngine
import SQLiteSchema

/// Detects renames from the schemas and, if both sides have rows, from the values in the columns.
struct RenameEvidence: Sendable {
    let old: LoadedSource
    let new: LoadedSource
    let inspector: StateInspector

    /// How many rows are compared for a pair of columns. Evidence may come from a sample; proof comes later.
    private static let rowLimit = 10_000

    /// Returns the hints that were given together with the renames that were detected.
    func decide(_ hints: RenameHints) async throws -> (hints: RenameHints, decision: RenameDecision) {
        let detector = RenameDetector(from: old.schema, to: new.schema)
        var decision = RenameDecision()
        let given = Set(hints.tables.keys)
        let tables = RenameDetector.decide(
            detector.tables().filter { !given.contains($0.from.foldedASCII) })
        decision.taken = tables.taken
        decision.open = tables.open
        let withTables = hints.adding(tables.taken)
        let columns = RenameDetector.decide(try await weighed(detector.columns(withTables)))
        decision.taken += columns.taken
        decision.open += columns.open
        return (withTables.adding(columns.taken), decision)
    }

    /// Rescores the candidates: where both sides have the same rows, values outweigh what the schemas suggest.
    private func weighed(_ candidates: [RenameCandidate]) async throws -> [RenameCandidate] {
        guard !candidates.isEmpty else { return [] }
        let (oldSchema, newSchema) = (old.schema, new.schema)
        return try await inspector.withConnection(to: old.image, attaching: new.image) { connection in
            try candidates.map { candidate in
                guard let name = candidate.table, let before = oldSchema.table(name),
                    let after = newSchema.table(candidate.newTable ?? name),
                    let counts = try Self.compare(candidate, before, after, connection), counts.compared > 0
                else { return candidate }
                var candidate = candidate
                let share = Double(counts.same) / Double(counts.compared)
                candidate.score = share
                candidate.isBorneOut = true
                candidate.evidence = "\(counts.same) of \(counts.compared) values are the same"
                return candidate
            }
        }
    }

    /// Counts equal values, other than NULL, in rows that both sides have. Such rows have the same key and the same
    /// values in the columns that kept their name: two users' databases have the same keys and nothing else in common.
    private static func compare(
        _ candidate: RenameCandidate, _ before: Table, _ after: Table, _ connection: any Connection
    ) throws -> (same: Int, compared: Int)? {
        let keys = before.effectivePrimaryKey.map(\.column)
        let shared = before.columns.filter { column in
            column.generated == nil && after.column(column.name).map { $0.generated == nil } ?? false
        }.map(\.name)
        guard !keys.isEmpty, keys.allSatisfy({ after.column($0) != nil }), shared.count > keys.count else {
            return nil
        }
        let join = shared.map { "a.\(quotedName($0)) IS b.\(quotedName($0))" }.joined(separator: " AND ")
        let (from, to) = ("b.\(quotedName(candidate.from))", "a.\(quotedName(candidate.to))")
        return try connection.firstRow(
            """
            SELECT sum(\(from) IS \(to)), count(*) FROM \
            (SELECT * FROM main.\(quotedName(before.name)) \
            WHERE \(quotedName(candidate.from)) IS NOT NULL LIMIT \(rowLimit)) AS b \
            JOIN \(StateInspector.laterSchema).\(quotedName(after.name)) AS a ON \(join)
            """
        ) { (Int($0.integer(0)), Int($0.integer(1))) }
    }
}
