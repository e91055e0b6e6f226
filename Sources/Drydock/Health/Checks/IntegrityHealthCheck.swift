import DatabaseEngine

/// `integrity`: the structure of the file, and with `--deep` every index entry
/// (https://www.sqlite.org/pragma.html#pragma_integrity_check).
struct IntegrityHealthCheck: HealthCheck {
    let text = HealthCheckText(
        "integrity", "quick_check, or with --deep integrity_check, finds something",
        why: "Queries give wrong answers or fail, and what is damaged spreads with every write.")

    let isDivisible = true

    func check(_ view: HealthView) throws -> HealthResult {
        result(try IntegrityCheck(view.connection, catalog: view.catalog, pragma: pragma(view)), view)
    }

    func parts(_ view: HealthView) -> [String] { view.treeTables }

    func check(_ view: HealthView, part: String) throws -> HealthResult {
        let check = try IntegrityCheck(
            view.connection, catalog: view.catalog, tables: [part], pragma: pragma(view))
        return result(check, view)
    }

    private func pragma(_ view: HealthView) -> String { view.isDeep ? "integrity_check" : "quick_check" }

    private func result(_ check: IntegrityCheck, _ view: HealthView) -> HealthResult {
        let damage = Dictionary(grouping: check.damage) { IntegrityMessage.object($0, view) }
        let broken = Dictionary(grouping: check.brokenConstraints) { IntegrityMessage.object($0, view) }
        return HealthResult(
            findings(damage, .error, "is damaged")
                + findings(broken, .error, "has rows that break a constraint"),
            notReached: check.notChecked.map { .init(check: text.name, reason: $0) })
    }

    private func findings(
        _ messages: [IntegrityMessage.Object: [String]], _ severity: Finding.Severity, _ what: String
    ) -> [HealthFinding] {
        messages.sorted { $0.key.text < $1.key.text }.map { object, messages in
            let isIndex = object.index != nil
            return finding(
                severity, "\(object.text) \(what): \(counted(messages.count, "message"))",
                help: isIndex && what == "is damaged"
                    ? "If its table is whole, make the index anew: REINDEX \(quotedIfNeeded(object.index ?? ""));"
                    : what == "is damaged"
                        ? HealthHelp.damaged
                        : "Find the rows with the constraint's own condition and mend them.",
                table: object.table, object: object.index,
                evidence: Evidence(rowCount: messages.count, details: messages))
        }
    }
}

/// What a message of `integrity_check` is about.
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

    /// `Tree 5 page 7 cell 0: ...` names the root page of a tree.
    private static func root(of message: String) -> UInt32? {
        let words = message.split(separator: " ", maxSplits: 3)
        guard words.count > 2, words[0] == "Tree" else { return nil }
        return UInt32(words[1].filter(\.isNumber))
    }
}
