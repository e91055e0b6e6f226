import DrydockFindings
import SQLiteSchema

/// A `-- drydock:` comment, or an entry in drydock.yml: a loss or change that is intended.
public struct Declaration: Sendable, Hashable, Codable {
    public enum Kind: Sendable, Hashable, Codable {
        case dropsTable(String)
        case dropsColumn(table: String, column: String)
        case dropsObject(Object, String)
        case dropsConstraint(DeclaredConstraint, table: String)
        case renamesTable(from: String, to: String)
        case renamesColumn(table: String, from: String, to: String)
        /// Every column when `column` is nil.
        case rewrites(table: String, column: String?)
        /// Every row when `condition` is nil.
        case deletes(table: String, condition: String?)
        case inserts(table: String)
        case preserves(query: String)
        case foreignKeysImmediate
        /// A rule of `drydock lint`, for the statement that follows.
        case ignores(rule: Rule, reason: String)
    }

    /// An object that depends on a table or view, and can be dropped with it.
    public enum Object: String, Sendable, Hashable, Codable, CaseIterable {
        case index, trigger, view
    }

    public var kind: Kind
    /// The words as they were written.
    public var text: String
    public var place: Finding.Place

    public init(kind: Kind, text: String, place: Finding.Place) {
        self.kind = kind
        self.text = text
        self.place = place
    }

    /// Whether a replay that does not need the declaration reports it. The other kinds have an effect of their own.
    package var canBeUnused: Bool {
        switch kind {
        case .preserves, .foreignKeysImmediate, .ignores: false
        default: true
        }
    }
}

extension Declaration {
    /// Why a text is not a declaration.
    public struct ParseFailure: Error, Sendable {
        /// An `invalid-declaration` that says what to write.
        public var finding: Finding
    }

    /// Parses what follows `drydock:`, or an entry of drydock.yml.
    public static func parse(
        _ text: String, place: Finding.Place, migration: String
    ) -> Result<[Declaration], ParseFailure> {
        do {
            let kinds = try DeclarationParser.parse(text)
            return .success(kinds.map { Declaration(kind: $0, text: text, place: place) })
        } catch {
            return .failure(
                ParseFailure(finding: DeclarationParser.invalid(error, place: place, migration: migration)))
        }
    }
}
