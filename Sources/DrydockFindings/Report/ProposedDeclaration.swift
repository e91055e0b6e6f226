import SQLiteSchema

/// A declaration that a finding's help proposes.
public struct ProposedDeclaration: Sendable, Hashable, Codable {
    /// What is declared, as after `-- drydock:`.
    public var words: String
    /// Where it can be written.
    public var form = Form.comment

    public enum Form: Sendable, Hashable, Codable {
        /// A comment in the migration.
        case comment
        /// An entry in drydock.yml. Most tools checksum a released migration, comments included; others have no file in
        /// which a comment would be read.
        case configuration(migration: String, isReleased: Bool = true)
        /// A line of another language.
        case code(String)
    }

    public init(_ words: String) {
        self.words = words
    }

    /// The declaration as it is written, indented.
    public var text: String {
        switch form {
        case .comment: "  -- drydock: \(words)"
        case .code(let line): "  \(line)"
        case .configuration(let migration, let isReleased):
            """
              # drydock.yml\(isReleased ? ", since \(migration) is released" : "")
              declarations:
                \(yamlScalar(migration)):
                  - \(yamlScalar(words))
            """
        }
    }
}

/// A text as a YAML scalar: plain where that reads back, else in single quotes
/// (https://yaml.org/spec/1.2.2/#733-plain-style).
private func yamlScalar(_ text: String) -> String {
    let isPlain =
        text.first?.isLetter == true && !text.contains(": ") && !text.contains(" #") && !text.hasSuffix(":")
        && !["true", "false", "null", "yes", "no", "on", "off", "y", "n"].contains(text.lowercased())
        && text.unicodeScalars.allSatisfy { $0.value >= 32 && $0.value != 127 } && !text.hasSuffix(" ")
    return isPlain ? text : text.enclosed(in: UInt8(ascii: "'"))
}
