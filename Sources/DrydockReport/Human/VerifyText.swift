import Drydock

/// What the summary of `drydock verify` says.
struct VerifyText {
    let verify: VerifySummary

    /// Returns what was replayed: snapshots, or generated rows, and what was compared.
    func facts(tool: String) -> [String] {
        let probes = verify.replays.filter(\.isProbe)
        let snapshots = verify.replays.count - probes.count
        let generated = counted(probes.reduce(0) { $0 + $1.rowsGenerated }, "generated row")
        guard snapshots == 0, !probes.isEmpty else {
            return [counted(snapshots, "snapshot")] + (probes.isEmpty ? [] : [generated])
                + ReplayFacts(verify.replays).all(tool: tool)
        }
        // Nobody has generated rows, so how many were compared and written says nothing.
        return [counted(probes.reduce(0) { $0 + $1.steps.count }, "step") + tool, generated, "no snapshot"]
            + ReplayFacts(probes).crashes
    }

    /// Says how much a run proves on generated rows alone, or on none; empty for other runs.
    func claim(_ report: Report) -> String {
        guard !verify.replays.isEmpty else { return "" }
        if report.hasPassed, verify.replays.contains(where: { !$0.isProbe && !$0.steps.isEmpty }),
            verify.replays.allSatisfy({ $0.hasNoRows == true })
        {
            return
                "No migration met a row, which only proves that they run on an empty database. Snapshots with rows "
                + "prove more."
        }
        guard verify.replays.allSatisfy(\.isProbe),
            !report.findings.contains(where: { $0.rule == .nothingVerified })
        else { return "" }
        let claim =
            if verify.replays.allSatisfy({ $0.rowsGenerated == 0 }) {
                "No migration met a row, which only proves that they run on an empty database."
            } else if report.hasPassed, report.findings.contains(where: { $0.tags.contains(.probe) }) {
                "Only unusual rows show a fault; you must judge whether users have such rows."
            } else if report.hasPassed {
                "No generated row shows a fault, which does not prove that no row does."
            } else {
                "The rows are generated."
            }
        return claim + " Snapshots of released versions prove more: put them into Snapshots/."
    }
}
