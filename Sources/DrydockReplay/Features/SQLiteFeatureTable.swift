/// The version of SQLite that added each feature, from the release history (https://www.sqlite.org/changes.html). A test
/// tries each on builds below and at its version, where there are some. 3.52.0 was withdrawn, so what it brought counts as
/// new in 3.53.0.
package enum SQLiteFeatureTable {
    /// Sequences of tokens that show the use of a feature: words in lower case and symbols unchanged; NAME, NUMBER and
    /// STRING match any such token.
    package static let patterns: [(since: SQLiteVersion, what: String, tokens: [String])] = [
        entry(.init(8, 2), "WITHOUT ROWID", "without rowid"),
        entry(.init(8, 3), "WITH", "with recursive NAME"), entry(.init(8, 3), "WITH", "with NAME as ("),
        entry(.init(8, 3), "WITH", "with NAME ("), entry(.init(8, 3), "VALUES as a query", "as values ("),
        entry(.init(8, 3), "VALUES as a query", "( values ("),
        entry(.init(24), "an upsert", "on conflict ("), entry(.init(24), "an upsert", "on conflict do"),
        entry(.init(24), "an alias of an INSERT's table", "into NAME as NAME"),
        entry(.init(24), "an alias of an INSERT's table", "into NAME . NAME as NAME"),
        entry(.init(25), "RENAME COLUMN", "rename column"),
        entry(.init(25), "a window function", ") over ("),
        entry(.init(25), "a window function", ") over NAME"),
        entry(.init(25), "a window function", "window NAME as ("),
        entry(.init(28), "GROUPS", "groups between"), entry(.init(28), "GROUPS", "groups unbounded"),
        entry(.init(28), "GROUPS", "groups current"), entry(.init(28), "GROUPS", "groups NUMBER"),
        entry(.init(28), "EXCLUDE", "exclude no others"), entry(.init(28), "EXCLUDE", "exclude current row"),
        entry(.init(28), "EXCLUDE", "exclude group"), entry(.init(28), "EXCLUDE", "exclude ties"),
        entry(.init(28), "RANGE with a number", "range NUMBER"),
        entry(.init(28), "RANGE with a number", "range between NUMBER"),
        entry(.init(30), "NULLS FIRST", "nulls first"), entry(.init(30), "NULLS LAST", "nulls last"),
        entry(.init(31), "a generated column", "generated always"),
        entry(.init(35), "MATERIALIZED", "as materialized"),
        entry(.init(35), "NOT MATERIALIZED", "not materialized"),
        entry(.init(38), "the operator ->", "->"), entry(.init(38), "the operator ->", "->>"),
        entry(.init(39), "RIGHT JOIN", "right join"), entry(.init(39), "FULL JOIN", "full join"),
        entry(.init(39), "RIGHT JOIN", "right outer join"), entry(.init(39), "FULL JOIN", "full outer join"),
        entry(.init(39), "IS DISTINCT FROM", "is distinct from"),
        entry(.init(39), "IS NOT DISTINCT FROM", "is not distinct from"),
        entry(.init(53), "REINDEX EXPRESSIONS", "reindex expressions"),
        entry(.init(53), "SET NOT NULL", "set not null"), entry(.init(53), "DROP NOT NULL", "drop not null"),
        entry(.init(53), "ADD CONSTRAINT", "add constraint"), entry(.init(53), "ADD CHECK", "add check ("),
        entry(.init(53), "DROP CONSTRAINT", "drop constraint"),
    ]

    private static func entry(
        _ since: SQLiteVersion, _ what: String, _ tokens: String
    ) -> (since: SQLiteVersion, what: String, tokens: [String]) {
        (since, what, tokens.split(separator: " ").map(String.init))
    }

    /// SQLite's own functions, including table-valued functions.
    package static let functions: [String: SQLiteVersion] = {
        let table: [(SQLiteVersion, String)] = [
            (.init(7, 15), "instr"), (.init(7, 16), "unicode char"), (.init(8, 1), "unlikely likelihood"),
            (.init(8, 3), "printf"), (.init(8, 6), "likely"),
            (
                .init(9),
                "json json_array json_array_length json_extract json_insert json_object json_remove json_replace "
                    + "json_set json_type json_valid json_each json_tree"
            ),
            (.init(10), "json_group_array json_group_object"), (.init(14), "json_quote"),
            (.init(18), "json_patch"), (.init(32), "iif"), (.init(34), "substring"),
            (
                .init(35),
                "acos acosh asin asinh atan atan2 atanh ceil ceiling cos cosh degrees exp floor ln log log10 log2 "
                    + "mod pi pow power radians sign sin sinh sqrt tan tanh trunc"
            ),
            (.init(38), "unixepoch format"), (.init(41), "unhex"), (.init(42), "json_error_position"),
            (.init(43), "octet_length timediff"), (.init(44), "concat concat_ws string_agg"),
            (
                .init(45),
                "jsonb jsonb_array jsonb_extract jsonb_insert jsonb_object jsonb_patch jsonb_remove jsonb_replace "
                    + "jsonb_set jsonb_group_array jsonb_group_object"
            ),
            (.init(46), "json_pretty"), (.init(47), "fts5_locale fts5_get_locale"),
            (.init(48), "if fts5_insttoken"), (.init(50), "unistr unistr_quote"),
            (.init(51), "jsonb_each jsonb_tree"), (.init(53), "json_array_insert jsonb_array_insert"),
        ]
        return table.reduce(into: [:]) { result, entry in
            for name in entry.1.split(separator: " ") { result[String(name)] = entry.0 }
        }
    }()

    /// Names of tables: the schema table, and PRAGMAs as tables (https://www.sqlite.org/pragma.html#pragfunc).
    package static let tables: [String: SQLiteVersion] = {
        let pragmas =
            "collation_list compile_options database_list foreign_key_check foreign_key_list index_info index_list "
            + "index_xinfo integrity_check page_count page_size quick_check table_info user_version"
        var tables: [String: SQLiteVersion] = [
            "sqlite_schema": .init(33), "sqlite_temp_schema": .init(33), "pragma_table_xinfo": .init(26),
            "pragma_function_list": .init(30), "pragma_module_list": .init(30),
            "pragma_pragma_list": .init(30), "pragma_table_list": .init(37),
        ]
        for name in pragmas.split(separator: " ") { tables["pragma_\(name)"] = .init(16) }
        return tables
    }()

    /// Modifiers of the date functions (https://www.sqlite.org/lang_datefunc.html).
    package static let dateModifiers: [String: SQLiteVersion] = [
        "auto": .init(38), "julianday": .init(38), "subsec": .init(42), "subsecond": .init(42),
        "ceiling": .init(46), "floor": .init(46),
    ]

    /// Letters after % in the format of strftime.
    package static let formatLetters: [Character: SQLiteVersion] = [
        "e": .init(44), "F": .init(44), "I": .init(44), "k": .init(44), "l": .init(44), "p": .init(44),
        "P": .init(44), "R": .init(44), "T": .init(44), "u": .init(44), "G": .init(46), "g": .init(46),
        "U": .init(46), "V": .init(46),
    ]

    package static let dateFunctions: Set<String> = [
        "date", "time", "datetime", "julianday", "unixepoch", "strftime",
    ]

    /// Options of a full-text table, as they appear in its arguments.
    package static let fullText: [(since: SQLiteVersion, text: String)] = [
        (.init(27), "remove_diacritics 2"), (.init(34), "trigram"), (.init(43), "contentless_delete"),
        (.init(47), "contentless_unindexed"),
    ]

    /// Aggregates that may have an ORDER BY after their arguments since 3.44.
    package static let aggregates: Set<String> = [
        "avg", "count", "group_concat", "json_group_array", "json_group_object", "jsonb_group_array",
        "jsonb_group_object", "max", "min", "string_agg", "sum", "total",
    ]
}
