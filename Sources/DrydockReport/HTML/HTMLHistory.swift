import Drydock
import SQLiteSchema

/// The schema's history on a page: what each migration changed, with a diagram of it, and the whole schema at the end.
///
/// The newest version is first: who looks at a page of a pull request wants to see what it does, and who looks for an old
/// migration knows that it is further down.
struct HTMLHistory {
    private let history: SchemaHistory
    /// How many lines of diagrams may still be drawn, so that a page of a thousand migrations remains small.
    private var budget = 6000

    /// How many lines of one version are shown, and tables in its diagram.
    private static let (lineLimit, tableLimit) = (200, 40)
    /// How many tables the diagram of the whole schema has.
    private static let wholeLimit = 120
    /// How many pending versions are unfolded.
    private static let openLimit = 3

    init(_ history: SchemaHistory) { self.history = history }

    static func sections(_ history: SchemaHistory) -> [HTMLPage.Section] {
        guard !history.versions.isEmpty else { return [] }
        var page = HTMLHistory(history)
        return [page.timeline, page.whole].compactMap(\.self)
    }

    // MARK: - The timeline

    private var timeline: HTMLPage.Section? {
        mutating get {
            var entries: [HTMLNode] = []
            if !history.unknown.isEmpty { entries.append(unknown) }
            var opened = 0
            for group in Self.groups(history.versions) {
                guard let version = group.first, !version.changes.isEmpty else {
                    entries.append(Self.unchanged(group))
                    continue
                }
                let isPending = version.migrations.last?.isReleased == false
                let isOpen = opened == 0 || isPending && opened < Self.openLimit
                opened += 1
                entries.append(entry(version, isOpen: isOpen))
            }
            return HTMLPage.Section(
                id: "history", title: "History",
                content: [
                    .element("p", ["class": "soft"], [.text(lead)]), Self.key,
                    .element("ol", ["class": "timeline", "reversed": "reversed"], entries),
                ])
        }
    }

    private var lead: String {
        let all = history.versions.flatMap(\.migrations) + history.unknown
        let pending = all.count { $0.isReleased == false }
        var text = "What each of \(counted(all.count, "migration")) does to the schema, the newest first."
        if pending > 0, pending == all.count {
            text += " None of them is released."
        } else if pending > 0 {
            text += " \(pending == 1 ? "One is" : "\(pending) are") pending; the others are released."
        }
        return text
    }

    /// Returns the versions, the newest first; neighbours that change no schema are together.
    private static func groups(_ versions: [SchemaHistory.Version]) -> [[SchemaHistory.Version]] {
        var groups: [[SchemaHistory.Version]] = []
        for version in versions.reversed() {
            if version.changes.isEmpty, let last = groups.last?.last, last.changes.isEmpty,
                last.migrations.last?.isReleased == version.migrations.last?.isReleased
            {
                groups[groups.count - 1].append(version)
            } else {
                groups.append([version])
            }
        }
        return groups
    }

    private static func unchanged(_ versions: [SchemaHistory.Version]) -> HTMLNode {
        let migrations = versions.flatMap { $0.migrations.reversed() }
        let state = migrations.first?.isReleased
        guard migrations.count > 1 else {
            return item(
                state, isQuiet: true,
                [
                    .element(
                        "p", ["class": "quiet"], [names(migrations), " changed no schema ", mark(state)]),
                    files(migrations),
                ])
        }
        return item(
            state, isQuiet: true,
            [
                .element(
                    "details", [:],
                    [
                        .element(
                            "summary", [:],
                            [.text("\(migrations.count) migrations changed no schema "), mark(state)]),
                        list(migrations.map(\.file)),
                    ])
            ])
    }

    private var unknown: HTMLNode {
        let migrations = Array(history.unknown.reversed())
        let reason = history.failure.map { ": \($0)" } ?? ""
        return Self.item(
            migrations.first?.isReleased, isQuiet: true,
            [
                .element(
                    "p", ["class": "quiet"],
                    [
                        .span("warn", "? "), Self.names(migrations),
                        .text(
                            " \(migrations.count == 1 ? "creates" : "create") a schema that is not known\(reason) "
                        ),
                        Self.mark(migrations.first?.isReleased),
                    ]),
                Self.files(migrations),
            ])
    }

    private mutating func entry(_ version: SchemaHistory.Version, isOpen: Bool) -> HTMLNode {
        let state = version.migrations.last?.isReleased
        return Self.item(
            state, isQuiet: false,
            [
                .element(
                    "details", ["open": isOpen ? "open" : nil],
                    [
                        .element(
                            "summary", [:],
                            [
                                Self.names(version.migrations.reversed()), " ", Self.mark(state), " ",
                                .element("span", ["class": "gist"], Self.gist(version.changes)),
                            ]),
                        Self.files(version.migrations.reversed()), diagram(version),
                        HTMLChanges.list(version.changes, limit: Self.lineLimit),
                    ])
            ])
    }

