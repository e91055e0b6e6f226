import DrydockFindings
import DrydockState
import DatabaseEngine

/// The check `integrity-failure`: the structure of the file, and with `--deep` every index entry
/// (https://www.sqlite.org/pragma.html#pragma_integrity_check).
///
/// In ranges of keys it reads the pages itself (``RangedIntegrity``).
struct IntegrityHealthCheck: RangedHealthCheck {
    let text = HealthCheckText(
        .integrityFailure, "quick_check, or integrity_check with --deep, finds a problem",
        why: "Queries fail or give wrong answers, and further writes can spread the damage.")

    let isVital = true
    let isDivisible = true
    let seenInWholeOnly: String? =
        "pages that nothing refers to, or two trees, show only in one look at the whole file, which takes longer "
        + "than a slice while the database is being written"

    func check(_ view: HealthView) throws -> HealthResult {
        let check = try IntegrityCheck(
            view.connection, catalog: view.catalog, file: view.file, pragma: pragma(view))
        if check.damage.isEmpty, check.notChecked.isEmpty { view.facts.noteProved() }
        var result = result(check, view)
        // A module or a tokenizer that only the program has.
        result.notReached += view.facts.unreadable.map {
            var missed = CheckedDatabase.NotReached(
                text.rule, table: $0.name, reason: "it cannot be read here: \($0.error.message)",
                cause: .database)
            missed.isDamage = $0.error.isCorruption
            return missed
        }
        return result
    }

    func parts(_ view: HealthView) -> [String] { view.treeTables }

    func check(_ view: HealthView, part: String) throws -> HealthResult {
        let check = try IntegrityCheck(
            view.connection, catalog: view.catalog, tables: [part], pragma: pragma(view))
        return result(check, view)
    }

    func check(_ view: HealthView, part: String, _ range: inout HealthRange) throws {
        guard let check = try RangedIntegrity(view, table: part) else {
            range.isDone = true
            return
        }
        try check.run(&range)
    }

    func findings(_ tallies: [HealthTally], part: String) -> [Finding] {
        tallies.map { tally in
            let isBroken = tally.kind == RangedIntegrity.constraint
            let what = isBroken ? "has rows that break a constraint" : "is damaged"
            let index = isBroken ? nil : tally.object
            let object = IntegrityMessage.Object(table: part, index: index)
            let evidence = tally.evidence
            let count =
                switch tally.kind {
                case "rows": "\(counted(tally.count, "row")) of the table are not in it"
                case "entries":
                    (tally.count == 1 ? "1 entry" : "\(tally.count) entries") + " without such a row"
                case RangedIntegrity.constraint: "\(tally.object ?? ""), \(counted(tally.count, "row"))"
                default: counted(tally.count, "message")
                }
            return finding(object, count, what, evidence)
        }
    }

    private func pragma(_ view: HealthView) -> String { view.isDeep ? "integrity_check" : "quick_check" }

    private func result(_ check: IntegrityCheck, _ view: HealthView) -> HealthResult {
        let damage = Dictionary(grouping: check.damage) { IntegrityMessage.object($0, view) }
        let broken = Dictionary(grouping: check.brokenConstraints) { IntegrityMessage.object($0, view) }
        return HealthResult(
            findings(damage, "is damaged") + findings(broken, "has rows that break a constraint"),
            notReached: check.notChecked.map { .init(text.rule, reason: $0, cause: .database) })
    }

    private func findings(
        _ messages: [IntegrityMessage.Object: [String]], _ what: String
    ) -> [Finding] {
        messages.sorted { $0.key.text < $1.key.text }.map { object, messages in
            // A single message is the whole fact, and is put into the sentence.
            messages.count == 1
                ? finding(object, messages[0], what, Evidence(rowCount: 1))
                : finding(
                    object, counted(messages.count, "message"), what,
                    Evidence(rowCount: messages.count, details: messages))
        }
    }

    private func finding(
        _ object: IntegrityMessage.Object, _ count: String, _ what: String, _ evidence: Evidence
    ) -> Finding {
        let message = "\(object.text) \(what): \(count)"
        guard what == "is damaged" else {
            return finding(
                .error, message,
                help: "Find the rows with the constraint's own condition and correct them.",
                table: object.table, object: object.index, evidence: evidence)
        }
        let help =
            object.index.map { "If its table is whole, rebuild the index: REINDEX \(quotedIfNeeded($0));" }
            ?? HealthHelp.damaged
        return damage(message, help: help, table: object.table, object: object.index, evidence: evidence)
    }
}

/// The object that a message of `integrity_check` is about.
enum IntegrityMessage {
    struct Object: Hashable {
        var table: String?
        var index: String?

        var text: String {
            if let index { return "index \(index)" + (table.map { " of \($0)" } ?? "") }
            return table.map { "table \($0)" } ?? "the file"
        }
    }

    static func object(_ message: String, _ view: HealthView) -> Object {
        if let start = message.ranges(of: " index ").last {
            return index(String(message[start.upperBound...]), view)
        }
        if let root = root(of: message), let entry = view.facts.entries.first(where: { $0.rootPage == root })
        {
            return Object(table: entry.tableName, index: entry.type == "index" ? entry.name : nil)
        }
        if let start = message.ranges(of: " in ").last {
            let path = message[start.upperBound...]
            let tables = view.facts.entries.filter { $0.type == "table" }.map(\.name)
            if let table = tables.filter({ path == $0 || path.hasPrefix($0 + ".") }).max(by: {
                $0.count < $1.count
            }) {
                return Object(table: table)
            }
        }
        return Object()
    }

    private static func index(_ name: String, _ view: HealthView) -> Object {
        let entry = view.facts.entries.first { $0.type == "index" && $0.name == name }
        return Object(table: entry?.tableName, index: name)
    }

    /// Returns the root page of the tree in `Tree 5 page 7 cell 0: ...`.
    private static func root(of message: String) -> UInt32? {
        let words = message.split(separator: " ", maxSplits: 3)
        guard words.count > 2, words[0] == "Tree" else { return nil }
        return UInt32(words[1].filter(\.isNumber))
    }
}
