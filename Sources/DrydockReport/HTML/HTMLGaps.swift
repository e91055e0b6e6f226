import Drydock
import SQLiteSchema

/// What was not checked, before everything else: it must not look like a pass.
struct HTMLGaps {
    private let groups: [[NotChecked]]
    private let names: SnapshotNames

    /// How many reasons are shown without unfolding the rest.
    private static let limit = 12
    /// How many there are on the page.
    private static let pageLimit = Report.gapLimit

    init(_ report: Report) {
        groups = report.notChecked.groups
        names = SnapshotNames(report)
    }

    var section: HTMLPage.Section? {
        guard !groups.isEmpty else { return nil }
        var content = [list(groups.prefix(Self.limit))]
        if groups.count > Self.limit {
            content.append(
                .element(
                    "details", [:],
                    [
                        .element("summary", [:], ["and \(groups.count - Self.limit) more"]),
                        list(groups.dropFirst(Self.limit).prefix(Self.pageLimit)),
                        rest,
                    ]))
        }
        return HTMLPage.Section(id: "not-checked", title: "Not checked", content: content)
    }

    private var rest: HTMLNode {
        let left = groups.dropFirst(Self.limit + Self.pageLimit).reduce(0) { $0 + $1.count }
        return left == 0
            ? .nothing
            : .element("p", ["class": "more"], ["… and \(left) more (--format json lists them)"])
    }

    private func list(_ groups: ArraySlice<[NotChecked]>) -> HTMLNode {
        .element("ul", ["class": "gaps"], groups.map(item))
    }

    private func item(_ group: [NotChecked]) -> HTMLNode {
        let entry = group[0]
        let places =
            group.compactMap { $0.snapshot.map(names.name(of:)) }
            + group.compactMap { entry in
                entry.database.map { $0 + (entry.table.map { ", table \($0)" } ?? "") }
            }
        let shown = places.prefix(6).joined(separator: ", ")
        let more = places.count > 6 ? " and \(places.count - 6) more" : ""
        return .element(
            "li", [:],
            [
                .element("span", ["class": "mark", "aria-hidden": "true"], ["?"]),
                .element("b", [:], [.text(entry.rule.rawValue)]), .text(": " + entry.reason),
                places.isEmpty ? .nothing : .span("soft", " (\(shown)\(more))"),
            ])
    }
}

extension [NotChecked] {
    /// The entries, with those that differ only in the snapshot or database together.
    var groups: [[NotChecked]] {
        var groups: [[NotChecked]] = []
        var indexes: [NotChecked: Int] = [:]
        for entry in self {
            var key = entry
            (key.snapshot, key.database, key.cause) = (nil, nil, entry.cause.ofAnySnapshot)
            if let index = indexes[key] {
                groups[index].append(entry)
            } else {
                indexes[key] = groups.count
                groups.append([entry])
            }
        }
        return groups
    }
}
