extension Finding {
    /// Writes the proposed declaration in the form that the migration can take. Most tools checksum a released
    /// migration, comments included, so for one that a snapshot has applied the form is drydock.yml.
    package mutating func placeDeclaration(isReleased: Bool, _ proposal: ((String, String) -> String)? = nil)
    {
        help = help.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            guard line.hasPrefix(declarationMarker) else { return String(line) }
            let words = line.dropFirst(declarationMarker.count)
            if let proposal, let migration { return proposal(String(words), migration) }
            guard isReleased, let migration else { return "  -- drydock: \(words)" }
            return """
                  # drydock.yml, since \(migration) is released
                  declarations:
                    \(yamlScalar(migration)):
                      - \(yamlScalar(String(words)))
                """
        }.joined(separator: "\n")
    }
}

/// Returns a text as a YAML scalar: plain if that reads back unchanged, otherwise in single quotes
/// (https://yaml.org/spec/1.2.2/#733-plain-style).
private func yamlScalar(_ text: String) -> String {
    let isPlain =
        text.first?.isLetter == true && !text.contains(": ") && !text.contains(" #") && !text.hasSuffix(":")
        && !["true", "false", "null", "yes", "no", "on", "off", "y", "n"].contains(text.lowercased())
        && text.unicodeScalars.allSatisfy { $0.value >= 32 && $0.value != 127 } && !text.hasSuffix(" ")
    return isPlain ? text : "'" + text.replacing("'", with: "''") + "'"
}