    private mutating func diagram(_ version: SchemaHistory.Version) -> HTMLNode {
        let diagram = EntityDiagram(
            version.excerpt.schema, changes: version.changes, leftOut: version.excerpt.leftOut,
            limit: Self.tableLimit)
        guard diagram.size <= budget else {
            return .element("p", ["class": "more"], ["Its diagram is left out, to keep the page small."])
        }
        budget -= diagram.size
        return diagram.node("What \(version.migrations.map(\.name).joined(separator: ", ")) changed")
    }

    // MARK: - Parts of an entry

    private static func item(_ isReleased: Bool?, isQuiet: Bool, _ content: [HTMLNode]) -> HTMLNode {
        let style = (isQuiet ? "same" : "step") + (isReleased == false ? " pending" : "")
        return .element("li", ["class": style], content)
    }

    private static func names(_ migrations: [SchemaHistory.Migration]) -> HTMLNode {
        let shown = migrations.prefix(3).enumerated().flatMap { index, migration -> [HTMLNode] in
            [index == 0 ? .nothing : ", ", .element("b", ["class": "path"], [.text(migration.name)])]
        }
        let more = migrations.count - 3
        return .group(shown + (more > 0 ? [.text(" and \(more) more")] : []))
    }

    private static func files(_ migrations: [SchemaHistory.Migration]) -> HTMLNode {
        let files = migrations.map(\.file).filter { !$0.isEmpty }
        guard files.count > 3 else {
            guard !files.isEmpty else { return .nothing }
            return .element("p", ["class": "file path"], [.text(files.joined(separator: ", "))])
        }
        return .element(
            "details", [:], [.element("summary", [:], [.text("\(files.count) files")]), list(files)])
    }

    private static func list(_ files: [String]) -> HTMLNode {
        .element(
            "ul", ["class": "changes"],
            files.map { .element("li", [:], [.element("code", [:], [.text($0)])]) })
    }

    private static func mark(_ isReleased: Bool?) -> HTMLNode {
        switch isReleased {
        case nil: .nothing
        case true?: .span("state", "released")
        case false?: .span("state new", "pending")
        }
    }

    /// Returns what happened to which tables, in a few words.
    private static func gist(_ changes: [SchemaChange]) -> [HTMLNode] {
        let groups = changes.byTable
        var nodes: [HTMLNode] = []
        for group in groups.prefix(5) {
            let sign = group.sign
            let mark = EntityDiagram.Mark(sign)
            let style = sign == .added ? "good" : sign == .dropped ? "bad" : "warn"
            nodes.append(
                .element(
                    "span", ["title": mark.word],
                    [
                        .element("b", ["class": style], [.text(mark.symbol ?? "")]),
                        .text(" " + VisibleText.line(group.name).cut(to: 40)),
                    ]))
        }
        if groups.count > 5 { nodes.append(.element("span", [:], [.text("and \(groups.count - 5) more")])) }
        return nodes
    }

    static let key = HTMLNode.element(
        "ul", ["class": "key"],
        [
            ("p", "+", "added"), ("e", "−", "dropped"), ("w", "~", "changed"),
        ].map { style, sign, words in
            .element("li", [:], [.element("b", ["class": style], [.text(sign)]), .text(words)])
        } + [
            .element("li", [:], [.element("b", [:], ["PK"]), "primary key"]),
            .element(
                "li", [:], [.element("b", [:], ["FK"]), "foreign key, with an arrow to what it references"]),
            .element("li", [:], [.element("b", [:], ["?"]), "may be NULL"]),
        ])

    // MARK: - The whole schema

    private var whole: HTMLPage.Section? {
        let schema = history.schema
        let diagram = EntityDiagram(schema, limit: Self.wholeLimit)
        guard !diagram.boxes.isEmpty, let last = history.versions.last?.migrations.last else { return nil }
        let counts = [
            (schema.tables.count, "table"), (schema.virtualTables.count, "virtual table"),
            (schema.views.count, "view"), (schema.triggers.count, "trigger"),
        ].filter { $0.0 > 0 }.map { counted($0.0, $0.1) }
        let indexes = schema.indexes.count
        let words = listed(
            counts + (indexes > 0 ? ["\(indexes) \(indexes == 1 ? "index" : "indexes")"] : []))
        return HTMLPage.Section(
            id: "schema", title: "Schema",
            content: [
                .element("p", ["class": "soft"], [.text("After \(last.name): \(words).")]),
                diagram.node("The schema after \(last.name)", width: 1060),
            ])
    }
}
