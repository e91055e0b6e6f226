import DrydockReplay

/// Reads one line of a lock: words and `name=value` pairs, quoted if necessary.
struct LockCursor {
    private var scalars: Substring.UnicodeScalarView

    init(_ line: String) {
        scalars = line[...].unicodeScalars
        skipSpaces()
    }

    var isAtEnd: Bool { scalars.isEmpty }

    var isAtComment: Bool { scalars.first == "#" }

    /// Reads the checksum of the line; returns nil if it has none.
    mutating func digits() throws -> String? {
        guard scalars.first == "#" else { return nil }
        let word = scalars.dropFirst().prefix { $0 != " " && $0 != "\t" }
        scalars = scalars[word.endIndex...]
        skipSpaces()
        return String(word)
    }

    /// The rest of the line, without trailing blanks.
    var rest: String {
        var end = scalars
        while let last = end.last, last == " " || last == "\t" { end = end.dropLast() }
        return String(end)
    }

    /// Reads the next word and removes its quotes.
    mutating func word() throws -> String {
        let word = try part()
        guard scalars.first != "=" else {
            throw LockFault("'\(word)=' is not expected here; restore the line")
        }
        skipSpaces()
        return word
    }

    mutating func pair() throws -> (name: String, value: String) {
        let name = try part()
        guard scalars.first == "=" else {
            throw LockFault("'\(name)' has no value: NAME=VALUE is expected; restore the line")
        }
        scalars = scalars.dropFirst()
        let value = try part()
        skipSpaces()
        return (name, value)
    }

    /// Reads all pairs up to the end of the line, or up to its checksum.
    /// - Parameter names: The names that are allowed; nil for any.
    mutating func pairs(_ names: [String]?) throws -> [String: String] {
        var result: [String: String] = [:]
        while !isAtEnd, scalars.first != "#" {
            let (name, value) = try pair()
            if let names, !names.contains(name) {
                throw LockFault(
                    "'\(name)' does not belong here; expected are: \(names.joined(separator: ", "))")
            }
            guard result.updateValue(value, forKey: name) == nil else {
                throw LockFault("'\(name)' appears twice; restore the line")
            }
        }
        return result
    }

    func require(_ name: String, in values: [String: String]) throws -> String {
        guard let value = values[name] else { throw LockFault("'\(name)=' is missing; restore the line") }
        return value
    }

    /// Returns a value of `count` hexadecimal digits.
    func digest(_ name: String, _ pair: (name: String, value: String), count: Int) throws -> String {
        guard pair.name == name else { throw LockFault("'\(name)=' is missing; restore the line") }
        let digits = "0123456789abcdef".unicodeScalars
        guard pair.value.unicodeScalars.count == count, pair.value.unicodeScalars.allSatisfy(digits.contains)
        else {
            throw LockFault(
                "\(name)=\(LockWord.text(pair.value)) is not a digest of \(count) hexadecimal digits; restore the line"
            )
        }
        return pair.value
    }

    func expectEnd() throws {
        guard isAtEnd else { throw LockFault("'\(rest)' is not expected here; restore the line") }
    }

    // MARK: - Scalars

    private mutating func skipSpaces() {
        scalars = scalars.drop { $0 == " " || $0 == "\t" }
    }

    private mutating func part() throws -> String {
        if scalars.first == "\"" { return try quoted() }
        let word = scalars.prefix { $0 != " " && $0 != "\t" && $0 != "=" && $0 != "\"" }
        guard !word.isEmpty else {
            throw LockFault(
                isAtEnd ? "the line ends too soon; restore it" : "a word is missing before '\(rest)'")
        }
        scalars = scalars[word.endIndex...]
        return String(word)
    }

    private mutating func quoted() throws -> String {
        var text = "".unicodeScalars
        scalars = scalars.dropFirst()
        while let scalar = scalars.popFirst() {
            switch scalar {
            case "\"": return String(text)
            case "\\": text.append(try escaped())
            default: text.append(scalar)
            }
        }
        throw LockFault("a quote is not closed; restore the line")
    }

    private mutating func escaped() throws -> Unicode.Scalar {
        switch scalars.popFirst() {
        case .some("\""): return "\""
        case .some("\\"): return "\\"
        case .some("u") where scalars.first == "{":
            let digits = scalars.dropFirst().prefix { $0 != "}" }
            if let value = UInt32(String(digits), radix: 16), let scalar = Unicode.Scalar(value),
                digits.endIndex < scalars.endIndex
            {
                scalars = scalars[digits.endIndex...].dropFirst()
                return scalar
            }
        default: break
        }
        throw LockFault("a backslash is followed by none of: \\ \" u{…}; restore the line")
    }
}
