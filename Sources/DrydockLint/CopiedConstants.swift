import DrydockFindings
import DrydockMigrations
import DrydockState
import DatabaseEngine
import SQLiteSchema

/// Finds what a copy of rows puts into columns without reading a column for it.
struct CopiedConstants {
    /// An item of a select list that is the same for every row.
    struct Constant {
        /// As it is written.
        var text: String
        /// The strings in it, with their tokens.
        var words: [(text: String, token: Token)]
        /// Whether it is only a string.
        var isWord: Bool
        /// Whether it is a name in double quotes that no column has, which SQLite reads as text.
        var isName: Bool
        /// The column that it fills.
        var target: String
        /// The columns that other items of the select list read, folded.
        var others: Set<String>
    }

    let target: QualifiedName
    /// The tables that are read, as before the statement.
    let sources: [Table]
    let constants: [Constant]
    /// Whether all rows come from a single SELECT.
    let isPlain: Bool

    /// Nil for a statement that does not copy rows.
    init?(_ step: LintStep) {
        let statement = step.statement
        let columns: [String]?
        let (tables, arms): ([String], [InsertSource.Arm])
        switch step.action {
        case .insert(let name, let named, let copy?):
            target = name
            columns =
                named
                ?? Self.table(name.name, step.before, step)?.columns.filter { $0.generated == nil }.map(
                    \.name)
            (tables, arms) = (copy.tables, statement.insertSource?.arms ?? [])
        case .createTable(let name, _, asSelect: true):
            target = name
            columns = Self.table(name.name, step.after, step)?.columns.map(\.name)
            (tables, arms) = (statement.tableSource?.tables ?? [], statement.tableArms)
        default: return nil
        }
        sources = tables.compactMap { Self.table($0, step.before, step) }
        guard let columns, !sources.isEmpty else { return nil }
        isPlain = arms.count == 1
        let reader = Reader(step: step, sources: sources, areAllKnown: sources.count == tables.count)
        constants = arms.filter { !$0.isValues }.flatMap { reader.constants(of: $0, into: columns) }
    }

    /// Returns a table of the schema, or a temporary one.
    private static func table(_ name: String, _ schema: Schema, _ step: LintStep) -> Table? {
        if let table = schema.table(name) { return table }
        let list = "PRAGMA temp.table_info(\(quotedName(name)))"
        guard let names = try? step.connection.rows(list, [], { $0.string(1) }), !names.isEmpty else {
            return nil
        }
        return Table(name: name, columns: names.map { Column(name: $0) })
    }

    private struct Reader {
        let step: LintStep
        let sources: [Table]
        let areAllKnown: Bool

        func constants(of arm: InsertSource.Arm, into columns: [String]) -> [Constant] {
            guard arm.items.count == arm.itemTokens.count else { return [] }
            var place = 0
            var found: [Constant] = []
            for (number, item) in arm.items.enumerated() {
                if case .star = item {
                    guard sources.count == 1, areAllKnown else { return [] }
                    place += sources[0].columns.count
                    continue
                }
                defer { place += 1 }
                guard columns.indices.contains(place),
                    var constant = constant(item, arm.itemTokens[number])
                else { continue }
                constant.target = columns[place]
                constant.others = names(
                    in: arm.items.enumerated().filter { $0.offset != number }.map(\.element))
                found.append(constant)
            }
            return place == columns.count ? found : []
        }

        private func constant(_ item: CopyItem, _ range: Range<Int>) -> Constant? {
            let (statement, source) = (step.statement, step.statement.source)
            let tokens = statement.tokens[range]
            guard let first = tokens.first, let last = tokens.last else { return nil }
            let text = source.text(in: first.range.lowerBound..<last.range.upperBound)
            let bare = tokens.filter { !$0.isSymbol("(", in: source) && !$0.isSymbol(")", in: source) }
            switch item {
            case .expression(let sql, columns: []) where !sql.items.contains(.keyword("select")):
                let words = tokens.compactMap { token in
                    token.stringValue(in: source).map { (text: $0, token: token) }
                }
                return Constant(
                    text: text, words: words, isWord: bare.count == 1 && words.count == 1, isName: false,
                    target: "", others: [])
            case .column(nil, let name) where isText(first, name):
                return Constant(
                    text: text, words: [(name, first)], isWord: true, isName: true, target: "", others: [])
            default: return nil
            }
        }

        /// Whether a name in double quotes is not that of a column.
        private func isText(_ token: Token, _ name: String) -> Bool {
            guard token.kind == .quotedIdentifier,
                step.statement.source.bytes[token.range.lowerBound] == UInt8(ascii: "\""),
                !sources.contains(where: { $0.column(name) != nil })
            else { return false }
            let probe = NameProbe(step: step)
            return probe.compiles([]) && !probe.compiles([token])
        }

        private func names(in items: [CopyItem]) -> Set<String> {
            items.reduce(into: []) { names, item in
                switch item {
                case .column(_, let name): names.insert(name.foldedASCII)
                case .expression(_, let columns): names.formUnion(columns.map(\.foldedASCII))
                case .star: names.formUnion(sources.flatMap(\.columns).map(\.name.foldedASCII))
                }
            }
        }
    }
}
