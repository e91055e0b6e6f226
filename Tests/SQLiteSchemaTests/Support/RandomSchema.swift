/// A generator of random CREATE statements, most of them valid, in random spelling.
struct RandomSchema {
    typealias Piece = RandomScript.Piece

    private var script: RandomScript
    private var tables: [(name: String, columns: [String])] = []
    private var counter = 0

    init(seed: Int) { script = RandomScript(seed: seed) }

    private static let oddNames = [
        "order", "key", "Key of", "it's", "q\"r", "left", "end", "begin", "Mixed", "a.b", "é", "generated",
        "always", "desc",
        "if", "rowid2", "select", "x y", "temp", "check", "strict", "--", "a,b", "(c)", "CASE",
    ]
    private static let types = [
        "", "integer", "int", "text", "varchar(10)", "unsigned big  int", "decimal (10 , -2)", "real", "blob",
        "any",
        "double precision", "numeric", "\"text\"", "[my type]", "character varying(+255)", "'primary'",
        "floating point",
        "charint", "date", "\"a\" b",
    ]
    private static let conflicts = ["rollback", "abort", "fail", "ignore", "replace"]
    private static let collations = ["nocase", "binary", "rtrim", "NoCase"]

    private mutating func chance(_ percent: Int) -> Bool { script.random.chance(percent) }
    private mutating func pick<T>(_ values: [T]) -> T { script.random.pick(values) }
    private mutating func number(_ range: ClosedRange<Int>) -> Int {
        Int.random(in: range, using: &script.random)
    }

    private mutating func newName() -> String {
        counter += 1
        return chance(35) ? pick(Self.oddNames) + (chance(70) ? "\(counter)" : " \(counter)") : "n\(counter)"
    }

    /// Returns random statements, tables first.
    mutating func statements() -> [String] {
        var result: [String] = []
        for _ in 0..<number(1...4) { result.append(script.spell(table())) }
        for _ in 0..<number(0...4) { result.append(script.spell(index())) }
        if chance(40) { result.append(script.spell(view())) }
        for _ in 0..<number(0...2) { result.append(script.spell(trigger())) }
        if chance(15) { result.append(script.spell(virtualTable())) }
        return result
    }

    /// Returns a random ALTER TABLE of a table.
    mutating func alteration() -> String {
        let table = pick(tables)
        let start: [Piece] = [.words("alter table"), .name(table.name)]
        switch number(0...4) {
        case 0: return script.spell(start + [.words("rename to"), .name(newName())])
        case 1:
            return script.spell(
                start + [.words("rename"), .name(pick(table.columns)), .words("to"), .name(newName())])
        case 2: return script.spell(start + [.words("drop column"), .name(pick(table.columns))])
        default:
            return script.spell(
                start + [.words("add column"), .name(newName()), .literal(pick(Self.types))]
                    + extras(table.columns))
        }
    }

    // MARK: Tables

    private mutating func table() -> [Piece] {
        let name = newName()
        let columns = (0..<number(1...6)).map { _ in newName() }
        tables.append((name, columns))
        let strict = chance(20)
        var hasKey = false
        var pieces: [Piece] = [
            .words(chance(80) ? "create table" : "create table if not exists"), .name(name), .symbol("("),
        ]
        for (place, column) in columns.enumerated() {
            if place > 0 { pieces.append(.symbol(",")) }
            pieces.append(.name(column))
            let type =
                strict ? pick(["int", "integer", "text", "any", "real", "blob"]) : pick(Self.types)
            if !type.isEmpty { pieces.append(.literal(type)) }
            if !hasKey, chance(15) {
                hasKey = true
                pieces += [.words(pick(["primary key", "primary key desc", "primary key asc"]))] + conflict()
                if chance(20), type == "integer" { pieces.append(.words("autoincrement")) }
            }
            for _ in 0..<number(0...3) { pieces += extras(columns) }
            if place > 0, chance(8) {
                pieces += [
                    .words(pick(["as", "generated always as"])), .symbol("("), .name(columns[0]),
                    .symbol("+"), .literal("1"), .symbol(")"),
                ]
                pieces.append(.words(pick(["", "stored", "virtual"])))
            }
        }
        for _ in 0..<number(0...3) {
            pieces += [.symbol(",")] + tableConstraint(columns, &hasKey)
        }
        pieces.append(.symbol(")"))
        var options: [String] = []
        if strict { options.append("strict") }
        if hasKey, chance(30) { options.append("without rowid") }
        options.shuffle(using: &script.random)
        for (place, option) in options.enumerated() {
            if place > 0 { pieces.append(.symbol(",")) }
            pieces.append(.words(option))
        }
        return pieces
    }

