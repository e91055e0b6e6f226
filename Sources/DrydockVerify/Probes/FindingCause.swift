import DrydockFindings
import DrydockMigrations
import DrydockReplay
import DrydockState
import SQLiteSchema

/// Why a finding is there, as a run shows it, whatever rows show it: the statement, and what it did to them.
///
/// Beside ``FindingIdentity`` it is what must stay while a database and a migration get smaller. Rows that an OR IGNORE left
/// out are still gone once their table is only dropped, but that is another story than the user's.
package struct FindingCause: Hashable, Sendable {
    /// The statement that caused it, and the one that its explanation names.
    private let statements: [Statement]
    /// What its explanation says.
    private let reason: String?
    /// What its message says, where it is about no rows.
    private let fact: String?
    /// What SQLite would have refused of those statements, if they did not say to pass over it or to replace it.
    private let refusals: [String]

    private struct Statement: Hashable {
        var file: String
        var line: Int?
        var column: Int?
        var text: String?

        init(_ place: Finding.Place) {
            (file, line, column, text) = (place.file, place.line, place.column, place.statement)
        }
    }

    /// - Parameter refusals: see ``PassedOver``.
    package init(_ finding: Finding, refusals: [String], isWhole: Bool) {
        statements = [finding.place, finding.reasonPlace].compactMap(\.self).map(Statement.init)
        reason = finding.reason
        // What is seen only at the end of a replay is worded by all that ran before it.
        let isOfRows = finding.evidence?.rowCount != nil || finding.rule == .migrationFailed
        fact = isOfRows || isWhole ? nil : Self.withoutCounts(finding.sentence.withoutValues)
        self.refusals = refusals
    }

    private static func withoutCounts(_ text: String) -> String {
        text.replacing(/\b[0-9]+ (rows?|values?)( (is|are|was|were|has|have)\b)?/, with: "rows")
    }
}

extension StepFixture {
    /// Returns why a finding is there.
    /// - Parameters:
    ///   - finding: one of a run that searched for causes.
    ///   - state: the state that the step met.
    package func cause(of finding: Finding, from state: DatabaseState) async throws -> FindingCause {
        guard whole == nil, migrations.count == 1 else {
            return FindingCause(finding, refusals: [], isWhole: whole != nil)
        }
        let migration = migrations[0]
        let places = [finding.place, finding.reasonPlace].compactMap(\.self)
        var refusals: [String] = []
        for (index, statement) in migration.statements.enumerated()
        where places.contains(Finding.Place(statement)) {
            let passedOver = PassedOver(
                fork: StepFork(
                    migration: migration, before: state, engine: context.engine, inspector: inspector),
                index: index)
            refusals.append(try await passedOver.refusal() ?? "")
        }
        return FindingCause(finding, refusals: refusals, isWhole: false)
    }
}
