import DrydockFindings
import DrydockState
import SQLiteSchema

/// A copying statement that exchanges columns of a table, as one by position does when the new table has the columns in
/// a different order.
struct CrossedCopy {
    private let statement: SQLStatement
    private let pairs: [CopiedColumn]
    private let target: Table
    private let origin: Table

    /// - Returns: nil where every column is copied to the column with its name.
    init?(_ statement: SQLStatement, into target: Table, from origin: Table) {
        (self.statement, self.target, self.origin) = (statement, target, origin)
        pairs = statement.copiedColumns(into: target, from: origin)
        if crossings.isEmpty { return nil }
    }

    /// - Returns: nil also where one of the tables could not be parsed.
    init?(_ statement: SQLStatement, into target: Catalog.Table, from origin: Catalog.Table?) {
        guard let target = target.model, let origin = origin?.model else { return nil }
        self.init(statement, into: target, from: origin)
    }

    /// The crossed columns: a column of both tables, and the column that gets its values.
    private var crossings: [(from: String, to: String)] {
        pairs.compactMap { pair in
            guard let from = pair.from, from.foldedASCII != pair.to.foldedASCII,
                target.column(from)?.generated == nil, target.column(from) != nil,
                origin.column(pair.to) != nil
            else { return nil }
            return (from, pair.to)
        }
    }

    func concerns(_ columns: [String]) -> Bool {
        let folded = Set(columns.map(\.foldedASCII))
        return crossings.contains { folded.contains($0.to.foldedASCII) }
    }

    func cause(_ place: String) -> String {
        let parts = crossings.prefix(3).map { "\($0.from) into \($0.to)" }
        return "the copy in \(place) puts \(parts.joined(separator: " and "))"
    }

    /// The statement with each column beside its own name. Anything that it computes stays where it is.
    var help: Help {
        guard let text = namingColumns else {
            return "Name the columns on both sides of the copy, in the same order."
        }
        return "Name the columns on both sides of the copy:\n\(proposed(text + ";"))"
    }

    private var namingColumns: String? {
        guard case .insert(_, let columns, let copy?) = statement.action, !copy.isCompound,
            let source = statement.insertSource, source.commonTables.isEmpty, let arm = source.arms.first,
            !arm.isValues
        else { return nil }
        let names = pairs.compactMap { pair -> (to: String, from: String)? in
            let own = origin.column(pair.to).flatMap { $0.generated == nil ? $0.name : nil }
            return (own ?? pair.from).map { (quotedIfNeeded(pair.to), quotedIfNeeded($0)) }
        }
        let items = statement.selectItems(of: arm)
        guard names.count == pairs.count, pairs.allSatisfy({ $0.from != nil }), let first = items.first,
            let last = items.last
        else { return nil }
        let selected = SQLEdit(
            range: first.lowerBound..<last.upperBound,
            text: names.map(\.from).joined(separator: ", "))
        let head = statement.tokens[..<arm.tokens.lowerBound]
        let list = "(\(names.map(\.to).joined(separator: ", ")))"
        if columns == nil {
            guard let end = head.last?.range.upperBound else { return nil }
            return statement.applying([SQLEdit(range: end..<end, text: list), selected])
        }
        guard let open = head.first(where: { $0.isSymbol("(", in: statement.source) }),
            let close = head.last(where: { $0.isSymbol(")", in: statement.source) })
        else { return nil }
        let range = open.range.lowerBound..<close.range.upperBound
        return statement.applying([SQLEdit(range: range, text: list), selected])
    }
}

/// A column that a copy fills, and the column of the copied table from which; nil for a value that is computed.
typealias CopiedColumn = (from: String?, to: String)

extension SQLStatement {
    /// Returns the columns that an `INSERT ... SELECT` fills, in order.
    func copiedColumns(into target: Table, from origin: Table) -> [CopiedColumn] {
        guard case .insert(_, let columns, let copy?) = action else { return [] }
        func stored(_ table: Table) -> [String] {
            table.columns.filter { $0.generated == nil }.map(\.name)
        }
        let items = copy.items.flatMap { item -> [String?] in
            switch item {
            // A star includes generated columns, which are not hidden.
            case .star: origin.columns.map(\.name)
            case .column(_, let name): [origin.column(name)?.name]
            case .expression: [nil]
            }
        }
        let targets = columns ?? stored(target)
        guard targets.count == items.count else { return [] }
        return zip(items, targets).map { (from: $0, to: target.column($1)?.name ?? $1) }
    }

    /// Returns the ranges of the file with the items of a SELECT's list.
    func selectItems(of arm: InsertSource.Arm) -> [Range<Int>] {
        var (ranges, depth): ([Range<Int>], Int) = ([], 0)
        var start: Int?
        let isAll = ["distinct", "all"].contains { word in
            tokens[arm.tokens].dropFirst().first?.isWord(word, in: source) ?? false
        }
        for token in tokens[arm.tokens].dropFirst(isAll ? 2 : 1) {
            if depth == 0, token.isWord("from", in: source) || token.isSymbol(",", in: source) {
                if let start, let last = tokens.last(where: { $0.range.upperBound <= token.range.lowerBound })
                {
                    ranges.append(start..<last.range.upperBound)
                }
                start = nil
                if token.isWord("from", in: source) { return ranges }
                continue
            }
            if start == nil { start = token.range.lowerBound }
            if token.isSymbol("(", in: source) { depth += 1 }
            if token.isSymbol(")", in: source) { depth -= 1 }
        }
        return ranges
    }
}