    private mutating func conflict() -> [Piece] {
        chance(20) ? [.words("on conflict " + pick(Self.conflicts))] : []
    }

    private mutating func constraintName() -> [Piece] {
        chance(25) ? [.words("constraint"), .name(newName())] : []
    }

    /// Returns a constraint of a column.
    private mutating func extras(_ columns: [String]) -> [Piece] {
        let name = constraintName()
        switch number(0...8) {
        case 0: return name + [.words("not null")] + conflict()
        case 1: return name + [.words("unique")] + conflict()
        case 2: return [.words("collate"), .name(pick(Self.collations))]
        case 3, 4: return [.words("default")] + defaultValue()
        case 5: return name + [.words("check"), .symbol("(")] + expression(columns) + [.symbol(")")]
        case 6: return name + references(1)
        case 7: return [.words("null")]
        default: return []
        }
    }

    private mutating func defaultValue() -> [Piece] {
        let literals = [
            "1", "-1", "+ 2", "1.5e3", "0x1F", "'it''s'", "x'0aFF'", "null", "true", "current_timestamp",
            "abc", "\"A b\"",
            "9223372036854775808", "-9223372036854775808", ".5", "- 'x'", "Current_Date", "''", "[x]",
        ]
        if chance(75) { return [.literal(pick(literals))] }
        return [
            .symbol("("),
            .literal(pick(["1 + 1", "(2)", "'a' || 'b'", "datetime('now')", "null", "-3", "abs(-1)"])),
            .symbol(")"),
        ]
    }

    private mutating func references(_ count: Int) -> [Piece] {
        let parent = pick(tables)
        var pieces: [Piece] = [.words("references"), .name(parent.name)]
        if chance(60), parent.columns.count >= count { pieces += list(Array(parent.columns.prefix(count))) }
        for _ in 0..<number(0...2) {
            let action = pick(["cascade", "set null", "set default", "restrict", "no action"])
            pieces.append(.words(pick(["on delete " + action, "on update " + action, "match full"])))
        }
        if chance(20) {
            pieces.append(
                .words(
                    pick([
                        "deferrable", "not deferrable", "deferrable initially deferred",
                        "not deferrable initially deferred",
                    ])))
        }
        return pieces
    }

    private func list(_ columns: [String]) -> [Piece] {
        [.symbol("(")] + Array(columns.map { [Piece.name($0)] }.joined(separator: [.symbol(",")])) + [
            .symbol(")")
        ]
    }

    private mutating func terms(_ columns: [String]) -> [Piece] {
        let chosen = columns.shuffled(using: &script.random).prefix(number(1...3))
        var pieces: [Piece] = [.symbol("(")]
        for (place, column) in chosen.enumerated() {
            if place > 0 { pieces.append(.symbol(",")) }
            pieces.append(.name(column))
            if chance(20) { pieces += [.words("collate"), .name(pick(Self.collations))] }
            if chance(30) { pieces.append(.words(pick(["asc", "desc"]))) }
        }
        return pieces + [.symbol(")")]
    }

    private mutating func tableConstraint(_ columns: [String], _ hasKey: inout Bool) -> [Piece] {
        let name = constraintName()
        switch number(0...3) {
        case 0 where !hasKey:
            hasKey = true
            return name + [.words("primary key")] + terms(columns) + conflict()
        case 0, 1: return name + [.words("unique")] + terms(columns) + conflict()
        case 2: return name + [.words("check"), .symbol("(")] + expression(columns) + [.symbol(")")]
        default:
            let count = number(1...min(2, columns.count))
            return name + [.words("foreign key")] + list(Array(columns.prefix(count))) + references(count)
        }
    }

