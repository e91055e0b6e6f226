/// Prose that fits the width of a terminal.
package enum WrappedText {
    /// Wraps prose between words; indented text is code and stays as it is.
    /// - Parameter width: the columns of the terminal; nil for text that stays on one line.
    /// - Parameter start: how many of them the first line has used.
    /// - Parameter indent: how many are blank in the other lines.
    package static func lines(
        _ line: Substring, to width: Int?, after start: Int? = nil, indent: Int
    ) -> [String] {
        guard let width, !line.hasPrefix(" "), line.count + (start ?? indent) > width else {
            return [String(line)]
        }
        // No terminal is so narrow that a word or two would not fit.
        let columns = max(24, width)
        var (lines, used) = ([""], start ?? indent)
        for word in line.split(separator: " ") {
            let last = lines.count - 1
            if lines[last].isEmpty, used == indent || used + word.count <= columns {
                lines[last] = String(word)
                used += word.count
            } else if used + 1 + word.count <= columns {
                lines[last] += " " + word
                used += 1 + word.count
            } else {
                lines.append(String(word))
                used = indent + word.count
            }
        }
        return lines
    }
}
