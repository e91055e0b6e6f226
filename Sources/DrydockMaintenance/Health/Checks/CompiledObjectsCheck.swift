import DatabaseEngine
import DrydockFindings
import DrydockState

/// The check `view-broken`: a view or trigger does not compile.
struct CompiledObjectsCheck: HealthCheck {
    let text = HealthCheckText(
        .viewBroken, "a view or trigger does not compile",
        why:
            "SQLite reports it only when the view or trigger is used; a write to the trigger's table then fails."
    )

    func check(_ view: HealthView) throws -> HealthResult {
        var result = HealthResult()
        for fault in try ViewRule().faults(in: view.stateView) {
            // What an app registers is unknown here.
            let unknown = [SQLiteMessage.noSuchFunction, .unknownFunction, .noSuchCollation, .noSuchModule]
            if unknown.contains(where: { $0.occurs(in: fault.sentence.text) }) {
                result.notReached.append(
                    .init(text.rule, table: fault.table, reason: "\(fault.sentence.text) here"))
                continue
            }
            result.findings.append(
                finding(
                    .error, fault.sentence,
                    help: "Recreate it for the tables as they are now, or drop it if nothing uses it.",
                    table: fault.table, object: fault.id.names.first))
        }
        result.notReached += ViewRule().notChecked(in: view.stateView).map {
            .init(text.rule, reason: $0.text)
        }
        return result
    }
}
