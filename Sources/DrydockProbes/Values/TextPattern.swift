/// A pattern of LIKE or GLOB that can make texts which match it
/// (https://www.sqlite.org/lang_expr.html#the_like_glob_regexp_match_and_extract_operators).
struct TextPattern: Sendable, Hashable {
    enum Part: Sendable, Hashable {
        case character(Character)
        case one
        case many
        /// One of a class.
        case oneOf([Character])
        /// One that is not in a class.
        case noneOf([Character])
    }

    var parts: [Part]
    private var ignoresCase = false

    init(like text: String) {
        ignoresCase = true
        parts = text.map { $0 == "%" ? .many : $0 == "_" ? .one : .character($0) }
    }

    /// - Parameter escape: the character after which `%` and `_` stand for themselves.
    init(like text: String, escape: Character) {
        ignoresCase = true
        parts = []
        var isEscaped = false
        for character in text {
            if !isEscaped, character == escape {
                isEscaped = true
                continue
            }
            let isWild = !isEscaped
            parts.append(
                isWild && character == "%" ? .many : isWild && character == "_" ? .one : .character(character)
            )
            isEscaped = false
        }
    }

    init(containing text: String) { parts = [.many] + text.map { .character($0) } + [.many] }

    init(prefix text: String) { parts = text.map { .character($0) } + [.many] }

    init(glob text: String) {
        let characters = Array(text)
        parts = []
        var place = 0
        while place < characters.count {
            switch characters[place] {
            case "*": parts.append(.many)
            case "?": parts.append(.one)
            case "[":
                if let (part, end) = Self.characterClass(characters, place) {
                    parts.append(part)
                    place = end
                } else {
                    parts.append(.character("["))
                }
            default: parts.append(.character(characters[place]))
            }
            place += 1
        }
    }

    private static func characterClass(_ text: [Character], _ start: Int) -> (Part, Int)? {
        var place = start + 1
        let isNegated = place < text.count && text[place] == "^"
        if isNegated { place += 1 }
        var members: [Character] = []
        let first = place
        while place < text.count, text[place] != "]" || place == first {
            if place + 2 < text.count, text[place + 1] == "-", text[place + 2] != "]",
                let low = text[place].unicodeScalars.first?.value,
                let high = text[place + 2].unicodeScalars.first?.value, low <= high, high - low < 512
            {
                members += (low...high).compactMap { Unicode.Scalar($0).map { Character($0) } }
                place += 3
            } else {
                members.append(text[place])
                place += 1
            }
        }
        guard place < text.count, !members.isEmpty else { return nil }
        return (isNegated ? .noneOf(members) : .oneOf(members), place)
    }

    /// The characters that a text may have if it must not match: `*[^0-9]*` leaves digits alone.
    var alphabetIfExcluded: [Character]? {
        guard parts.count == 3, parts[0] == .many, parts[2] == .many, case .noneOf(let members) = parts[1]
        else { return nil }
        return members
    }

    /// The text that must not occur anywhere if the pattern is `%text%`.
    var textIfExcluded: String? {
        guard parts.count >= 3, parts.first == .many, parts.last == .many else { return nil }
        var text = ""
        for part in parts.dropFirst().dropLast() {
            guard case .character(let character) = part else { return nil }
            text.append(character)
        }
        return text
    }

    /// Returns whether a text matches, as LIKE does without regard to the case of ASCII.
    func matches(_ text: String) -> Bool {
        let characters = Array(text)
        var (place, part) = (0, 0)
        var retry: (place: Int, part: Int)?
        while place < characters.count {
            if part < parts.count, parts[part] == .many {
                retry = (place, part)
                part += 1
            } else if part < parts.count, fits(characters[place], parts[part]) {
                place += 1
                part += 1
            } else if let last = retry {
                (place, part) = (last.place + 1, last.part + 1)
                retry = (last.place + 1, last.part)
            } else {
                return false
            }
        }
        return parts[part...].allSatisfy { $0 == .many }
    }

    private func fits(_ character: Character, _ part: Part) -> Bool {
        switch part {
        case .character(let other):
            character == other || ignoresCase && character.lowercased() == other.lowercased()
        case .one, .many: true
        case .oneOf(let members): members.contains(character)
        case .noneOf(let members): !members.contains(character)
        }
    }

    /// The length of the shortest text that matches.
    var shortest: Int { parts.count(where: { $0 != .many }) }

    /// Returns a text that matches.
    /// - Parameters:
    ///   - number: texts of different numbers differ where the pattern leaves room for it.
    ///   - filler: what stands for the longest gap.
    func text(number: Int, filler: String) -> String {
        var text = ""
        var rest = number
        var isFilled = false
        // From the end, so that the last characters of short patterns differ first.
        var choices: [Int: Character] = [:]
        for (place, part) in parts.enumerated().reversed() {
            switch part {
            case .one: choices[place] = Self.pick(Self.letters, &rest)
            case .oneOf(let members): choices[place] = Self.pick(members, &rest)
            case .noneOf(let members):
                choices[place] = Self.pick(Self.letters.filter { !members.contains($0) }, &rest)
            case .character, .many: break
            }
        }
        for (place, part) in parts.enumerated() {
            switch part {
            case .character(let character): text.append(character)
            case .many where !isFilled:
                isFilled = true
                text += filler
            case .many: break
            default: if let choice = choices[place] { text.append(choice) }
            }
        }
        return text
    }

    private static let letters = Array("abcdefghijklmnopqrstuvwxyz0123456789")

    private static func pick(_ members: [Character], _ rest: inout Int) -> Character {
        guard !members.isEmpty else { return "x" }
        defer { rest /= members.count }
        return members[rest % members.count]
    }
}
