import ArgumentParser

/// The value of an option that takes a number or a duration.
enum NumberOption {
    /// Returns what reads a number.
    /// - Parameters:
    ///   - range: the numbers that are valid.
    ///   - expected: what a valid number is, such as "a number of at least 1".
    static func reader(
        _ range: some RangeExpression<Int> & Sendable, _ expected: String
    ) -> @Sendable (String) throws -> Int {
        { argument in
            try valid(Int(argument).flatMap { range.contains($0) ? $0 : nil }, argument, expected)
        }
    }

    /// Returns the value of an argument.
    /// - Throws: `ValidationError` that says what a valid value is, where there is none.
    static func valid<Value>(_ value: Value?, _ argument: String, _ expected: String) throws -> Value {
        guard let value else { throw ValidationError("'\(argument)' is not \(expected)") }
        return value
    }

    static let atLeastOne = reader(1..., "a number of at least 1")
}

extension TimeLimit {
    /// What a valid value is.
    static let expected = "a duration such as 90s, 5m or 500ms"

    /// - Throws: `ValidationError` that says what a valid value is.
    static func parsed(_ argument: String) throws -> TimeLimit {
        try NumberOption.valid(TimeLimit(argument: argument), argument, expected)
    }
}

extension TimeLimit {
    /// Returns a time to wait, which may be none at all: `0`, `0s`.
    /// - Throws: `ValidationError` that says what a valid value is.
    static func wait(_ argument: String) throws -> TimeLimit {
        guard argument.wholeMatch(of: /0+(ms|s|m|h)?/) != nil, var none = TimeLimit(argument: "1s") else {
            return try NumberOption.valid(
                TimeLimit(argument: argument), argument, "\(expected), or 0 not to wait")
        }
        none.duration = .zero
        return none
    }
}

extension RunLimit {
    static let expected = "a duration such as 90s or 5m, or none"

    /// - Throws: `ValidationError` that says what a valid value is.
    static func parsed(_ argument: String) throws -> RunLimit {
        try NumberOption.valid(RunLimit(argument: argument), argument, expected)
    }
}

extension DrydockCommand {
    /// Returns arguments in which a negative number belongs to the option before it: the parser would take it for an
    /// option, and say that the value is missing.
    static func joiningNumbers(_ arguments: [String]) -> [String] {
        let end = arguments.firstIndex(of: "--") ?? arguments.endIndex
        var joined: [String] = []
        for (index, argument) in arguments[..<end].enumerated() {
            // Most of ten thousand arguments are names.
            if argument.hasPrefix("-"), argument.prefixMatch(of: /-\.?[0-9]/) != nil,
                let last = joined.last, last == arguments[index - 1],
                last.wholeMatch(of: /--[a-z][a-z-]*|-j/) != nil
            {
                // The parser takes what follows a short option without a sign in between.
                joined[joined.count - 1] = last == "-j" ? "--jobs=\(argument)" : "\(last)=\(argument)"
            } else {
                joined.append(argument)
            }
        }
        return joined + arguments[end...]
    }
}
