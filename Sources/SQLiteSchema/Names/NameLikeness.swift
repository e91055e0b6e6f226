/// A test of whether one name may be a later form of another.
enum NameLikeness {
    /// Returns whether every word of one name is in the other, or has a counterpart there that contains it or
    /// is a close spelling: `mail` and `email`, `fromAddress` and `from_address`, `sender` and `senders`; not
    /// `reports_on` and `others_on`.
    static func areAlike(_ a: String, _ b: String) -> Bool {
        let (all, others) = (words(a), words(b))
        guard !all.isEmpty, !others.isEmpty else { return false }
        let (left, right) = (all.filter { !others.contains($0) }, others.filter { !all.contains($0) })
        let (fewer, more) = left.count < right.count ? (left, right) : (right, left)
        return fewer.allSatisfy { word in
            more.contains { other in
                word.count > 2 && other.contains(word) || other.count > 2 && word.contains(other)
                    || nearestName(to: word, in: [other]) != nil
            }
        }
    }

    /// Returns the words of `snake_case` and `camelCase`, folded.
    private static func words(_ name: String) -> [String] {
        var words: [String] = []
        var word = ""
        var wasLower = false
        for character in name {
            let isBreak = !character.isLetter && !character.isNumber
            if isBreak || character.isUppercase && wasLower, !word.isEmpty {
                words.append(word.foldedASCII)
                word = ""
            }
            if !isBreak { word.append(character) }
            wasLower = character.isLowercase || character.isNumber
        }
        return word.isEmpty ? words : words + [word.foldedASCII]
    }
}
