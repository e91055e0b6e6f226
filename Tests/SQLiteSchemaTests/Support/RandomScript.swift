import TestTools

/// A generator of random statements that are valid on a database in its current state, in random spelling.
struct RandomScript {
    /// A part of a statement, before it is spelt.
    enum Piece {
        /// Keywords, separated by spaces.
        case words(String)
        case name(String)
        case symbol(String)
        case literal(String)
    }

    var random: SeededGenerator
    private var counter = 0

    init(seed: Int) { random = SeededGenerator(seed: seed) }

    private static let oddNames = [
        "end", "begin", "case", "select", "trigger", "Create", "a;b", "x y", "it's", "q\"r", "b`c", "é",
        "order", "--", "/*", "temp",
        "group", "if", "column", "KEY", "Mixed", "left", "replace",
    ]

    /// Returns a name that no object of the database has.
    private mutating func newName() -> String {
        counter += 1
        return random.chance(40) ? random.pick(Self.oddNames) + "\(counter)" : "n\(counter)"
    }

    /// Returns one statement, spelt, without its final `;`.
    mutating func statement(on database: Database) -> String { spell(pieces(database)) }

    private mutating func pieces(_ database: Database) -> [Piece] {
        let tables = database.rows("select name from sqlite_schema where type = 'table'").map { $0[0] }
        guard tables.count >= 2 else { return createTable() }
        let table = random.pick(tables)
        let columns = database.rows(
            "select name from pragma_table_info('\(table.replacing("'", with: "''"))')"
        ).map { $0[0] }
        let column = random.pick(columns)
        switch Int.random(in: 0..<18, using: &random) {
        case 0: return createTable()
        case 1:
            return [
                .words("create table"), .name(newName()), .words("as select"), .name(column), .words("from"),
                .name(table),
            ]
        case 2:
            let unique = random.chance(30) ? "create unique index" : "create index if not exists"
            return [
                .words(unique), .name(newName()), .words("on"), .name(table), .symbol("("), .name(column),
                .words("desc"), .symbol(")"),
            ]
        case 3:
            return [
                .words("create view"), .name(newName()), .words("as select"), .name(column),
                .words("as end from"), .name(table),
            ]
        case 4, 5, 6: return createTrigger(table, column)
        case 7, 8:
            return [
                .words("insert or ignore into"), .name(table), .symbol("("), .name(column), .symbol(")"),
                .words("values"), .symbol("("), literal(), .symbol(")"),
            ]
        case 9:
            return [
                .words("replace into"), .name(table), .symbol("("), .name(column), .symbol(")"),
                .words("select"), .name(column), .words("from"), .name(table), .words("limit 1"),
            ]
        case 10:
            return [
                .words("update"), .name(table), .words("set"), .name(column), .symbol("="),
                .words("case when"), literal(), .words("then"), literal(), .words("end"),
            ]
        case 11:
            return [
                .words("delete from"), .name(table), .words("where"), .name(column), .symbol("="), literal(),
            ]
        case 12:
            return [
                .words("alter table"), .name(table), .words("add column"), .name(newName()),
                .words("text default"), literal(),
            ]
        case 13: return [.words("alter table"), .name(table), .words("rename to"), .name(newName())]
        case 14:
            return [
                .words("alter table"), .name(table), .words("rename"), .name(column), .words("to"),
                .name(newName()),
            ]
        case 15: return drop(database, table)
        case 16:
            return [
                .words(
                    random.pick([
                        "begin", "commit", "end transaction", "savepoint a", "release a", "rollback",
                    ]))
            ]
        default:
            return [
                .words("select"), literal(), .symbol(","), literal(), .symbol("||"), .name(column),
                .words("from"), .name(table),
            ]
        }
    }

    private mutating func createTable() -> [Piece] {
        let columns = (0..<Int.random(in: 1...4, using: &random)).flatMap { number -> [Piece] in
            [number > 0 ? .symbol(",") : .words(""), .name(newName())]
                + (random.chance(50) ? [.words("text default"), literal()] : [])
        }
        return [
            .words(random.chance(50) ? "create table" : "create table if not exists"), .name(newName()),
            .symbol("("),
        ] + columns + [.symbol(")")]
    }

    private mutating func createTrigger(_ table: String, _ column: String) -> [Piece] {
        let start = random.chance(20) ? "create temp trigger" : "create trigger if not exists"
        let event = random.pick(["after insert", "before delete", "update", "after update"])
        var pieces: [Piece] = [.words(start), .name(newName()), .words(event + " on"), .name(table)]
        if random.chance(40) {
            pieces += [
                .words("for each row when case"), literal(), .words("when"), literal(), .words("then 1 end"),
            ]
        }
        pieces.append(.words("begin"))
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            switch Int.random(in: 0..<4, using: &random) {
            case 0:
                pieces += [
                    .words("select case when"), literal(), .words("then"), literal(), .words("end as end"),
                ]
            case 1:
                pieces += [
                    .words("delete from"), .name(table), .words("where"), .name(column),
                    .words("= case 1 when 2 then"), literal(), .words("end"),
                ]
            case 2:
                pieces += [
                    .words("select begin from"), .symbol("("), .words("select 1 as begin"), .symbol(")"),
                ]
            default:
                pieces += [
                    .words("update"), .name(table), .words("set"), .name(column), .symbol("="), literal(),
                ]
            }
            pieces.append(.symbol(";"))
        }
        return pieces + [.words("end")]
    }

    private mutating func drop(_ database: Database, _ table: String) -> [Piece] {
        let others = database.rows(
            "select type, name from sqlite_schema where type in ('view', 'trigger', 'index') and sql is not null"
        )
        guard let other = others.randomElement(using: &random), random.chance(80) else {
            return [.words("drop table if exists"), .name(table)]
        }
        return [.words("drop " + other[0]), .name(other[1])]
    }

    private mutating func literal() -> Piece {
        .literal(
            random.pick([
                "1", "0x1F", "1.5e-3", ".5", "1.", "'a'", "'it''s; end;'", "'--'", "x'00ff'", "null", "'/*'",
                "current_time", "''",
            ]))
    }

    mutating func spell(_ pieces: [Piece]) -> String {
        pieces.map { piece in
            switch piece {
            case .words(let words):
                words.split(separator: " ").map { recase(String($0)) }.reduce("") {
                    $0.isEmpty ? $1 : $0 + gap() + $1
                }
            case .name(let name): quote(name)
            case .symbol(let text), .literal(let text): text
            }
        }.reduce("") { $0 + gap() + $1 }
    }

    private mutating func recase(_ word: String) -> String {
        switch Int.random(in: 0..<3, using: &random) {
        case 0: word
        case 1: word.uppercased()
        default: String(word.map { random.chance(50) ? Character($0.uppercased()) : $0 })
        }
    }

    private mutating func quote(_ name: String) -> String {
        let isPlain = name.first == "n" && name.dropFirst().allSatisfy(\.isNumber)
        let style = Int.random(in: 0..<5, using: &random)
        if isPlain, style < 2 { return name }
        switch style {
        case 2 where !name.contains("]"): return "[\(name)]"
        case 3: return "`\(name.replacing("`", with: "``"))`"
        default: return "\"\(name.replacing("\"", with: "\"\""))\""
        }
    }

    /// Returns whitespace and comments, at least one character.
    mutating func gap() -> String {
        guard random.chance(20) else { return random.pick([" ", "\n", "\t", "\r\n"]) }
        return random.pick([
            " /* ; */ ", "/**/", " -- end; 'x\n", "\n--\n", "/* begin \" */\n", "  /* trigger; end; ** */",
            " \u{FEFF} ", "\u{0C}", " -- \"\r\n",
        ])
    }
}
