import DatabaseEngine
import SQLiteSchema

/// Why SQLite refused a row, and what to try next.
struct RowRefusal {
    /// The constraint, or the message of a trigger.
    var reason: String
    /// The columns that may be at fault; nil if any may.
    private var columns: [Int]?
    private(set) var isDuplicate = false
    private(set) var isAboutParent = false

    init(reason: String) { self.reason = reason }

    init(_ error: EngineError, _ plan: TablePlan) {
        reason = error.message
        let primary = error.extendedCode & 0xff
        guard primary == 19 else { return }
        switch error.extendedCode >> 8 {
        // CHECK, FOREIGN KEY, TRIGGER, and UNIQUE, PRIMARY KEY and ROWID (https://www.sqlite.org/rescode.html).
        case 1:
            guard let check = Self.check(error.message, plan) else { return }
            reason = "CHECK (\(check.text))"
            let places = check.alternatives.columns.compactMap { plan.places[$0] }.sorted()
            columns = places.isEmpty ? nil : places
        case 3: isAboutParent = true
        case 7: reason = "a trigger refuses it: \(error.message)"
        case 6, 8, 10: isDuplicate = true
        default: break
        }
    }

    /// The message has the name of the constraint, or its text.
    private static func check(_ message: String, _ plan: TablePlan) -> TablePlan.Check? {
        guard let colon = message.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let label = String(message[message.utf8.index(after: colon)...].drop { $0 == " " })
        if let named = plan.checks.first(where: { $0.labels.contains(label.foldedASCII) }) { return named }
        let text = SQLFragment(sql: label).description.foldedASCII
        return plan.checks.first { $0.labels.contains(text) }
    }

    /// Makes the next attempt differ in what may be at fault.
    func vary(_ builder: inout RowBuilder, _ attempt: Int) {
        if isDuplicate { return builder.advanceKey() }
        if isAboutParent, attempt >= 6 { builder.leaveReferencesOut() }
        let plan = builder.plan
        let keys = Set(plan.keys.filter(\.isPresent).flatMap(\.columns))
        if let columns {
            builder.vary(columns, attempt: attempt)
        } else if attempt > 2 {
            builder.vary(plan.columns.indices.filter { !keys.contains($0) })
        }
        if attempt % 4 == 3 { builder.advanceKey() }
    }
}
