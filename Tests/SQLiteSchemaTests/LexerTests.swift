import SQLiteSchema
import Testing

@Suite struct LexerTests {
    /// Returns the significant tokens of a text as `kind:text`.
    private func tokens(_ sql: String) -> [String] {
        let source = SQLSource(name: "test", sql)
        return source.tokens().filter { $0.kind != .whitespace }.map {
            "\(name($0.kind)):\($0.text(in: source))"
        }
    }

    private func name(_ kind: Token.Kind) -> String {
        switch kind {
        case .word: "word"
        case .quotedIdentifier: "name"
        case .string: "string"
        case .blob: "blob"
        case .number: "number"
        case .variable: "variable"
        case .symbol: "symbol"
        case .lineComment: "line"
        case .blockComment: "block"
        case .whitespace: "space"
        case .illegal(let reason): reason.rawValue
        }
    }

    @Test(arguments: [
        (
            "select SELECT _a a$b é a1",
            ["word:select", "word:SELECT", "word:_a", "word:a$b", "word:é", "word:a1"]
        ),
        (
            #""a""b" "" `a``b` [a"b] [a[]"#,
            [#"name:"a""b""#, #"name:"""#, "name:`a``b`", #"name:[a"b]"#, "name:[a[]"]
        ),
        ("'it''s' ''", ["string:'it''s'", "string:''"]),
        ("'a\n;--b'", ["string:'a\n;--b'"]),
        (
            "x'0aF' X'' x'0a' X'FF'",
            ["malformed blob literal:x'0aF'", "blob:X''", "blob:x'0a'", "blob:X'FF'"]
        ),
        ("x'1g;' xx'1'", ["malformed blob literal:x'1g;'", "word:xx", "string:'1'"]),
        ("x'12", ["malformed blob literal:x'12"]),
        (
            "0 12 1. .5 1.5 0x1Fa 0XA",
            ["number:0", "number:12", "number:1.", "number:.5", "number:1.5", "number:0x1Fa", "number:0XA"]
        ),
        ("1e5 1E+5 1.e-5 .5e1", ["number:1e5", "number:1E+5", "number:1.e-5", "number:.5e1"]),
        ("1_000 0xF_F 1_0.0_1e1_0", ["number:1_000", "number:0xF_F", "number:1_0.0_1e1_0"]),
        ("0x1Fg 0xF__0", ["number:0x1F", "word:g", "number:0xF", "word:__0"]),
        ("1_ 1__0 1_.5", ["malformed number:1_", "malformed number:1__0", "malformed number:1_.5"]),
        (
            "1e 1e+ 0x 12ab 1.5.5",
            [
                "malformed number:1e", "malformed number:1e", "symbol:+", "malformed number:0x",
                "malformed number:12ab", "number:1.5", "number:.5",
            ]
        ),
        (
            "? ?12 ?1a :a @b #c $d",
            [
                "variable:?", "variable:?12", "variable:?1", "word:a", "variable::a", "variable:@b",
                "variable:#c", "variable:$d",
            ]
        ),
        (
            "$a::b(c,d) $a(x y :: @",
            [
                "variable:$a::b(c,d)", "malformed variable:$a(x", "word:y", "malformed variable::",
                "malformed variable::",
                "malformed variable:@",
            ]
        ),
        (
            "a||b->c->>d<<e>>f<=g>=h==i!=j<>k",
            [
                "word:a", "symbol:||", "word:b", "symbol:->", "word:c", "symbol:->>", "word:d", "symbol:<<",
                "word:e", "symbol:>>", "word:f", "symbol:<=", "word:g", "symbol:>=", "word:h", "symbol:==",
                "word:i", "symbol:!=", "word:j", "symbol:<>", "word:k",
            ]
        ),
        (
            "+-*/%&|~<>=.,;()",
            [
                "symbol:+", "symbol:-", "symbol:*", "symbol:/", "symbol:%", "symbol:&", "symbol:|",
                "symbol:~", "symbol:<>", "symbol:=", "symbol:.", "symbol:,", "symbol:;", "symbol:(",
                "symbol:)",
            ]
        ),
        ("a -- b ; 'c\nd", ["word:a", "line:-- b ; 'c", "word:d"]),
        ("a--\r\nb--c", ["word:a", "line:--\r", "word:b", "line:--c"]),
        (
            "a/**/b/***/c/*/*/d",
            ["word:a", "block:/**/", "word:b", "block:/***/", "word:c", "block:/*/*/", "word:d"]
        ),
        ("a /* b ; -- ", ["word:a", "block:/* b ; -- "]),
        ("a /*", ["word:a", "symbol:/", "symbol:*"]),
        ("'abc", ["unterminated string:'abc"]),
        ("'abc''", ["unterminated string:'abc''"]),
        ("\"abc", ["unterminated quoted identifier:\"abc"]),
        ("[abc", ["unterminated quoted identifier:[abc"]),
        ("`", ["unterminated quoted identifier:`"]),
        (
            "a ! { \\ ^",
            [
                "word:a", "character that begins no token:!", "character that begins no token:{",
                "character that begins no token:\\", "character that begins no token:^",
            ]
        ),
        ("]", ["character that begins no token:]"]),
        ("\u{FEFF}select\u{FEFF} 1", ["word:select\u{FEFF}", "number:1"]),
        ("a\u{0B}", ["word:a", "character that begins no token:\u{0B}"]),
        ("a \u{0B}b", ["word:a", "word:b"]),
        ("'a\0b'", ["unterminated string:'a", "NUL character:\0", "word:b", "unterminated string:'"]),
        ("", []),
    ])
    func `tokens are those of tokenize.c`(sql: String, expected: [String]) {
        #expect(tokens(sql) == expected)
    }

    @Test func `a byte order mark is whitespace`() {
        #expect(SQLSource(name: "", "\u{FEFF}a").tokens().map(\.kind) == [.whitespace, .word])
    }

    @Test func `bytes that are not UTF-8 are kept`() {
        let source = SQLSource(name: "", bytes: [0x27, 0xFF, 0x27, 0x20, 0xFE, 0xEF, 0xBB])
        #expect(source.tokens().map(\.range) == [0..<3, 3..<4, 4..<7])
        #expect(source.tokens().map(\.kind) == [.string, .whitespace, .word])
        #expect(source.tokens()[0].text(in: source) == "'\u{FFFD}'")
    }

    @Test(arguments: [
        ("a", "a"), ("A", "A"), (#""a""b""#, #"a"b"#), ("`a``b`", "a`b"), ("[a]", "a"), (#"[a"b]"#, #"a"b"#),
        ("\"\"", ""), ("\"select\"", "select"), (#""""""#, #"""#), ("\"a'b\"", "a'b"),
    ])
    func `identifiers are unquoted`(sql: String, expected: String) {
        let source = SQLSource(name: "", sql)
        #expect(source.tokens().map { $0.identifier(in: source) } == [expected])
    }

    @Test func `a string is a name only where a name is expected`() {
        let source = SQLSource(name: "", "'it''s'")
        #expect(source.tokens().map { $0.identifier(in: source) } == [nil])
        #expect(source.tokens().map { $0.name(in: source) } == ["it's"])
        #expect(source.tokens().map { $0.stringValue(in: source) } == ["it's"])
    }

    @Test func `words and symbols compare as SQLite does`() {
        let source = SQLSource(name: "", "SeLect||")
        let tokens = source.tokens()
        #expect(tokens[0].isWord("select", in: source))
        #expect(!tokens[0].isWord("selec", in: source))
        #expect(tokens[1].isSymbol("||", in: source))
        #expect(!tokens[1].isSymbol("|", in: source))
    }
}
