/// Tables that the page's script can sort; on a phone a row becomes a block.
enum HTMLTable {
    /// - Parameter numbersFrom: the first column of numbers; those after it are numbers too.
    static func table(_ heads: [String], _ rows: [HTMLNode], numbersFrom: Int) -> HTMLNode {
        let cells = heads.enumerated().map { index, head in
            HTMLNode.element(
                "th", ["scope": "col", "class": index >= numbersFrom ? "num" : nil], [.text(head)])
        }
        return .element(
            "table", ["class": "list"],
            [
                .element("thead", [:], [.element("tr", [:], cells)]),
                .element("tbody", [:], rows),
            ])
    }

    /// - Parameter values: by column, what to sort by where that is not the text.
    static func row(
        _ cells: [String], _ heads: [String], numbersFrom: Int, values: [Int: Int] = [:]
    ) -> HTMLNode {
        .element(
            "tr", [:],
            cells.enumerated().map { index, cell in
                .element(
                    "td",
                    [
                        "class": index >= numbersFrom ? "num" : nil,
                        "data-n": index > 0 ? heads[index] : nil, "data-v": values[index].map(String.init),
                    ], [.text(cell)])
            })
    }
}
