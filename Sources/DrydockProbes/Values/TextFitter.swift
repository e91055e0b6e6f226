import DatabaseEngine

/// Changes a text so that it fits the conditions on it.
struct TextFitter {
    var domain: Domain
    var row: ValueMaker.Row
    /// Whether texts of different rows must differ.
    var isKey: Bool

    /// - Parameter others: texts of other kinds, of which one may match a pattern.
    func fitted(_ text: String, others: [String]) -> String {
        var text = text
        if let pattern = domain.pattern {
            let found = ([text] + others).filter { pattern.matches($0) && domain.lengths.contains($0.count) }
            text = found.isEmpty ? matching(pattern, text) : found[row.variant % found.count]
        }
        for part in domain.absent where !part.isEmpty { text = text.replacing(part, with: "") }
        if let alphabet = domain.alphabet, !alphabet.isEmpty, !text.allSatisfy(alphabet.contains) {
            let kept = String(text.filter(alphabet.contains))
            text =
                kept.isEmpty || isKey && kept.count < 3
                ? code(alphabet, max(domain.lengths.lowerBound, 6)) : kept
        }
        text = cased(text)
        text = sized(text)
        if let low = domain.low?.value.text, !domain.allows(SQLValue(text)) { text = low + text }
        return text
    }

    /// Returns a text that matches a pattern, of a length that is allowed if the pattern leaves room.
    private func matching(_ pattern: TextPattern, _ text: String) -> String {
        let room = max(domain.lengths.upperBound - pattern.shortest, 0)
        var filler = String(cased(self.filler(text)).suffix(room))
        let missing = min(domain.lengths.lowerBound, 100_000) - pattern.shortest - filler.count
        if missing > 0 { filler = String(repeating: cased("x"), count: missing) + filler }
        return pattern.text(number: row.key + row.variant, filler: filler)
    }

    private func filler(_ text: String) -> String {
        let short = text.split(separator: " ")
        return short.count > 1 ? "\(short[0])\(short[short.count - 1])" : text
    }

    private func cased(_ text: String) -> String {
        if domain.forms.contains(.uppercase) { return text.uppercased() }
        return domain.forms.contains(.lowercase) ? text.lowercased() : text
    }

    private func sized(_ text: String) -> String {
        guard domain.pattern == nil || domain.lengths.upperBound < Int.max else { return text }
        if text.count > domain.lengths.upperBound {
            let short = cased(filler(text))
            if domain.pattern == nil, short.count <= domain.lengths.upperBound,
                domain.alphabet.map({ short.allSatisfy($0.contains) }) ?? true
            {
                return sized(short)
            }
            let alphabet = cased(domain.alphabet.map { String($0) } ?? "abcdefghijklmnopqrstuvwxyz")
            return code(Array(alphabet), domain.lengths.upperBound)
        }
        guard text.count < domain.lengths.lowerBound else { return text }
        // Lengths are CHECKed up to what a person would type; more is not tried.
        let missing = min(domain.lengths.lowerBound, 100_000) - text.count
        return text + String(repeating: cased(domain.alphabet?.first.map { "\($0)" } ?? "x"), count: missing)
    }

    /// Returns the row's number in the digits of an alphabet, with so many of them.
    private func code(_ alphabet: [Character], _ count: Int) -> String {
        guard !alphabet.isEmpty else { return "" }
        var digits: [Character] = []
        var rest = row.key + row.variant
        for _ in 0..<min(count, 100_000) {
            digits.append(alphabet[rest % alphabet.count])
            rest /= alphabet.count
        }
        return String(digits.reversed())
    }
}
