import DrydockFindings
import SQLiteFile

/// The check `object-size`: which tables and indexes fill the file.
///
/// The sizes of large trees are estimated from the interior pages and some leaves (``TreeOutline``).
struct ObjectSizeCheck: HealthCheck {
    let text = HealthCheckText(
        .objectSize, "indexes take most of the file; a note names the largest tables and indexes",
        why:
            "Each write has to update every index of its table, and indexes take up cache that could hold rows.",
        threshold: HealthThreshold(warning: "0:80"),
        measured: "percent of the tables' and indexes' pages that are indexes', from 1 MiB on")

    /// In a smaller file sizes do not matter.
    private static let least = 1 << 20
    private static let shown = 5

    private struct Item {
        var entry: SchemaEntry
        var pages: Int
        var isExact: Bool
    }

    func check(_ view: HealthView) throws -> HealthResult {
        let pageSize = view.file.header.pageSize
        let items = try view.facts.entries.filter { $0.rootPage != 0 }.map { entry in
            let outline = try view.facts.outline(of: entry.rootPage)
            return Item(entry: entry, pages: outline.pages, isExact: outline.isExact)
        }.sorted { ($1.pages, $0.entry.name) < ($0.pages, $1.entry.name) }
        let all = items.reduce(0) { $0 + $1.pages }
        let indexes = items.reduce(0) { $0 + ($1.entry.type == "index" ? $1.pages : 0) }
        let threshold = view.threshold(of: self)
        let ratio = Double(indexes) / Double(max(1, all))
        let measures = [
            HealthMeasure(
                "tables_bytes", .bytes, Double((all - indexes) * pageSize), "About the size of all tables."),
            HealthMeasure(
                "indexes_bytes", .bytes, Double(indexes * pageSize), "About the size of all indexes."),
            HealthMeasure(
                "indexes_ratio", .ratio, ratio, "Part of the tables and indexes that is indexes.",
                threshold: threshold),
            HealthMeasure(
                "largest_object_bytes", .bytes, Double((items.first?.pages ?? 0) * pageSize),
                "About the size of the largest table or index."),
        ]
        var result = HealthResult(measures: measures)
        result.trees = items.map { .init(table: $0.entry.tableName, bytes: $0.pages * pageSize) }
        guard all * pageSize >= Self.least, let largest = items.first else { return result }
        var findings = [
            finding(
                .note,
                "\(name(largest)) takes \(share(largest.pages, of: all)) % of what tables and indexes take",
                help: "For every object's figures: drydock stats DATABASE",
                evidence: Evidence(
                    details: items.prefix(Self.shown).map { item in
                        let about = item.isExact ? "" : "about "
                        return
                            "\(name(item)): \(about)\(item.pages * pageSize) bytes, \(share(item.pages, of: all)) %"
                    }))
        ]
        if let severity = threshold.severity(of: ratio * 100) {
            findings.append(
                finding(
                    severity, "indexes take \(share(indexes, of: all)) % of what tables and indexes take",
                    help: "See which of them no query uses (EXPLAIN QUERY PLAN), and drop those."))
        }
        result.findings = findings
        return result
    }

    private func name(_ item: Item) -> String {
        item.entry.type == "index"
            ? "index \(item.entry.name) of \(item.entry.tableName)" : "table \(item.entry.name)"
    }

    private func share(_ pages: Int, of all: Int) -> Int { pages * 100 / max(1, all) }
}
