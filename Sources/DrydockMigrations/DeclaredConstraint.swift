import DrydockFindings
import SQLiteSchema

/// What `drops constraint` names: `unique (a, b)`, `check (size > 0)`, `not null (a)`, or a kind alone for all of a table's.
public struct DeclaredConstraint: Sendable, Hashable, Codable {
    public var kind: TableConstraint.Kind
    /// The columns; nil for every constraint of the kind.
    public var columns: [String]?
    /// The condition of a CHECK; nil for every CHECK.
    public var condition: String?

    public init(_ kind: TableConstraint.Kind, columns: [String]? = nil, condition: String? = nil) {
        (self.kind, self.columns, self.condition) = (kind, columns, condition)
    }

    public static let primaryKey = DeclaredConstraint(.primaryKey)
    public static let strict = DeclaredConstraint(.strict)

    public static func unique(_ columns: String...) -> DeclaredConstraint { .init(.unique, columns: columns) }

    public static func check(_ condition: String) -> DeclaredConstraint {
        .init(.check, condition: condition)
    }

    public static func notNull(_ columns: String...) -> DeclaredConstraint {
        .init(.notNull, columns: columns)
    }

    public static func collate(_ columns: String...) -> DeclaredConstraint {
        .init(.collate, columns: columns)
    }

    public static func foreignKey(_ columns: String...) -> DeclaredConstraint {
        .init(.foreignKey, columns: columns)
    }
}

extension DeclaredConstraint {
    /// Creates the declaration of constraints of one kind: of one, or of several that have a column each.
    package init(_ constraints: [TableConstraint]) {
        self.init(constraints.first?.kind ?? .check)
        switch constraints.first {
        case .check(let check):
            // What a comment cannot hold is not spelled out in it.
            let text = "\(check.expression)"
            if VisibleText.line(text) == text { condition = text }
        case .primaryKey, .strict, nil: break
        default: columns = constraints.flatMap(\.columns)
        }
    }

    /// Whether it names a constraint.
    package func names(_ constraint: TableConstraint) -> Bool {
        guard kind == constraint.kind else { return false }
        if case .check(let check) = constraint {
            return condition.map { SQLFragment(sql: $0).matches(check.expression, renames: [:]) } ?? true
        }
        guard let columns else { return true }
        let (names, own) = (Set(columns.map(\.foldedASCII)), Set(constraint.columns.map(\.foldedASCII)))
        return names == own || [.notNull, .collate].contains(kind) && own.isSubset(of: names)
    }

    /// The words after `drops constraint`.
    package var words: String {
        let list = condition ?? columns?.map(quotedIfNeeded).joined(separator: ", ")
        return kind.rawValue + (list.map { " (\($0))" } ?? "")
    }
}
