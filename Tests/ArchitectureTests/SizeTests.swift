import Testing

/// The sizes of types and files: what is one concept fits in the head of a reader.
@Suite struct SizeTests {
    /// In lines.
    private static let limit = 600

    /// Extensions in the same target count, so that no type only looks small by being spread over files.
    @Test func typesAreOneConcept() throws {
        var lines: [String: Int] = [:]
        for file in try Repository.swiftFiles(in: "Sources") {
            for type in file.types { lines["\(file.target).\(type.name)", default: 0] += type.lines }
        }
        #expect(lines.count > 1000)
        #expect(lines["DrydockFindings.Rule", default: 0] > 300)
        for (type, count) in lines { #expect(count <= Self.limit, "\(type) has \(count) lines") }
    }

    /// A file is at most as long as a type.
    @Test func filesAreOneConcept() throws {
        for file in try Repository.swiftFiles(in: "Sources") {
            let count = file.text.split(separator: "\n", omittingEmptySubsequences: false).count
            #expect(count <= Self.limit, "\(file.path) has \(count) lines")
        }
    }
}

extension Repository.File {
    /// The types that are declared or extended, with their lines; nested ones count to the outermost.
    fileprivate var types: [(name: Substring, lines: Int)] {
        var types: [(name: Substring, lines: Int)] = []
        var open: (name: Substring, start: Int)?
        for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            if open == nil { open = Self.typeName(in: line).map { ($0, number) } }
            guard let (name, start) = open else { continue }
            // The formatter indents all that is within braces.
            if line.hasPrefix("}") || number == start && line.hasSuffix("}") {
                types.append((name, number - start + 1))
                open = nil
            }
        }
        return types
    }

    /// Returns the name of the type that a line without an indent declares or extends.
    private static func typeName(in line: Substring) -> Substring? {
        guard let first = line.first, first.isLetter || first == "@" else { return nil }
        let words = line.split(separator: " ")
        let kinds = ["struct", "class", "enum", "actor", "protocol", "extension"]
        guard let place = words.firstIndex(where: { kinds.contains(String($0)) }), place + 1 < words.count,
            words[..<place].allSatisfy({ !$0.contains("(") && $0 != "func" })
        else { return nil }
        return words[place + 1].drop { $0 == "[" }.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
    }
}
