import DatabaseEngine
import DrydockFindings
import DrydockState
import SQLiteSchema

/// The checks that are made once, after the last pending migration.
package struct EndChecks {
    package let inputs: ReplayInputs

    package init(inputs: ReplayInputs) {
        self.inputs = inputs
    }

    package func run(_ replayed: ReplayedSnapshot, _ record: inout ReplayRecord) async throws {
        for finding in record.steps.settled(at: replayed.end) { record.add(finding) }
        try await MovesOfSteps(inputs: inputs).check(replayed, &record)
        if inputs.context.isRehearsal { record.result.end = replayed.end.image }
        record.result.summary.pendingCount =
            replayed.plan.pending.count - record.result.summary.steps.count
        if record.result.summary.rowsCompared == 0, await hasNoRows(replayed.baseline.state) {
            record.result.summary.hasNoRows = true
        }
        try await EndIntegrity(inputs: inputs).check(replayed, &record)
        EndSchema(inputs: inputs).check(replayed, &record)
        if replayed.isWhole { try await NextLaunch(inputs: inputs).check(replayed.end, &record) }
    }

    /// Whether no table of the app has a row in a state. A table that cannot be read may have some.
    private func hasNoRows(_ state: DatabaseState) async -> Bool {
        guard state.notChecked.isEmpty else { return false }
        let names = state.catalog.tables.values.filter(\.keepsRows).map(\.name)
        let isEmpty = try? await inputs.inspector.withConnection(to: state.image) { connection in
            for name in names {
                let row = try connection.firstRow("SELECT 1 FROM main.\(quotedName(name)) LIMIT 1") { _ in 1 }
                guard row == nil else { return false }
            }
            return true
        }
        return isEmpty ?? false
    }
}