    /// Returns an expression over columns.
    private mutating func expression(_ columns: [String]) -> [Piece] {
        let column = Piece.name(pick(columns))
        let other = Piece.name(pick(columns))
        switch number(0...9) {
        case 0: return [column, .symbol(">"), .literal("1")]
        case 1: return [.symbol("("), column, .symbol("!="), other, .symbol(")")]
        case 2:
            return [
                column, .words("is not null or"), other, .words("between"), .literal("1"), .words("and"),
                .literal("0x2"),
            ]
        case 3:
            return [
                .words("case when"), column, .words("then"), other, .words("else"), .literal("'end'"),
                .words("end"),
            ]
        case 4: return [.words("length"), .symbol("("), column, .symbol(")"), .symbol("<"), .literal("1E2")]
        case 5: return [column, .words("like"), .literal("'a,b)%'"), .words("escape"), .literal("'\\'")]
        case 6:
            return [
                column, .words("in"), .symbol("("), .literal("1"), .symbol(","), .literal("'x'"),
                .symbol(")"),
            ]
        case 7: return [column, .symbol("=="), .literal("\"No such text\"")]
        case 8:
            return [
                .words("cast"), .symbol("("), column, .words("as integer"), .symbol(")"), .symbol("%"),
                .literal("X'Ab'"),
            ]
        default: return [.words("not"), column, .words("collate nocase ="), other]
        }
    }

    // MARK: Other objects

    private mutating func index() -> [Piece] {
        let table = pick(tables)
        var pieces: [Piece] = [
            .words(chance(20) ? "create unique index" : "create index"), .name(newName()), .words("on"),
            .name(table.name),
        ]
        if chance(60) {
            pieces += terms(table.columns)
        } else {
            let column = Piece.name(pick(table.columns))
            let choices: [[Piece]] = [
                [.words("lower"), .symbol("("), column, .symbol(")")],
                [.words("lower"), .symbol("("), column, .symbol(")"), .words("collate nocase desc")],
                [column, .symbol("||"), .literal("'x'"), .words("collate rtrim")],
                [.symbol("("), column, .symbol("+"), .literal("1"), .symbol(")"), .words("collate nocase")],
                [
                    .symbol("("), .symbol("("), column, .symbol(")"), .words("collate rtrim"), .symbol(")"),
                    .words("desc"),
                ],
                [.words("case when"), column, .words("then 1 else 2 end collate nocase")],
            ]
            pieces += [.symbol("(")] + pick(choices) + [.symbol(")")]
        }
        if chance(30) { pieces += [.words("where")] + expression(table.columns) }
        return pieces
    }

    private mutating func view() -> [Piece] {
        let table = pick(tables)
        let column = pick(table.columns)
        return [
            .words("create view"), .name(newName()), .words("as select distinct"), .name(column),
            .words("as"), .name("Total \(counter)"),
            .symbol(","), .words("count(*) over () from"), .name(table.name), .words("where"),
        ] + expression(table.columns)
    }

    private mutating func trigger() -> [Piece] {
        let table = pick(tables)
        let event = pick(["after insert", "before delete", "update", "after update of"])
        var pieces: [Piece] = [.words("create trigger"), .name(newName()), .words(event)]
        if event.hasSuffix("of") { pieces.append(.name(pick(table.columns))) }
        pieces += [.words("on"), .name(table.name)]
        if chance(30) { pieces.append(.words("for each row")) }
        if chance(40) { pieces += [.words("when case when 1 then 2 end is not null")] }
        pieces.append(.words("begin"))
        for _ in 0..<number(1...3) {
            pieces += [
                .words("update"), .name(table.name), .words("set"), .name(pick(table.columns)), .symbol("="),
                .words("case when 1 then null end"), .words("where"),
            ]
            pieces += expression(table.columns) + [.symbol(";")]
        }
        return pieces + [.words("end")]
    }

    private mutating func virtualTable() -> [Piece] {
        let choices = [
            "fts5(a, \"b c\", tokenize = 'porter')", "rtree(id, x1, x2)",
            "fts4(a, b, tokenize=unicode61 \"tokenchars=-\")",
        ]
        return [.words("create virtual table"), .name(newName()), .words("using"), .literal(pick(choices))]
    }
}
