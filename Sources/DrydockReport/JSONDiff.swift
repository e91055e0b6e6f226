import Drydock
import SQLiteSchema

/// What `drydock diff` writes about two schemas besides what every report has.
struct JSONDiff: Encodable {
    struct Change: Encodable {
        var kind: String
        var code: String
        var table: String?
        var object: String?
        var description: String
        var quiet: Bool
        /// The query of a view, or the body of a trigger, that has changed.
        var old, new: String?
    }

    struct Rename: Encodable {
        var from, to, evidence: String
        var score: Double
        var taken: Bool
    }

    var old, new: String
    var changes: [Change]
    var renames: [Rename]
    var sql, downSQL: String?
    var losses, leftOver, unparsed: [String]?

    init(_ diff: DiffSummary) {
        (old, new) = (diff.old, diff.new)
        changes = diff.changes.map { change in
            let kind =
                switch change.sign {
                case .added: "added"
                case .dropped: "dropped"
                case .changed: "changed"
                }
            return Change(
                kind: kind, code: change.code, table: change.table, object: change.object,
                description: change.description, quiet: change.isQuiet,
                old: change.bodies?.old.sql, new: change.bodies?.new.sql)
        }
        renames = [(diff.renames.taken, true), (diff.renames.open, false)].flatMap { renames, isTaken in
            renames.map {
                Rename(from: $0.oldPath, to: $0.to, evidence: $0.evidence, score: $0.score, taken: isTaken)
            }
        }
        sql = diff.plan?.text
        downSQL = diff.downPlan?.text
        losses = diff.plan.flatMap { $0.losses.isEmpty ? nil : $0.losses }
        leftOver = diff.plan.flatMap { $0.leftOver.isEmpty ? nil : $0.leftOver }
        unparsed = diff.unparsed.isEmpty ? nil : diff.unparsed
    }
}

extension [SQLFragment] {
    fileprivate var sql: String { map(\.description).joined(separator: "; ") }
}
