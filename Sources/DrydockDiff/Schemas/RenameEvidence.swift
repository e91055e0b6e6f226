import DrydockFindings
import DrydockState
import DatabaseEngine
import SQLiteSchema

/// Which renames are taken, with what speaks for each.
public struct RenameDecision: Sendable {
    /// Detected and taken.
    public var taken: [RenameCandidate] = []
    /// Possible, with another reading near; only a hint decides.
    public var open: [RenameCandidate] = []
}

extension RenameCandidate {
    /// That it may be a rename, and how to say so.
    public var openNote: String {
        "perhaps renamed: \(oldPath) to \(to) (\(evidence)); --rename \(oldPath)=\(to) says so"
    }
}

/// Detects renames: by the schemas, and where both sides have rows, by what the columns hold.
struct RenameEvidence: Sendable {
    let old: LoadedSource
    let new: LoadedSource
    let inspector: StateInspector

    /// How many rows are looked at for one pair of columns. Evidence may be a sample; proof comes later.
    private static let rowLimit = 10_000

    /// The hints that were given and the renames that were detected beside them.
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

    /// Where both sides have the same rows, what they hold outweighs what the schemas suggest.
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

    /// Values other than NULL of rows that both sides have: the same key, and the same in the columns that
    /// both know by one name. Two databases of two users have the same keys and nothing in common.
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
            JOIN \(TableComparison.afterSchema).\(quotedName(after.name)) AS a ON \(join)
            """
        ) { (Int($0.integer(0)), Int($0.integer(1))) }
    }
}
