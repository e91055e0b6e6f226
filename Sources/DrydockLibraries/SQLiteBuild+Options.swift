import DrydockReplay

/// What a build can do, from the options that it was built with (https://www.sqlite.org/compile.html).
extension SQLiteBuild {
    /// Parts that a build may have or lack and that migrations use, with the option that adds each.
    private static let parts: [(name: String, option: String)] = [
        ("FTS3", "ENABLE_FTS3"), ("FTS4", "ENABLE_FTS4"), ("FTS5", "ENABLE_FTS5"), ("RTREE", "ENABLE_RTREE"),
        ("GEOPOLY", "ENABLE_GEOPOLY"), ("MATH_FUNCTIONS", "ENABLE_MATH_FUNCTIONS"),
        ("DBSTAT_VTAB", "ENABLE_DBSTAT_VTAB"), ("ICU", "ENABLE_ICU"), ("SOUNDEX", "SOUNDEX"),
    ]

    /// Whether it says how it was built: one with SQLITE_OMIT_COMPILEOPTION_DIAGS, such as Android's, does not.
    public var listsOptions: Bool { !options.isEmpty }

    /// The parts that it has, such as `FTS5` and `JSON`.
    public var has: [String] { (hasJSON ? ["JSON"] : []) + Self.parts.filter { has($0.option) }.map(\.name) }

    /// The parts that it lacks.
    public var lacks: [String] {
        (hasJSON ? [] : ["JSON"]) + Self.parts.filter { !has($0.option) }.map(\.name)
    }

    /// The options that change how SQL is read or what a connection starts with, such as `OMIT_WINDOWFUNC` and `DQS=0`.
    public var changes: [String] {
        let prefixes = ["OMIT_", "DQS=", "DEFAULT_FOREIGN_KEYS", "SECURE_DELETE"]
        return options.filter { option in prefixes.contains { option.hasPrefix($0) } }
            + ["USE_URI", "LIKE_DOESNT_MATCH_BLOBS"].filter(has)
    }

    /// How it uses threads: 0 single-threaded, 1 serialized, 2 multi-threaded (https://www.sqlite.org/threadsafe.html);
    /// nil if it does not say.
    public var threadSafety: Int? {
        options.first { $0.hasPrefix("THREADSAFE=") }.flatMap { Int($0.dropFirst("THREADSAFE=".count)) }
    }

    /// JSON is part of every build since 3.38 that does not leave it out.
    private var hasJSON: Bool {
        has("ENABLE_JSON1") || number.map { $0 >= SQLiteVersion(38) } ?? false && !has("OMIT_JSON")
    }

    private func has(_ option: String) -> Bool {
        options.contains { $0 == option || $0.hasPrefix(option + "=") }
    }
}
