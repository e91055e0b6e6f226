import DatabaseEngine
import DrydockMigrations
import DrydockState

/// What declarations allow a table to lose.
struct Allowance: Sendable {
    /// Rows that match one of these conditions may go.
    var conditions: [String] = []
    /// How many such rows were deleted; nil if all were.
    var lostCount: Int?
    /// Values of these columns may be lost (folded); nil for all columns.
    var columns: Set<String?> = []

    init(conditions: [String]) { self.conditions = conditions }

    /// - Parameter successor: the table that has the rows afterwards, by whose name a declaration may call the table.
    init(of table: Catalog.Table, now successor: Catalog.Table? = nil, _ declarations: [Declaration]) {
        let names = [table, successor].compactMap { $0?.name.foldedASCII }
        for declaration in declarations {
            switch declaration.kind {
            case .deletes(let name, _) where names.contains(name.foldedASCII):
                conditions.append(declaration.kind.condition)
            case .rewrites(let name, let column) where names.contains(name.foldedASCII):
                columns.insert(column?.foldedASCII)
            default: break
            }
        }
    }

    static let nothing = Allowance(conditions: [])

    var isEmpty: Bool { conditions.isEmpty && columns.isEmpty }

    /// True of a row that may go.
    var condition: String {
        conditions.isEmpty
            ? "0" : "(" + conditions.map { "coalesce((\($0)), 0)" }.joined(separator: " OR ") + ")"
    }

    /// Returns what may be missing of the rows that remain: the values of one that could have gone are owed.
    func after(
        _ difference: TableDifference, of table: Catalog.Table, _ connection: any Connection
    ) throws -> Allowance {
        var left = self
        guard difference.declaredLost > 0 else {
            left.conditions = []
            return left
        }
        do {
            let meeting = try connection.count("SELECT count(*) FROM \(table.earlier) WHERE \(condition)")
            if meeting != difference.declaredLost { left.lostCount = difference.declaredLost }
        } catch let error as EngineError where error.isOfExpression {
            left.conditions = []
        }
        return left
    }

    func rewrites(_ pair: TableMatch.ColumnPair) -> Bool {
        rewrites(pair.before) || columns.contains(pair.after.name.foldedASCII)
    }

    func rewrites(_ column: Catalog.Column) -> Bool {
        columns.contains(nil) && column.keyPosition == 0 || columns.contains(column.name.foldedASCII)
    }
}

extension Catalog.Column {
    /// Whether a declaration lets the column of a table go.
    func isDropped(from pair: TableMatch, _ declarations: [Declaration]) -> Bool {
        declarations.contains {
            $0.kind.isDrop(of: name.foldedASCII, in: [pair.before.name, pair.after.name])
        }
    }
}

extension Declaration.Kind {
    func isDeletion(from pair: TableMatch) -> Bool {
        if case .deletes(let table, _) = self { pair.isCalled(table) } else { false }
    }

    /// A condition that every row matches.
    static var everyRow: String { "1" }

    /// The condition of a `deletes from` declaration; every row matches where it names none.
    var condition: String {
        if case .deletes(_, let condition?) = self { condition } else { Self.everyRow }
    }
}
