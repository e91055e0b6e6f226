import SQLiteSchema

/// The frame of every page: its head, verdict, sections and foot. The page loads nothing, and shows everything without
/// its script.
struct HTMLPage {
    var title: String
    /// Above the verdict: the command, and what it read.
    var brand: String
    var verdict: Verdict
    var lead: [HTMLNode] = []
    /// A figure or word, and what it counts.
    var facts: [(name: String, value: String)] = []
    var sections: [Section] = []

    struct Verdict {
        var symbol, words: String
        /// A class of the style sheet: `good`, `warn` or `bad`; nil where there is nothing to judge.
        var style: String?
    }

    struct Section {
        /// The fragment of its address.
        var id: String
        var title: String
        var content: [HTMLNode]
    }

    var text: String {
        var text = "<!DOCTYPE html>\n"
        HTMLNode.element("html", ["lang": "en"], [head, body]).write(to: &text)
        return text + "\n"
    }

    private var head: HTMLNode {
        .element(
            "head", [:],
            [
                .element("meta", ["charset": "utf-8"]),
                .element(
                    "meta", ["name": "viewport", "content": "width=device-width, initial-scale=1"]),
                .element("meta", ["name": "referrer", "content": "no-referrer"]),
                .element(
                    "meta",
                    [
                        "http-equiv": "Content-Security-Policy",
                        "content":
                            "default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'unsafe-inline'",
                    ]),
                .element("link", ["rel": "icon", "href": "data:,"]),
                .element("title", [:], [.text(VisibleText.line(title))]),
                .source("style", HTMLStyle.text),
            ])
    }

    private var body: HTMLNode {
        .element(
            "body", [:],
            [
                .element("a", ["class": "skip", "href": "#report"], ["Skip to the report"]),
                .element("header", [:], top),
                sections.count > 1 ? contents : .nothing,
                .element("main", ["id": "report"], sections.map(Self.section)),
                .element(
                    "footer", [:],
                    [
                        .element(
                            "div", [:],
                            ["Written by Drydock. This page is self-contained and loads nothing."])
                    ]),
                .source("script", HTMLStyle.script),
            ])
    }

    private var top: [HTMLNode] {
        let style = verdict.style
        return [
            .element("p", ["class": "brand"], [.text(brand)]),
            .element(
                "h1", ["class": style],
                [
                    .element("span", ["aria-hidden": "true"], [.text(verdict.symbol)]),
                    .text(" " + verdict.words),
                ]),
            lead.isEmpty ? .nothing : .element("p", ["class": "lead"], lead),
            facts.isEmpty
                ? .nothing
                : .element(
                    "dl", ["class": "facts"],
                    facts.map { fact in
                        .element(
                            "div", [:],
                            [
                                .element("dt", [:], [.text(fact.name)]),
                                .element("dd", [:], [.text(fact.value)]),
                            ])
                    }),
        ]
    }

    private var contents: HTMLNode {
        let links = sections.map { section in
            HTMLNode.element(
                "li", [:], [.element("a", ["href": "#" + section.id], [.text(section.title)])])
        }
        return .element("nav", ["aria-label": "Contents"], [.element("ul", [:], links)])
    }

    private static func section(_ section: Section) -> HTMLNode {
        .element(
            "section", ["id": section.id],
            [.element("h2", [:], [.text(section.title)])] + section.content)
    }
}
