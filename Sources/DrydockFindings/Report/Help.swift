/// What to do about a finding: text, and the declarations that it proposes.
///
///     let help: Help = "If they are no longer needed, declare it:\n\(declaration: "drops table label")"
///     help.declarations[0].words   // drops table label
///     help.text                    // with `  -- drydock: drops table label` on the second line
public struct Help: Sendable, Hashable, Codable {
    public enum Part: Sendable, Hashable, Codable {
        /// Words and SQL, with their line breaks.
        case text(String)
        /// Stands on a line of its own.
        case declaration(ProposedDeclaration)
        /// Stands on lines of its own.
        case standIn(StandIn)
    }

    /// In order, without two texts side by side.
    public private(set) var parts: [Part] = []

    public init(_ text: String = "") {
        append(.text(text))
    }

    public var isEmpty: Bool { parts.isEmpty }

    /// The proposed declarations, in order.
    public var declarations: [ProposedDeclaration] {
        parts.compactMap { if case .declaration(let proposed) = $0 { proposed } else { nil } }
    }

    /// The help as people read it, with each declaration in its form. Several lines where SQL or a declaration is proposed.
    public var text: String {
        parts.map { part in
            switch part {
            case .text(let text): text
            case .declaration(let proposed): proposed.text
            case .standIn(let standIn): standIn.text
            }
        }.joined()
    }

    /// A proposed declaration alone.
    package static func declaration(_ words: String) -> Help {
        var help = Help()
        help.append(.declaration(ProposedDeclaration(words)))
        return help
    }

    /// A stand-in alone.
    package static func standIn(_ standIn: StandIn) -> Help {
        var help = Help()
        help.append(.standIn(standIn))
        return help
    }

    /// Whether it proposes a stand-in.
    package var hasStandIn: Bool {
        parts.contains { if case .standIn = $0 { true } else { false } }
    }

    /// Gives each declaration the form in which it can be written into a file.
    package mutating func setForms(_ form: (ProposedDeclaration) -> ProposedDeclaration.Form) {
        parts = parts.map { part in
            guard case .declaration(var proposed) = part else { return part }
            proposed.form = form(proposed)
            return .declaration(proposed)
        }
    }

    /// The help without what follows its last declaration; all of it if it proposes none.
    package var throughDeclarations: Help {
        let last = parts.lastIndex { if case .declaration = $0 { true } else { false } }
        var help = Help()
        help.parts = last.map { Array(parts[...$0]) } ?? parts
        return help
    }

    private mutating func append(_ part: Part) {
        if case .text(let text) = part {
            if text.isEmpty { return }
            if case .text(let earlier)? = parts.last {
                parts[parts.count - 1] = .text(earlier + text)
                return
            }
        }
        parts.append(part)
    }

    package static func + (a: Help, b: Help) -> Help {
        var sum = a
        b.parts.forEach { sum.append($0) }
        return sum
    }

    package static func + (a: Help, b: String) -> Help { a + Help(b) }

    package static func += (a: inout Help, b: Help) { a = a + b }
}

extension Help: ExpressibleByStringInterpolation, CustomStringConvertible {
    public struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var help = Help()

        public init(literalCapacity: Int, interpolationCount: Int) {}

        public mutating func appendLiteral(_ literal: String) { help.append(.text(literal)) }

        public mutating func appendInterpolation(_ value: some CustomStringConvertible) {
            help.append(.text(value.description))
        }

        public mutating func appendInterpolation(_ part: Help) { part.parts.forEach { help.append($0) } }

        /// A proposed declaration, at the start of a line.
        public mutating func appendInterpolation(declaration words: String) {
            help.append(.declaration(ProposedDeclaration(words)))
        }
    }

    public init(stringLiteral text: String) { self.init(text) }

    public init(stringInterpolation: StringInterpolation) { self = stringInterpolation.help }

    public var description: String { text }
}

/// What help can be made from: text alone, or help with declarations.
public protocol HelpConvertible: Sendable {
    var asHelp: Help { get }
}

extension Help: HelpConvertible {
    public var asHelp: Help { self }
}

extension String: HelpConvertible {
    public var asHelp: Help { Help(self) }
}

extension Sequence<Help> {
    /// One below the other.
    package func joinedLines() -> Help {
        enumerated().reduce(into: Help()) { $0 += ($1.offset == 0 ? $1.element : "\n" + $1.element) }
    }
}

extension Finding {
    /// Proposes declarations for drydock.yml, as a released migration needs them: most tools checksum it, comments included.
    /// - Parameter isReleased: whether that is the reason.
    package mutating func declareInConfiguration(isReleased: Bool = true) {
        guard let migration else { return }
        advice.setForms { _ in .configuration(migration: migration, isReleased: isReleased) }
    }
}
